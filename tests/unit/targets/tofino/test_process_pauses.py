# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pauses of a fake switch's process: what they touch is not judged, and being busy is no pause."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.fake.cpu_pauses import CpuPauses
from TesterLibrary.targets.tofino.session.program import Program

from .driver.test_target import Driven
from .rig import FOLDER, Bench

MS = 10**6


@dataclass
class Cpu:
    """The CPU time of the fake switch's process."""

    used_ns: int = 0


class InTime(Driven):
    """A target on a fake switch whose frames leave in time, by a process that may have no CPU."""

    jobs: dict[str, Plan]

    def __init__(self) -> None:
        self.cpu = Cpu()
        Bench.__init__(self, in_time=True)
        self.daemon.pauses = CpuPauses(lambda: self.clock.now_ns, lambda: self.cpu.used_ns)
        self.target = TofinoTarget(
            self.session(),
            Program.load(FOLDER),
            now_ns=lambda: self.clock.now_ns,
            sleep=lambda seconds: self.go_on(int(seconds * 10**9)),
        )

    def go_on(self, time_ns: int) -> None:
        """Lets time pass in which the process looks at what is due each 100 us."""
        ends_ns = self.clock.now_ns + time_ns
        while self.clock.now_ns < ends_ns:
            self.step(MS // 10)

    def step(self, time_ns: int) -> None:
        """Lets time pass until the process looks again."""
        self.clock.now_ns += time_ns
        assert self.daemon.pauses is not None
        self.daemon.pauses.look()
        self.daemon.running.chip.run(self.clock.now_ns)

    def evidence(self, job: str, *, pause_ns: int = 0, busy_ns: int = 0) -> Evidence:
        """The evidence of a trial of 200 ms, in the middle of which the process pauses, or is busy."""
        before = self.target.snapshot([job])
        self.target.start([job], duration=Duration(200 * MS))
        self.go_on(100 * MS)
        self.cpu.used_ns += busy_ns
        self.step(pause_ns + busy_ns)
        self.go_on(200 * MS - pause_ns - busy_ns)
        return Evidence.between(self.jobs[job], before, self.target.snapshot([job]))


@pytest.fixture
def driven() -> InTime:
    driven = InTime()
    driven.jobs = {job: driven.plan(job, first=number) for number, job in enumerate(("north", "south"), 1)}
    for plan in driven.jobs.values():
        driven.target.load(plan)
    return driven


def test_a_trial_in_which_the_process_had_no_cpu_is_invalid(driven: InTime) -> None:
    evidence = driven.evidence("north", pause_ns=80 * MS)
    assert 78 * MS <= (evidence.worst_worker_gap_ns or 0) <= 80 * MS
    (objection,) = evidence.objections(EvidenceLimits())
    assert objection.startswith("a worker did not run for 79.0 ms (limit 50.0 ms)")
    assert evidence.offered_packets == 200, "what was late has left"


def test_a_process_that_was_busy_has_not_paused(driven: InTime) -> None:
    evidence = driven.evidence("north", busy_ns=80 * MS)
    assert (evidence.worst_worker_gap_ns or 0) <= MS
    assert not list(evidence.objections(EvidenceLimits()))


def test_a_pause_of_an_earlier_trial_is_not_held_against_a_later_one(driven: InTime) -> None:
    driven.evidence("north", pause_ns=80 * MS)
    for job in ("south", "north"):
        evidence = driven.evidence(job)
        assert (evidence.worst_worker_gap_ns or 0) <= MS
        assert not list(evidence.objections(EvidenceLimits()))


def test_a_pause_after_the_first_reading_of_traffic_that_is_sending_counts(driven: InTime) -> None:
    """So it is with monitored intervals, sessions and paths."""
    driven.target.start(["north"])
    driven.go_on(100 * MS)
    before = driven.target.snapshot(["north"])
    driven.step(80 * MS)
    evidence = Evidence.between(driven.jobs["north"], before, driven.target.snapshot(["north"]))
    assert [text.partition(" (")[0] for text in evidence.objections(EvidenceLimits())] == [
        "a worker did not run for 79.0 ms"
    ]


def test_where_time_waits_for_the_chip_nothing_is_said_of_pauses() -> None:
    driven = Driven()
    plan = driven.plan()
    driven.target.load(plan)
    before = driven.target.snapshot()
    driven.run("north", 10)
    assert Evidence.between(plan, before, driven.target.snapshot()).worst_worker_gap_ns is None
