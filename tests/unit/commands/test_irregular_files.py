# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pipes and sockets in the folder of a run, whose reading would never end."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from TesterLibrary.commands import main as cli

from ..reporting.golden import record_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its reports."""
    run = tmp_path_factory.mktemp("whole")
    record_run(run / "evidence")
    cli.main(["report", str(run)])
    return run


@pytest.mark.parametrize(
    "name",
    ["evidence/trials.jsonl", "evidence/captures/mine.pcapng", "evidence/agenda.json", "certificate.json"],
)
@pytest.mark.parametrize("command", ["report {0}", "verify {0}", "compare {0} {1}", "compare {1} {0}"])
def test_a_pipe_is_refused_by_name(
    whole: Path, tmp_path: Path, name: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    pipe = run / name
    pipe.unlink(missing_ok=True)
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    status = cli.main(command.format(run, whole).split())
    printed = capsys.readouterr()
    assert status != 0
    assert f"{pipe} is no regular file" in printed.out + printed.err
