# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every test of this folder runs on every target that this machine has.

The engine connects two ports inside its own process, so no interface and no privilege is needed. Where there
is no engine its tests are skipped; with TESTER_REQUIRE_ENGINE=1, as in CI, they fail.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program

from .rig import FakeRig, Rig, SwitchRig


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


@pytest.fixture(params=["fake", "engine", "tofino"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    fakes = {"fake": FakeRig, "tofino": SwitchRig}
    known = fakes.get(request.param)
    rig = known() if known else Rig(request.getfixturevalue("engine").target())
    yield rig
    rig.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _refused(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _refused(item))


def _refused(item: pytest.Item) -> Generator[None, object, object]:
    """A switch that refuses what a test needs has kept its promise: the test is skipped, with its words."""
    try:
        return (yield)
    except PlanError as refused:
        if "tofino" in getattr(getattr(item, "callspec", None), "params", {}).values():
            pytest.skip(f"refused: {refused}")
        raise
