# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks in plain language: the tools answer them to a client of the protocol by other authors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

_TASKS = yaml.safe_load(Path(__file__).with_name("tasks.yaml").read_text(encoding="utf-8"))
_SERVER = [sys.executable, "-m", "TesterLibrary.commands.main", "mcp", "--output"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[bool, str]]]:
    """By task: whether each call was refused, and its answer. All are asked of one server, in their order."""
    command, *arguments = [*_SERVER, str(tmp_path_factory.mktemp("runs"))]

    async def ask() -> dict[str, list[tuple[bool, str]]]:
        server = StdioServerParameters(command=command, args=arguments)
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            assert len((await session.list_tools()).tools) == 8
            return {task["task"]: [await _answer(session, call) for call in task["calls"]] for task in _TASKS}

    return anyio.run(ask)


async def _answer(session: ClientSession, call: dict[str, dict[str, Any]]) -> tuple[bool, str]:
    [(tool, arguments)] = call.items()
    result = await session.call_tool(tool, arguments)
    return bool(result.is_error), "\n".join(getattr(content, "text", "") for content in result.content)


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task["task"])
def test_a_task_is_done(answers: dict[str, list[tuple[bool, str]]], task: dict[str, Any]) -> None:
    refused, _ = answers[task["task"]][-1]
    assert refused == task.get("refused", False)
    rest = "\n".join(text for _, text in answers[task["task"]])
    for text in task["expect"]:
        assert text in rest
        rest = rest.partition(text)[2]
