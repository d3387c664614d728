# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.interval import BY_VERSION, Interval, StreamInterval
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.token_bucket import TokenBucket, loss_as_predicted
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Bandwidth, Ratio
from TesterLibrary.verdict import Outcome, Verdict
from tests.approval import Approved
from tests.unit.planning.bench import compiled, stream

from .samples import LATE, SECOND, said


def buckets() -> Iterator[Verdict]:
    # 200 frames of 1,000 bytes at once: the bucket holds 60 and the queue 40 of them
    (planned,) = compiled(stream(frame_size="1004", rate="9 Gbps")).streams
    bucket = TokenBucket(Bandwidth.parse("8 kbps"), burst=Octets(60_000), queue=Octets(40_000))

    def watched(lost: int, again: int | None = 0, objections: tuple[str, ...] = ()) -> MonitoringResult:
        passed = BlindDelay(Passages(200), Passages(200 - lost), SECOND.ns)
        only = StreamInterval("north", 200, 200 - lost, 0, passed, again)
        interval = Interval(1, 0, SECOND.ns, 0, (only,))
        return MonitoringResult("north", (), SECOND.ns, Method.VERSION, "", (interval,), objections)

    counters = StreamCounters(1, tx_packets=200, last_tx_ns=SECOND.ns)
    rate = planned.frames_per_second
    sent = StreamResult("north", "p1", "p2", 1004, rate, counters, law=str(planned.departures))
    for found in (
        watched(100),
        watched(102),
        watched(0),
        watched(99, again=1),
        watched(99, again=3),
        watched(150, again=3),
        watched(100, again=None),
        watched(102, objections=LATE),
    ):
        yield loss_as_predicted(found, planned, sent, bucket, Ratio(Fraction(1, 100)))
    late = replace(sent, counters=replace(counters, worst_lateness_ns=10**9))
    slow = replace(bucket, rate=Bandwidth.parse("80 kbps"))
    yield loss_as_predicted(watched(100), planned, late, slow, Ratio(Fraction(1, 100)))


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("token_bucket", said(buckets))


def test_frames_that_versions_moved_are_not_lost_to_a_bucket() -> None:
    """The device writes over the versions of 10 frames, so they are missing in one interval."""
    (planned,) = compiled(stream(frame_size="1004", rate="1 kbps")).streams
    bucket = TokenBucket(Bandwidth.parse("8 Mbps"), burst=Octets(60_000), queue=Octets(40_000))

    def interval(number: int, received: int) -> Interval:
        passed = BlindDelay(Passages(200), Passages(received), SECOND.ns)
        only = StreamInterval("north", 200, received, 0, passed, None, BY_VERSION)
        return Interval(number, (number - 1) * SECOND.ns, number * SECOND.ns, 0, (only,))

    watched = (interval(1, 190), interval(2, 210))
    series = MonitoringResult("north", (), SECOND.ns, Method.VERSION, "", watched, unsigned=("north",))
    counters = StreamCounters(1, tx_packets=400, last_tx_ns=2 * SECOND.ns)
    rate = planned.frames_per_second
    sent = StreamResult("north", "p1", "p2", 1004, rate, counters, law=str(planned.departures))
    verdict = loss_as_predicted(series, planned, sent, bucket, Ratio(Fraction(1, 100)))
    assert verdict.outcome is Outcome.INCONCLUSIVE, verdict
    assert (series.lost, series.least_lost) == (10, 0)
