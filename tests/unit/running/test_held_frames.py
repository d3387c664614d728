# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget

from .testers import SECOND, fake_tester, stream


class SlowPort(FakeTarget):
    """Port p1 holds frames, by the time. Those that it holds have not arrived."""

    held: Callable[[float], int] = staticmethod(lambda _: 0)

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        counters = super().snapshot(jobs, buckets=buckets)
        held = self.held(counters.taken_at_ns / 1e9)
        ports = tuple(replace(p, tx_held=held if p.name == "p1" else 0) for p in counters.ports)
        streams = tuple(replace(s, rx_packets=max(0, s.rx_packets - held)) for s in counters.streams)
        return replace(counters, ports=ports, streams=streams)


@pytest.fixture
def bed(tmp_path: Path) -> tuple[Tester, SlowPort]:
    tester = fake_tester(tmp_path)
    target = SlowPort(device=FakeDevice(FakePath()))
    tester.target = target
    tester.clock = Clock.of(target)
    return tester, target


def trial_of(tester: Tester, target: SlowPort, seconds: int = 1) -> Trial:
    """Frames for a time, and then whatever the run waits for."""
    run = StreamRun(tester, "traffic", (stream(rate="1 kpps"),))
    with run.loaded():
        run.start(Duration(seconds * SECOND.ns))
        target.advance(Duration(seconds * SECOND.ns))
        return run.finish()


def now_s(target: SlowPort) -> float:
    return target.snapshot().taken_at_ns / 1e9


def test_a_trial_waits_for_what_its_port_holds(bed: tuple[Tester, SlowPort]) -> None:
    tester, target = bed
    end_s = now_s(target) + 1
    target.held = lambda now: max(0, 8 - int(1000 * max(0, now - end_s) / 100)) if now >= end_s else 0
    trial = trial_of(tester, target)
    assert (trial.sent, trial.lost, trial.objections) == (1000, 0, ())


def test_an_interface_that_is_slower_than_the_load_is_no_trial(bed: tuple[Tester, SlowPort]) -> None:
    tester, target = bed
    end_s = now_s(target) + 1
    target.held = lambda now: max(0, 100 - int(100 * (now - end_s))) if now >= end_s else 0
    trial = trial_of(tester, target)
    assert (trial.sent, trial.lost) == (1000, 0)
    (objection,) = trial.objections
    assert re.fullmatch(
        "port p1 held 9[0-9] of 1,000 frames after the last departure: its interface is slower than the load",
        objection,
    )


def test_frames_that_do_not_leave_are_no_loss_of_the_device(bed: tuple[Tester, SlowPort]) -> None:
    tester, target = bed
    end_s = now_s(target) + 1
    target.held = lambda now: 232 if now >= end_s else 0
    trial = trial_of(tester, target)
    assert not trial.valid
    assert "port p1 still holds 232 frames that it took and has not sent" in trial.objections
    later = trial_of(tester, target)
    assert "port p1 still held 232 frames of earlier traffic when the trial began" in later.objections


def test_a_trial_begins_when_earlier_frames_have_left(bed: tuple[Tester, SlowPort]) -> None:
    tester, target = bed
    begin_s = now_s(target)
    target.held = lambda now: max(0, 300 - int(100 * (now - begin_s)))
    trial = trial_of(tester, target)
    assert now_s(target) > begin_s + 4
    assert (trial.lost, trial.objections) == (0, ())


def test_a_port_on_which_others_send_always_holds_some(bed: tuple[Tester, SlowPort]) -> None:
    tester, target = bed
    other = StreamRun(tester, "other", (stream("south", rate="1 kpps"),))
    with other.loaded():
        other.start()
        target.held = lambda _: 5
        trial = trial_of(tester, target)
    assert not [o for o in trial.objections if "p1" in o]


def test_a_nic_says_that_it_does_not_tell(bed: tuple[Tester, SlowPort]) -> None:
    tester, _ = bed
    plan = StreamRun(tester, "traffic", (stream(rate="1 kpps"),)).plan
    capable = tester.capabilities
    ports = tuple(replace(p, interface="pci:0000:3b:00.0") if p.name == "p1" else p for p in capable.ports)
    tester.capabilities = replace(capable, ports=ports)
    tester.load(plan)
    assert [remark for remark in tester.remarks if "does not tell" in remark] == [
        "port p1 (pci:0000:3b:00.0): its driver does not tell which frames wait in its transmit ring; up to "
        "2,048 may leave after a trial has ended"
    ]
