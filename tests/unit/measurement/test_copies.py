# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies, late frames and silence at the start: what `make truth` found to make verdicts false."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.measurement.learning import LearningTrial
from TesterLibrary.measurement.order import Order
from TesterLibrary.measurement.snapshot import (
    LatencyCounters,
    OutageCounters,
    StreamCounters,
    VersionCounters,
)
from TesterLibrary.methodology.learning import LearningResult, learning_rate_above
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.methodology.order import reordering_below
from TesterLibrary.methodology.outage import outage_below
from TesterLibrary.methodology.verdicts.judging import throughput_above
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import order_counters, stream_counters
from tests.unit.methodology.measured import trial

MS = 10**6


def counted(received: int, **counts: object) -> StreamCounters:
    """100 frames, 1 ms apart, that take 1 ms each."""
    given = {
        "tx_packets": 100,
        "first_tx_ns": 1000 * MS,
        "last_tx_ns": 1099 * MS,
        "rx_packets": received,
        "first_rx_ns": 1001 * MS,
        "last_rx_ns": 1100 * MS,
        "latency": LatencyCounters(received, received * MS, MS, MS),
        "order": order_counters(100),
    }
    return stream_counters(1, **(given | counts))


def outage(counters: StreamCounters, bound_ms: int) -> Outcome:
    return outage_below([trial(counters)], Duration(bound_ms * MS)).outcome


def test_copies_are_no_frames_received_in_the_ratio_of_reordering() -> None:
    copied = counted(200, order=order_counters(100, 100), rx_out_of_order=10)
    assert Order(sent=100, received=200, duplicated=100, reordered=10).ratio == Fraction(1, 10)
    assert reordering_below([trial(copied)], Ratio.parse("6 %")).outcome is Outcome.FAIL


def test_a_frame_that_came_too_late_may_hide_a_loss() -> None:
    order = Order(sent=100, received=100, duplicated=2, reordered=8, late=3)
    assert order.loss_bounds == (2, 5)
    assert order.lost is None
    assert order.ratio_bounds == (Fraction(5, 98), Fraction(8, 95))


def test_copies_that_are_not_told_from_overtaken_frames_leave_the_throughput_open() -> None:
    order = replace(order_counters(100, behind=50), duplicated=None, late=None)
    verdict = throughput_above(trial(counted(90, order=order)), Rate.parse("60 pps"))
    assert verdict.outcome is Outcome.INCONCLUSIVE


def test_frames_missing_before_the_first_arrival_are_an_outage() -> None:
    cold = counted(60, first_rx_ns=1041 * MS)
    assert outage(cold, 30) is Outcome.FAIL
    assert outage(cold, 41) is Outcome.PASS
    assert outage(cold, 0) is Outcome.FAIL


def test_nobody_knows_how_long_an_outage_is_that_is_not_over() -> None:
    longest = OutageCounters(1, 21 * MS, 20, 21 * MS, 1020 * MS, 20)
    last_five = counted(75, outages=longest, order=order_counters(95))
    assert outage(last_five, 500) is Outcome.INCONCLUSIVE
    assert outage(last_five, 20) is Outcome.FAIL
    assert outage(counted(80, outages=longest), 500) is Outcome.PASS
    last_forty = counted(60, order=order_counters(60))
    assert outage(last_forty, 40) is Outcome.INCONCLUSIVE
    assert outage(last_forty, 39) is Outcome.FAIL


def test_a_copy_within_an_outage_does_not_shorten_it() -> None:
    """20 frames are missing; a copy that came in the middle made two silences of them."""
    halves = counted(
        81,
        outages=OutageCounters(1, 11 * MS, 20, 11 * MS, 1030 * MS, 20),
        order=order_counters(100, 1, behind=1),
    )
    assert outage(halves, 12) is Outcome.FAIL
    assert outage(halves, 21) is Outcome.PASS


def test_frames_that_were_only_overtaken_are_no_outage() -> None:
    slow = counted(
        99,
        outages=OutageCounters(1, 50 * MS, 49, 50 * MS, 1030 * MS, 49),
        order=order_counters(100, behind=49),
        rx_out_of_order=49,
    )
    assert outage(slow, 20) is Outcome.INCONCLUSIVE
    assert outage(slow, 50) is Outcome.PASS


def test_outages_of_frames_without_numbers_are_not_known() -> None:
    unsigned = counted(90, order=order_counters(0), latency=LatencyCounters())
    assert trial(unsigned).streams[0].outage_bounds is None
    assert outage(unsigned, 5) is Outcome.INCONCLUSIVE


def test_a_stream_without_an_arrival_is_dark_without_end() -> None:
    nothing = counted(0, order=order_counters(0), latency=LatencyCounters(), first_rx_ns=0, last_rx_ns=0)
    assert trial(nothing).streams[0].outage_bounds == (inf, inf)


def test_copies_do_not_hide_the_loss_of_an_interval() -> None:
    after = VersionCounters(100, 6400, 0, 100, 6400, 0)
    for again, outcome in ((0, Outcome.PASS), (10, Outcome.INCONCLUSIVE), (None, Outcome.INCONCLUSIVE)):
        stream = StreamInterval.between("north", VersionCounters(), after, MS, again=again)
        found = MonitoringResult("north", (), MS, Method.VERSION, "", (Interval(1, 0, MS, 0, (stream,)),))
        assert found.verdict_below(Ratio.parse("5 %")).outcome is outcome
        assert found.verdict_below(Ratio.parse("100 %")).outcome is Outcome.PASS


def test_the_time_between_two_probes_leaves_a_learning_rate_open() -> None:
    result = LearningResult("table", (), LearningTrial(100, 100, 5000.0, 10**9, 10**8))
    asked = {90: Outcome.PASS, 100: Outcome.PASS, 105: Outcome.INCONCLUSIVE, 120: Outcome.FAIL}
    for rate, outcome in asked.items():
        assert learning_rate_above(result, Frequency(Fraction(rate))).outcome is outcome
