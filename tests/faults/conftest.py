# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester with two connected ports, for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.waits)


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    find_program()
    engine = EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"})
    yield engine
    engine.stop()
