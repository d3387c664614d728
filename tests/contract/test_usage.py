# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine holds as much memory, as many descriptors and packet buffers after many trials as before them."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.tester_usage import TesterUsage
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import PATIENCE, Rig

PORTS = {"p1": "loop:x", "p2": "loop:x"}
MOST_GROWTH = 1 << 20  # bytes of memory
READINGS, PAUSE = 15, 0.25  # seconds
WARM_UP = 50  # trials, in which gRPC starts its threads and the allocator gets its arenas

pytestmark = pytest.mark.usefixtures("engine")


def run_trials(rig: Rig, number: int) -> None:
    for _ in range(number):
        rig.target.load(rig.plan("north", rate="100 kpps"))
        assert rig.run(["north"], packets=50).streams[0].rx_packets == 50
        rig.target.unload(["north"])


def held(rig: Rig) -> tuple[int, int, int]:
    """Resident bytes, descriptors and buffers."""
    assert rig.target.usage is not None
    usage = rig.target.usage.read()
    assert usage.resident_bytes is not None
    assert usage.descriptors is not None
    assert usage.mbufs is not None
    return usage.resident_bytes, usage.descriptors, usage.mbufs


def held_at_rest(rig: Rig) -> tuple[int, ...]:
    """The least of several readings: the engine has one more socket for some moments now and then."""
    readings = []
    for _ in range(READINGS):
        readings.append(held(rig))
        rig.pass_time(PAUSE)
    return tuple(map(min, zip(*readings, strict=True)))


@pytest.mark.parametrize(
    "trials", [100, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)
def test_trials_leave_nothing_in_the_engine(process: EngineProcess, trials: int) -> None:
    rig = Rig(process.target())
    run_trials(rig, WARM_UP)
    before = held_at_rest(rig)
    run_trials(rig, trials)
    after = held_at_rest(rig)
    print(f"{trials} trials: {after[0] - before[0]:+,} bytes, {before} -> {after}")
    assert after[0] - before[0] < MOST_GROWTH
    assert after[1:] == before[1:]


def test_frames_on_their_way_are_buffers_in_use(process: EngineProcess) -> None:
    rig = Rig(process.target())
    run_trials(rig, 1)
    before = held(rig)
    assert before[0] > 1 << 20
    assert before[1] > 3
    rig.target.load(rig.plan("north", rate="1 Mpps"))
    rig.target.start(["north"])
    assert rig.clock.until(lambda: held(rig)[2] > before[2], within=PATIENCE, every=0)
    rig.target.unload(["north"])
    assert held(rig)[2] == before[2]


@pytest.mark.parametrize("rig", ["fake", "tofino"], indirect=True)
def test_other_testers_do_not_tell(rig: Rig) -> None:
    assert rig.target.usage is None
    assert TesterUsage() == TesterUsage(None, None, None)
