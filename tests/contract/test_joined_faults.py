# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two engines as one target, one of which hangs, is slow or is cut off: nothing goes on sending."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.errors import LeaseError, TargetError
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.calls import EngineCalls
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.joined import JoinedTarget
from TesterLibrary.targets.parts import LeaseTerms

from .cable import Cable
from .engines import TwoEngines, two_engines
from .rig import Rig

SECOND = Duration(10**9)


@pytest.fixture
def engines() -> Iterator[TwoEngines]:
    with two_engines() as engines:
        yield engines


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineCalls, "answer_s", 2.0)


def _both_ways(rig: Rig) -> Plan:
    there, back = rig.plan("both"), rig.plan("back", back=True, first_id=2)
    return replace(there, streams=(*there.streams, *back.streams))


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _sending(target: EngineTarget | JoinedTarget) -> bool:
    return any(stream.sending for stream in target.snapshot().streams)


def _check_a_trial(rig: Rig) -> None:
    rig.load(_both_ways(rig))
    before = {port.name: port.tx_packets for port in rig.target.snapshot().ports}
    after = rig.run(["both"], packets=100)
    assert [(s.tx_packets, s.rx_packets, s.rx_misrouted) for s in after.streams] == [(100, 100, 0)] * 2
    assert {port.name: port.tx_packets - before[port.name] for port in after.ports} == {"p1": 100, "p2": 100}


@pytest.mark.usefixtures("impatience")
def test_the_next_trial_runs_when_a_tester_that_hung_is_back(engines: TwoEngines) -> None:
    target, process = engines.target, engines.processes["right"].pid
    rig = Rig(target)
    rig.load(_both_ways(rig))
    target.start(["both"])
    os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(TargetError, match=r"tester 'right': .* did not answer TakeSnapshot in time"):
            target.wait(["both"], timeout=SECOND)
        assert not _sending(engines.members["left"])
        with pytest.raises(TargetError, match=r"tester 'right': .* did not answer"):
            target.unload(["both"])
        with pytest.raises(TargetError, match=r"tester 'right': .* did not answer"):
            target.load(_both_ways(rig))
    finally:
        os.kill(process, signal.SIGCONT)
    _check_a_trial(rig)


class _Leased:
    """Two engines that are reached over cables, with a lease."""

    def __init__(self, engines: TwoEngines, folder: Path) -> None:
        self.cables: dict[str, Cable] = {}
        self.members: dict[str, EngineTarget] = {}
        for name, process in engines.processes.items():
            (folder / name).mkdir()
            self.cables[name] = Cable(process.address, folder / name)

    @contextmanager
    def opened(self) -> Iterator[JoinedTarget]:
        self.members = {name: EngineTarget.connect(cable.address) for name, cable in self.cables.items()}
        with closing(JoinedTarget(self.members)) as target:
            for member in self.members.values():
                member.leases.acquire(LeaseTerms("alice", Duration(3 * 10**9)))
            yield target


@pytest.mark.usefixtures("impatience")
def test_a_tester_that_is_cut_off_stops_with_its_lease(engines: TwoEngines, tmp_path: Path) -> None:
    leased, right = _Leased(engines, tmp_path), engines.members["right"]
    with leased.opened() as target:
        rig = Rig(target)
        rig.load(_both_ways(rig))
        target.start(["both"])
        leased.cables["right"].whole.clear()
        with pytest.raises(TargetError, match=r"tester 'right': .* did not answer TakeSnapshot in time"):
            target.wait(["both"], timeout=SECOND)
        _until(lambda: right.leases.holder() is None)  # it says so itself, by another way
        assert right.snapshot().jobs == ()
        leased.cables["right"].whole.set()
        with pytest.raises(LeaseError, match=r"tester 'right': .* lease 1 of .* ended at "):
            target.snapshot(["both"])
        assert not _sending(leased.members["left"])
    with leased.opened() as target:
        _check_a_trial(Rig(target))


def test_a_slow_way_delays_the_start_of_all(engines: TwoEngines, tmp_path: Path) -> None:
    """The order for the first instant comes too late on it; a later one is agreed."""
    cable = Cable(engines.processes["right"].address, tmp_path)
    members = {"left": engines.members["left"], "right": EngineTarget.connect(cable.address)}
    rig = Rig(JoinedTarget(members))
    rig.load(_both_ways(rig))
    cable.delay_s = 0.15
    after = rig.run(["both"], packets=1000)
    assert [(s.tx_packets, s.rx_packets) for s in after.streams] == [(1000, 1000)] * 2
    with pytest.raises(TargetError, match=r"tester 'right': its clock is known within .* is too slow"):
        JoinedTarget(members)
