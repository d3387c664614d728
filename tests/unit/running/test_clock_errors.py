# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Delays between two testers have the error of their clocks."""

from __future__ import annotations

from fractions import Fraction

from TesterLibrary.measurement.delays.latency import Latency
from TesterLibrary.measurement.snapshot import LatencyCounters, StreamCounters
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import Plan, PlannedStream, SenderClock
from TesterLibrary.running.stream_results import stamp_objections
from TesterLibrary.targets.fake import FakeTarget, fake_port
from TesterLibrary.targets.fake.shared import SharedFake
from TesterLibrary.targets.joined.common_time import VirtualTime
from TesterLibrary.targets.joined.joined_clocks import JoinedClocks
from TesterLibrary.targets.joined.loaded_job import LoadedJob
from TesterLibrary.targets.joined.members import Member, Members
from TesterLibrary.targets.joined.split import ends_of, split_plan

STREAM = PlannedStream(1, "north", "p1", "p2", (bytes(60),), True, even(Fraction(1, 10**6)))
INSIDE = PlannedStream(2, "inside", "p2", "p3", (bytes(60),), True, even(Fraction(1, 10**6)))


class _Clocks(VirtualTime):
    """Clocks whose difference a test sets."""

    def __init__(self, fake: FakeTarget) -> None:
        super().__init__(fake)
        self.now = SenderClock(1_000, 50)

    def ahead(self, member: Member, other: Member) -> SenderClock:  # noqa: ARG002
        return self.now


def _clocks() -> tuple[_Clocks, JoinedClocks]:
    fake = FakeTarget([fake_port(name) for name in ("p1", "p2", "p3")])
    members = Members.of(SharedFake(fake, {"left": ["p1"], "right": ["p2", "p3"]}).testers)
    plan, clocks = Plan("job", 1, (STREAM, INSIDE)), _Clocks(fake)
    parts = split_plan(plan, members, clocks.ahead, {})
    ends = {stream.id: ends_of(stream, members) for stream in plan.streams}
    return clocks, JoinedClocks(clocks, {"job": LoadedJob(plan, parts, ends)})


def test_the_error_is_that_of_the_comparison_and_grows_with_the_drift_since() -> None:
    clocks, joined = _clocks()
    assert joined.error_ns(STREAM) == 50
    clocks.now = SenderClock(1_000, 20)
    assert joined.error_ns(STREAM) == 50  # what the receiver goes on with is no better than it was
    clocks.now = SenderClock(-4_000, 30)
    assert joined.error_ns(STREAM) == 5_030
    assert joined.error_ns(INSIDE) == 0  # one clock measures it


def test_a_figure_has_the_error_also_without_calibration() -> None:
    latency = Latency(LatencyCounters(10, 1_000, 100, 100, {100: 10}))
    assert latency.less(0, 0) is latency
    assert latency.less(0, 70).error.of(100, percentile=False) == 70
    assert latency.less(0, 70).counters == latency.counters


def test_frames_that_seem_to_arrive_before_they_are_sent_are_no_objection_between_testers() -> None:
    counters = {1: StreamCounters(1, rx_packets=10, rx_before_sent=3)}
    assert "which differ" in next(stamp_objections([STREAM], counters))
    assert not list(stamp_objections([STREAM], counters, {1}))
