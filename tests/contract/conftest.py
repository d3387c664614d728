# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every test of this folder runs on every target that this machine has.

The engine connects two ports inside its own process, so no interface and no privilege is needed. Where there
is no engine its tests are skipped; with TESTER_REQUIRE_ENGINE=1, as in CI, they fail. With
TESTER_SWITCH=model the switch is not a fake one but the vendor's model of its chip, in slow motion; with
TESTER_SWITCH=program it is the fake one, but its pipelines run the P4 program itself. With
TESTER_SWAP_PORTS=1 the ports p1 and p2 have changed places: nothing may depend on which one is the first.
With TESTER_WORKERS=2 an engine has two workers, and p1 and p2 are served by different ones; with
TESTER_QUEUES=2 beside it each port has two queues, one of each worker.
With TESTER_JOINED=1 p1 and p2 of fake and engine belong to different testers, which are joined.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.engine.program import find_program
from TesterLibrary.targets.joined import JoinedTarget
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from tests.model.running import RunningModel
from tests.program.compiled import compiled
from tests.program.pipelines import runs_program

from .engines import two_engines
from .rig import QUEUES, WORKER_CPUS, FakeRig, Rig, SwitchRig, in_place
from .slow_motion import ModelRig, slow_model

_SWITCH = os.environ.get("TESTER_SWITCH")
_ONE_QUEUE = "need a port with one"  # words of testerd
_JOINED = os.environ.get("TESTER_JOINED") == "1"


@pytest.fixture(scope="session")
def engine() -> Iterator[EngineProcess]:
    try:
        find_program()
    except TargetError as error:
        if os.environ.get("TESTER_REQUIRE_ENGINE") == "1":
            raise
        pytest.skip(error.reason)
    process = EngineProcess.launch(
        ports=in_place({"p1": "loop:x", "p2": "loop:x"}), cpus=WORKER_CPUS, queues=QUEUES
    )
    yield process
    process.stop()


@pytest.fixture(scope="session")
def joined_engines() -> Iterator[JoinedTarget]:
    with two_engines() as engines:
        yield engines.target


@pytest.fixture
def process(request: pytest.FixtureRequest) -> Iterator[EngineProcess]:
    """An engine for one test, with the ports that its module names."""
    process = EngineProcess.launch(ports=in_place(request.module.PORTS), cpus=WORKER_CPUS, queues=QUEUES)
    yield process
    process.stop()


@pytest.fixture(scope="session")
def slow_switch(
    install: Path, configuration: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TofinoTarget]:
    running = RunningModel(install, configuration, tmp_path_factory.mktemp("model"), joined=True)
    try:
        with slow_model(running) as target:
            yield target
    finally:
        running.stop()


@pytest.fixture(params=["fake", "engine", "tofino"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    if request.param == "fake":
        rig: Rig = FakeRig(joined=_JOINED)
    elif request.param == "engine" and _JOINED:
        rig = Rig(request.getfixturevalue("joined_engines"))
    elif request.param == "engine":
        rig = Rig(request.getfixturevalue("engine").target())
    elif _SWITCH == "program":
        rig = SwitchRig(pipelines=runs_program(compiled("tofino"), partial(Random(1).getrandbits, 32)))
    elif _SWITCH != "model":
        rig = SwitchRig()
    elif request.node.get_closest_marker("timed"):
        pytest.skip("about times, and a model in slow motion has another clock than its driver")
    else:
        rig = ModelRig(request.getfixturevalue("slow_switch"))
    yield rig
    rig.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _targets(item) & {"fake", "tofino"} and not _SWITCH:
            item.add_marker(pytest.mark.fakes)


def _targets(item: pytest.Item) -> set[object]:
    """The values with which a test is run; one of them may be the name of a target."""
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    return {value for value in values if isinstance(value, str)}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _refused(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _refused(item, ends=True))


def _refused(item: pytest.Item, *, ends: bool = False) -> Generator[None, object, object]:
    """Skips a test that is marked as refused by its target and is: nothing else that is refused is skipped.

    Of several marks one has to match. A test that is marked and not refused fails.
    """
    marks = [mark for mark in item.iter_markers("refused_by") if mark.args[0] in _targets(item)]
    try:
        done = yield
    except PlanError as refused:
        several_queues = QUEUES > 1 and _ONE_QUEUE in str(refused)  # test_queues.py
        if several_queues or any(re.search(mark.kwargs["match"], str(refused), re.DOTALL) for mark in marks):
            pytest.skip(f"refused: {refused}")
        raise
    if marks and ends:
        pytest.fail(f"is marked as refused by {marks[0].args[0]}, which it was not")
    return done
