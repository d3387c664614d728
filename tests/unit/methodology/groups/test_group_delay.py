# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.foreign import ForeignAt
from TesterLibrary.measurement.multicast import Leak
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.groups.group_delay import GroupDelay, measure_group_delays
from TesterLibrary.methodology.groups.group_leak import no_leak
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome

from ....examples import examples
from ..multicast import GroupDevice

JOIN, LEAVE = GroupDelay.JOIN, GroupDelay.LEAVE
MS = 1_000_000


@settings(max_examples=examples(200))
@given(
    join=st.integers(0, 3000 * MS),
    leave=st.integers(0, 3000 * MS),
    gap=st.integers(1000, 20 * MS),
    phase=st.integers(0, 20 * MS),
)
def test_delays_are_known_within_a_gap(join: int, leave: int, gap: int, phase: int) -> None:
    device = GroupDevice(join, leave, gap, phase % gap)
    result = measure_group_delays(device, "video at p2", 1)
    for delay, truth in ((JOIN, join), (LEAVE, leave)):
        above, below = Duration(truth + 2 * gap + 1), Duration(truth - 2 * gap - 1)
        assert result.verdict_below(delay, above).outcome is Outcome.PASS
        if below.ns > 0:
            assert result.verdict_below(delay, below).outcome is Outcome.FAIL
        at_truth = result.verdict_below(delay, Duration(max(1, truth)))
        assert at_truth.outcome is not Outcome.FAIL
        assert result.resolution_ns == gap
    assert result.join_delay_ns is not None
    assert result.leave_delay_ns is not None
    assert join <= result.join_delay_ns < join + gap
    assert leave - gap <= result.leave_delay_ns <= leave


def test_the_worst_cycle_counts() -> None:
    class Slower(GroupDevice):
        def cycle(self):  # type: ignore[no-untyped-def]
            self.join_ns = (self.join_ns or 0) + 5 * MS
            return super().cycle()

    result = measure_group_delays(Slower(0), "video at p2", 3)
    assert result.join_delay_ns == 15 * MS
    assert result.verdict_below(JOIN, Duration(14 * MS)).outcome is Outcome.FAIL
    assert str(result) == (
        "video at p2: group join delay 15 ms, group leave delay 999.9 ms, the worst of 3, resolution 100 us"
    )


def test_a_bound_within_the_resolution_is_open() -> None:
    result = measure_group_delays(GroupDevice(MS, gap_ns=10 * MS), "video at p2", 1)
    verdict = result.verdict_below(JOIN, Duration(5 * MS))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "frames are 10 ms apart; send the group at a higher rate"


@pytest.mark.parametrize("delay", [JOIN, LEAVE])
@pytest.mark.parametrize(
    ("device", "reason"),
    [
        (GroupDevice(None), "no frame of the group arrived within 10 s after the port had joined it"),
        (GroupDevice(floods=True), "5,000 frames of the group arrived before the port joined it"),
        (GroupDevice(busy=True), "a worker did not run for 90.0 ms"),
    ],
)
def test_what_nobody_can_tell_is_inconclusive(device: GroupDevice, reason: str, delay: GroupDelay) -> None:
    verdict = measure_group_delays(device, "video at p2", 2).verdict_below(delay, Duration(5 * 10**9))
    assert (verdict.outcome, reason in verdict.reason) == (Outcome.INCONCLUSIVE, True), verdict


def test_a_device_that_never_ceases_is_slower_than_the_bound() -> None:
    result = measure_group_delays(GroupDevice(leave_ns=None), "video at p2", 1)
    verdict = result.verdict_below(LEAVE, Duration(3 * 10**9))
    assert verdict.outcome is Outcome.FAIL
    assert "not over after 9.9999 s: frames still arrived" in str(verdict)
    longer = result.verdict_below(LEAVE, Duration(20 * 10**9))
    assert longer.outcome is Outcome.INCONCLUSIVE
    assert longer.reason == "it was watched for 9.9999 s only; give a longer timeout"


def test_a_device_that_has_not_forgotten_by_the_next_join_is_slower_than_the_bound() -> None:
    """Its later cycles have frames before the join; the first one shows that it never ceases."""

    class Stuck(GroupDevice):
        def cycle(self):  # type: ignore[no-untyped-def]
            found = super().cycle()
            self.floods = True
            return found

    result = measure_group_delays(Stuck(leave_ns=None), "video at p2", 3)
    verdict = result.verdict_below(LEAVE, Duration(3 * 10**9))
    assert verdict.outcome is Outcome.FAIL, verdict
    assert "not over after 9.9999 s: frames still arrived" in str(verdict)
    for delay, bound in ((LEAVE, 20), (JOIN, 1)):
        verdict = result.verdict_below(delay, Duration(bound * 10**9))
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "arrived before the port joined it" in verdict.reason


def test_no_cycle_is_refused() -> None:
    with pytest.raises(PlanError, match=r"cycles=0 measures nothing; give 1 or more"):
        measure_group_delays(GroupDevice(), "video at p2", 0)


def test_a_leak_is_a_finding_by_name() -> None:
    leaking = measure_group_delays(GroupDevice(leaks=17, busy=True), "video at p2", 2)
    verdict = no_leak(leaking.trials)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured == "34, at p4"
    assert no_leak(measure_group_delays(GroupDevice(), "video at p2", 1).trials).outcome is Outcome.PASS


def test_flooding_before_the_join_is_a_leak() -> None:
    result = measure_group_delays(GroupDevice(floods=True), "video at p2", 1)
    verdict = no_leak(result.trials, early=result.early)
    assert (verdict.outcome, verdict.measured) == (
        Outcome.FAIL,
        "5,000, 5,000 of them before the port joined",
    )


def test_no_leak_is_known_only_where_members_receive_and_others_are_counted() -> None:
    silent = measure_group_delays(GroupDevice(None), "video at p2", 1)
    assert no_leak(silent.trials).reason == "no frame arrived at a member either"
    (found,) = measure_group_delays(GroupDevice(), "video at p2", 1).trials
    (stream,) = found.streams
    blind = replace(found, streams=(replace(stream, counters=replace(stream.counters, rx_misrouted=None)),))
    assert no_leak([blind]).reason == "this tester does not count frames that arrive at other ports"


@pytest.mark.parametrize(
    ("elsewhere", "reason"),
    [
        (ForeignAt("p4", 1000, 1000), "1,000 frames without a signature at p4, 1,000 of them malformed"),
        (ForeignAt("p4", 1, 1), "the device may have changed frames of"),
        (ForeignAt("p4", 500, 0), "500 frames without a signature at p4: the device may have changed"),
        (ForeignAt("p4", 15, 0), ""),  # queries and neighbour discovery
    ],
)
def test_frames_that_the_device_cut_may_be_a_leak(elsewhere: ForeignAt, reason: str) -> None:
    """Shorter by eight bytes, a frame of the group has lost its signature at a port that is no member."""
    (found,) = measure_group_delays(GroupDevice(), "video at p2", 1).trials
    verdict = no_leak([replace(found, elsewhere=(elsewhere,))])
    assert verdict.outcome is (Outcome.INCONCLUSIVE if reason else Outcome.PASS)
    assert reason in verdict.reason


def test_frames_that_stand_for_missing_copies_are_a_leak() -> None:
    """One member of two gets nothing, and as many frames arrive at a port that is none."""
    (found,) = measure_group_delays(GroupDevice(leaks=1000), "video at p2", 1).trials
    stream = replace(found.streams[0], copies=("p3",))
    sent = replace(stream.counters, tx_packets=1000)
    leak = Leak.of([replace(found, streams=(replace(stream, counters=sent),))])
    assert (leak.ports, leak.frames) == (("p4",), 1)


def _members(*, frames: int, copies: tuple[str, ...], counts: dict[str, int] | None) -> Trial:
    """A trial of a group with 1,000 frames, so many of which arrive at other ports than the first member."""
    (found,) = measure_group_delays(GroupDevice(), "video at p2", 1).trials
    stream = found.streams[0]
    counted = replace(
        stream.counters,
        tx_packets=1000,
        rx_packets=1000,
        rx_misrouted=frames,
        rx_misrouted_ports=copies if counts is None else tuple(counts),
        rx_misrouted_by_port=None if counts is None else tuple(counts.values()),
        rx_misrouted_behind=(0,) * len(counts or ()),
    )
    return replace(found, streams=(replace(stream, copies=copies, counters=counted),))


def test_duplicates_at_members_are_no_leak() -> None:
    """Every 20th frame leaves twice."""
    twice = _members(frames=2100, copies=("p3", "p5"), counts={"p3": 1050, "p5": 1050})
    assert Leak.of([twice]) == Leak((), 0)
    assert no_leak([twice]).outcome is Outcome.PASS
    assert "100 duplicates of video arrived at p3, p5" in str(twice)
    assert twice.order.kept is False
    leaking = _members(frames=2107, copies=("p3", "p5"), counts={"p3": 1050, "p5": 1050, "p4": 7})
    verdict = no_leak([leaking])
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured == "7, at p4"


def test_duplicates_that_are_counted_with_leaked_frames_leave_it_open() -> None:
    verdict = no_leak([_members(frames=2100, copies=("p3", "p5"), counts=None)])
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "100 more frames arrived than members are to get" in verdict.reason
