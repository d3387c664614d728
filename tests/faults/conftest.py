# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester with two connected ports, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    find_program()
    engine = EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"})
    yield engine
    engine.stop()
