# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every test of this folder runs on every target that this machine has.

The engine connects two ports inside its own process, so no interface and no privilege is needed. Where there
is no engine its tests are skipped; with TESTER_REQUIRE_ENGINE=1, as in CI, they fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from TesterLibrary.errors import TargetError
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program

from .rig import FakeRig, Rig


@pytest.fixture(scope="session")
def engine() -> Iterator[EngineProcess]:
    try:
        find_program()
    except TargetError as error:
        if os.environ.get("TESTER_REQUIRE_ENGINE") == "1":
            raise
        pytest.skip(error.reason)
    process = EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"})
    yield process
    process.stop()


@pytest.fixture(params=["fake", "engine"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    rig = FakeRig() if request.param == "fake" else Rig(request.getfixturevalue("engine").target())
    yield rig
    rig.clear()
