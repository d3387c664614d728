# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pauses of a fake switch whose frames leave in time: the trials in which it stood still are invalid."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.model.plan import Plan
from TesterLibrary.model.units import Duration
from TesterLibrary.targets.tofino.program import Program
from TesterLibrary.targets.tofino.target import TofinoTarget

from .rig import FOLDER, Bench
from .test_target import Driven

MS = 10**6


class InTime(Driven):
    """A target on a fake switch that has no CPU to itself."""

    jobs: dict[str, Plan]

    def __init__(self) -> None:
        Bench.__init__(self, in_time=True)
        self.target = TofinoTarget(
            self.session(),
            Program.load(FOLDER),
            now_ns=lambda: self.clock.now_ns,
            sleep=lambda seconds: self.go_on(int(seconds * 10**9)),
        )

    def go_on(self, time_ns: int) -> None:
        """Lets time pass in which it looks each 100 us at what is due."""
        ends_ns = self.clock.now_ns + time_ns
        while self.clock.now_ns < ends_ns:
            self.clock.now_ns += MS // 10
            self.daemon.running.chip.run(self.clock.now_ns)

    def evidence(self, job: str, pause_ns: int = 0) -> Evidence:
        """The evidence of a trial of 200 ms, in the middle of which it stands still."""
        before = self.target.snapshot([job])
        self.target.start([job], duration=Duration(200 * MS))
        self.go_on(100 * MS)
        self.clock.now_ns += pause_ns
        self.go_on(200 * MS - pause_ns)
        return Evidence.between(self.jobs[job], before, self.target.snapshot([job]))


@pytest.fixture
def driven() -> InTime:
    driven = InTime()
    driven.jobs = {job: driven.plan(job, first=number) for number, job in enumerate(("north", "south"), 1)}
    for plan in driven.jobs.values():
        driven.target.load(plan)
    return driven


def test_a_trial_in_which_it_stood_still_is_invalid(driven: InTime) -> None:
    found = driven.evidence("north", pause_ns=80 * MS)
    assert 79 * MS <= (found.worst_worker_gap_ns or 0) <= 81 * MS
    assert list(found.objections(EvidenceLimits())) == [
        f"a worker did not run for {(found.worst_worker_gap_ns or 0) / MS:.1f} ms (limit 50.0 ms)"
    ]
    assert found.offered_packets == 200, "what was late has left"


def test_a_trial_in_which_it_went_on_is_valid_whatever_was_before(driven: InTime) -> None:
    driven.evidence("north", pause_ns=80 * MS)
    for job in ("south", "north"):
        found = driven.evidence(job)
        assert (found.worst_worker_gap_ns or 0) <= MS
        assert not list(found.objections(EvidenceLimits()))


def test_where_time_waits_for_the_chip_nothing_is_known_of_pauses() -> None:
    driven = Driven()
    plan = driven.plan()
    driven.target.load(plan)
    before = driven.target.snapshot()
    driven.run("north", 10)
    assert driven.daemon.running.chip.taken_lateness_ns() is None
    assert Evidence.between(plan, before, driven.target.snapshot()).worst_worker_gap_ns is None
