# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Token buckets against sums done by hand, and against what no bucket can do."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.snapshot import DepartureCounters, StreamCounters, VersionCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.token_bucket import (
    Arrival,
    TokenBucket,
    arrivals_of,
    check_to_its_end,
    loss_as_predicted,
)
from TesterLibrary.model.departures import Poisson
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Bandwidth, Ratio
from TesterLibrary.verdict import Outcome

from ..planning.bench import compiled, stream

MICROSECOND = 1000
SIZE = 1000
SLOW = TokenBucket(Bandwidth.parse("4 Mbps"), burst=Octets(10_000), queue=Octets(10_000))
# 1,000 bytes take 1 ms.
BUCKET = TokenBucket(Bandwidth.parse("8 Mbps"), burst=Octets(3000), queue=Octets(2000))


def arrivals(*at_us: int, octets: int = SIZE) -> list[Arrival]:
    return [Arrival(at * MICROSECOND, octets) for at in at_us]


@pytest.mark.parametrize(
    ("at_us", "lost"),
    [
        ([0] * 5, []),  # three leave at once, two wait
        ([0] * 7, [5, 6]),  # there is no room for more
        ([0] * 5 + [999, 1000], [5]),  # room is there when the first of them has left
        ([0] * 5 + [1000, 2000, 3000], []),  # from then on one a millisecond
        ([0] * 5 + [1500, 1500, 2000], [6]),
        ([0] * 5 + [5000] * 5 + [5000], [10]),  # both have left after 2 ms: 3 ms fill the bucket again
        ([0] * 5 + [4000] * 5, [9]),  # 2 ms do not
        ([10**9] + [10**9] * 5, [5]),  # a full bucket does not become fuller
    ],
)
def test_frames_that_are_dropped(at_us: list[int], lost: list[int]) -> None:
    dropped = list(BUCKET.dropped(arrivals(*at_us)))
    assert [number for number, is_dropped in enumerate(dropped) if is_dropped] == lost


def test_frames_watched_are_the_last_ones() -> None:
    seven = arrivals(*[0] * 7)
    assert [BUCKET.lost(seven, watched) for watched in (0, 1, 2, 7)] == [0, 1, 2, 2]


def test_a_frame_that_is_longer_than_queue_or_bucket() -> None:
    assert list(BUCKET.dropped(arrivals(0, octets=2001))) == [True]
    with pytest.raises(PlanError, match="a frame of 3001 bytes never leaves a bucket of 3 kB"):
        list(replace(BUCKET, queue=Octets(9000)).dropped(arrivals(0, octets=3001)))


@given(
    gaps=st.lists(st.integers(0, 3000), min_size=1, max_size=60),
    octets=st.integers(1, 2000),
    queue=st.integers(2000, 9000),
)
def test_no_more_gets_through_than_burst_queue_and_rate_allow_and_no_less(
    gaps: list[int], octets: int, queue: int
) -> None:
    times = [sum(gaps[: end + 1]) for end in range(len(gaps))]
    bucket = replace(BUCKET, queue=Octets(queue))
    dropped = bucket.dropped(arrivals(*times, octets=octets))
    passed = [time for time, lost in zip(times, dropped, strict=True) if not lost]
    for first, begin in enumerate(passed):
        for last, end in enumerate(passed[first:], first):
            assert (last - first + 1) * octets <= 3000 + queue + end - begin
    if len(passed) < len(times):
        assert len(passed) * octets > queue
    longer = replace(bucket, queue=Octets(queue + 1000))
    assert longer.lost(arrivals(*times, octets=octets), len(times)) <= len(times) - len(passed)


def test_the_queue_that_a_loss_looks_like() -> None:
    nine = arrivals(*[0] * 9)
    assert BUCKET.queue_that_lost(4, nine, 9) == Octets(2999)
    assert BUCKET.queue_that_lost(0, nine, 9) == Octets(9000)


def test_arrivals_are_when_frames_are_due_without_their_fcs() -> None:
    (planned,) = compiled(stream(frame_size="128", rate="4 kpps", shaping=Pattern((Stage(2, 3),)))).streams
    assert arrivals_of(planned, 3) == arrivals(0, 100, 500, octets=124)
    assert arrivals_of(planned, 3, Fraction(-1, 5)) == arrivals(0, 125, 625, octets=124)  # a fifth too slow
    (planned,) = compiled(stream(rate="4 kpps", shaping=Poisson())).streams
    with pytest.raises(PlanError, match="'north': its frames leave at random or as a file says"):
        arrivals_of(planned, 1)


def monitored(sent: int, lost: int, *objections: str) -> MonitoringResult:
    before, after = VersionCounters(), VersionCounters(tx_packets=sent, rx_packets=sent - lost)
    only = StreamInterval.between("north", before, after, 10**9)
    interval = Interval(1, 0, 10**9, 0, (only,), ())
    return MonitoringResult("north", (), 10**9, Method.VERSION, "", (interval,), objections)


def sent(planned: PlannedStream, **counted: Any) -> StreamResult:
    """A trial that sent 200 frames of a stream as it is planned."""
    counters = StreamCounters(1, **{"tx_packets": 200, "last_tx_ns": 10**9} | counted)
    rate, law = planned.frames_per_second, str(planned.departures)
    return StreamResult("north", "p1", "p2", round(planned.frame_size), rate, counters, planned.mix, law=law)


@pytest.mark.parametrize(
    ("lost", "objections", "outcome", "text"),
    [
        (100, (), Outcome.PASS, "is 100 of 200 frames, required 100 within 1 %"),
        (101, (), Outcome.PASS, ""),
        (99, (), Outcome.PASS, ""),
        (102, (), Outcome.FAIL, "is 102 of 200 frames, as behind a queue of"),
        (98, (), Outcome.FAIL, "as behind a queue of"),
        (0, (), Outcome.FAIL, "is 0 of 200 frames, required"),
        (102, ("late",), Outcome.INCONCLUSIVE, "late"),
    ],
)
def test_as_many_are_lost_as_predicted(
    lost: int, objections: tuple[str, ...], outcome: Outcome, text: str
) -> None:
    # 200 frames of 1,000 bytes within 0.2 ms: the bucket holds 60 and the queue 40 of them.
    (planned,) = compiled(stream(frame_size="1004", rate="9 Gbps")).streams
    bucket = TokenBucket(Bandwidth.parse("8 kbps"), burst=Octets(60_000), queue=Octets(40_000))
    verdict = loss_as_predicted(
        monitored(200, lost, *objections), planned, sent(planned), bucket, Ratio.parse("1 %")
    )
    assert (verdict.outcome, text in str(verdict)) == (outcome, True), str(verdict)


@pytest.mark.parametrize(
    ("error", "lost", "outcome"),
    [
        (Fraction(0), 81, Outcome.PASS),
        (Fraction(0), 70, Outcome.FAIL),
        (Fraction(-1, 10), 81, Outcome.INCONCLUSIVE),  # 199 ms if it paused, 221 ms if each gap was longer
        (Fraction(-1, 10), 70, Outcome.INCONCLUSIVE),
        (Fraction(-1, 10), 69, Outcome.FAIL),
        (Fraction(-1, 10), 82, Outcome.FAIL),
        (Fraction(-1, 10**4), 81, Outcome.PASS),
    ],
)
def test_a_rate_that_is_off_is_not_the_devices(error: Fraction, lost: int, outcome: Outcome) -> None:
    (planned,) = compiled(stream(frame_size="1004", rate="1 kpps")).streams
    result = replace(sent(planned), rate_error=error)
    found = loss_as_predicted(monitored(200, lost), planned, result, SLOW, Ratio.parse("1 %"))
    assert found.outcome is outcome, str(found)


@pytest.mark.parametrize(
    ("late_us", "gap_us", "lost", "outcome"),
    [
        (0, 0, 81, Outcome.PASS),
        (100, 0, 81, Outcome.INCONCLUSIVE),  # 50 bytes of 1,000: a frame may wait for its last token
        (5000, 0, 81, Outcome.INCONCLUSIVE),  # 2,500 bytes: three frames, 78 to 84
        (0, 5000, 81, Outcome.INCONCLUSIVE),
        (5000, 0, 78, Outcome.INCONCLUSIVE),
        (5000, 0, 77, Outcome.FAIL),
        (5000, 0, 74, Outcome.FAIL),
        (5000, 0, 88, Outcome.FAIL),
        (60_000, 0, 150, Outcome.INCONCLUSIVE),  # more than the queue holds
    ],
)
def test_frames_that_left_late_at_the_right_rate_are_not_the_devices(
    late_us: int, gap_us: int, lost: int, outcome: Outcome
) -> None:
    (planned,) = compiled(stream(frame_size="1004", rate="1 kpps")).streams
    gaps = DepartureCounters(199, 0, gap_us * MICROSECOND, {})
    result = sent(planned, worst_lateness_ns=late_us * MICROSECOND, departures=gaps)
    found = loss_as_predicted(monitored(200, lost), planned, result, SLOW, Ratio.parse("1 %"))
    assert found.outcome is outcome, str(found)


def test_of_frames_of_several_sizes_nobody_knows_which_fit_when_they_are_late() -> None:
    mixed = replace(stream(rate="1 kpps"), frame_size=parse_frame_sizes("imix"))
    (planned,) = compiled(mixed).streams
    found = {}
    for late_ns in (0, MICROSECOND):
        result = replace(
            sent(planned, worst_lateness_ns=late_ns), sizes=planned.mix, frame_size=round(planned.frame_size)
        )
        bucket = replace(SLOW, rate=Bandwidth.parse("40 Mbps"))
        found[late_ns] = loss_as_predicted(monitored(200, 0), planned, result, bucket, Ratio.parse("1 %"))
    assert found[0].outcome is Outcome.PASS
    assert "0 to 200 were to be lost, by when each left: send frames of one size" in found[MICROSECOND].reason


def test_lateness_matters_less_than_a_part_of_what_is_lost() -> None:
    (planned,) = compiled(stream(frame_size="1004", rate="1 kpps")).streams
    late = sent(planned, worst_lateness_ns=100 * MICROSECOND)
    for within, outcome in (("0", Outcome.INCONCLUSIVE), ("2 %", Outcome.PASS)):
        found = loss_as_predicted(monitored(200, 81), planned, late, SLOW, Ratio.parse(within))
        assert found.outcome is outcome, str(found)


def test_the_last_token_may_come_just_before_a_late_frame() -> None:
    """The fifth of five at once is dropped, and the sixth, unless it comes when the fourth has left."""
    bucket = replace(BUCKET, queue=Octets(1000))
    assert bucket.lost(arrivals(*[0] * 5, 942), 6) == 2
    assert bucket.lost(arrivals(*[0] * 5, 1000), 6) == 1
    assert bucket.reached_late(58 * MICROSECOND, SIZE)[1].lost(arrivals(*[0] * 5, 942), 6) <= 1


@given(data=st.data(), queue=st.integers(0, 5000), late_us=st.integers(0, 4000))
def test_frames_that_come_late_lose_as_many_as_is_said(data: st.DataObject, queue: int, late_us: int) -> None:
    gaps = data.draw(st.lists(st.integers(0, 3000), min_size=1, max_size=40))
    n, due = len(gaps), list(accumulate(gaps))
    late = data.draw(st.lists(st.integers(0, late_us), min_size=n, max_size=n))
    came = accumulate((at + by for at, by in zip(due, late, strict=True)), max)
    bucket = replace(BUCKET, queue=Octets(queue))
    most, least = (each.lost(arrivals(*due), n) for each in bucket.reached_late(late_us * MICROSECOND, SIZE))
    assert least <= bucket.lost(arrivals(*came), n) <= most


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"shaping": Pattern((Stage(2, 3),))}, ".*, 1,000/s, evenly spaced, and now it is .* pass 2 skip 3;"),
        ({"rate": "2 kpps"}, "frames of 1004 bytes, 1,000/s, evenly spaced, and now it is .*, 2,000/s,"),
        ({"frame_size": "128"}, "frames of 1004 bytes, .*, and now it is frames of 128 bytes, 1,000/s,"),
    ],
)
def test_a_stream_that_was_changed_after_its_trial_is_not_judged_by_its_new_pattern(
    change: dict[str, Any], says: str
) -> None:
    (planned,) = compiled(stream(frame_size="1004", rate="1 kpps")).streams
    (later,) = compiled(stream(**{"frame_size": "1004", "rate": "1 kpps"} | change)).streams
    with pytest.raises(PlanError, match=f"stream 'north' was changed: the trial sent {says}"):
        loss_as_predicted(monitored(200, 81), later, sent(planned), SLOW, Ratio.parse("1 %"))


def trial_of(frames: int, last_ns: int) -> StreamResult:
    counters = StreamCounters(1, tx_packets=frames, first_tx_ns=1, last_tx_ns=last_ns)
    return StreamResult("north", "p1", "p2", 1004, Fraction(1000), counters)


def test_what_was_monitored_are_the_last_frames_of_the_trial() -> None:
    """An interval of a second from 0 on, as asked for: the last departure may be in the one behind it."""
    check_to_its_end(monitored(200, 0), trial_of(200, 2 * 10**9))
    earlier = monitored(200, 0)
    (interval,) = earlier.intervals
    later = replace(earlier, intervals=(replace(interval, start_ns=2 * 10**9, end_ns=3 * 10**9),))
    for seen, other in (
        (earlier, trial_of(300, 2 * 10**9 + 1)),
        (earlier, trial_of(199, 10**9)),
        (later, trial_of(300, 10**9 - 1)),
    ):
        with pytest.raises(PlanError, match=r"200 frames, which are not the last ones of the (300|199) of"):
            check_to_its_end(seen, other)
