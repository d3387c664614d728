# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.departure import (
    GapError,
    achieved_rate,
    has_span,
    held_up,
    rate_error,
    sending_ns,
)
from TesterLibrary.measurement.snapshot import DepartureCounters, StreamCounters
from TesterLibrary.model.capture_totals import CaptureTotals
from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import Departures, Replay, Steady, even
from TesterLibrary.model.plan.random_law import Exponential, Random
from tests.counted import stream_counters

BURSTS = Departures(Steady(Fraction(1, 100), (Stage(4, 6),)))


def sent(packets: int, span: int, intended: int = 0) -> StreamCounters:
    counted = stream_counters(1, intended_packets=intended or packets, tx_packets=packets)
    return stream_counters(**{**vars(counted), "first_tx_ns": 5000, "last_tx_ns": 5000 + span})


def test_the_achieved_rate_is_between_the_first_and_the_last() -> None:
    assert achieved_rate(sent(11, 10_000)) == 10**6
    assert achieved_rate(sent(1, 0)) == achieved_rate(sent(0, 0)) == 0


def test_frames_take_as_many_gaps_as_they_are() -> None:
    """The last one, too, has a gap behind it: two frames at 10 pps take 0.2 s, and 0.1 s is between them."""
    assert sending_ns(even(Fraction(1, 100)), sent(2, 100)) == 200
    assert sending_ns(even(Fraction(1, 100)), sent(2, 104)) == 200, "as its law says"
    assert sending_ns(BURSTS, sent(4, 300)) == 400, "a burst as long as it takes"
    for departures in (Departures(Random(1, Exponential(100.0))), Departures(Replay("x")), None):
        assert sending_ns(departures, sent(3, 100)) == 150, "as it took"
    assert sending_ns(BURSTS, sent(1, 0)) is sending_ns(None, sent(2, 0)) is None


def test_bursts_are_no_error() -> None:
    """Six frames of 4 on, 6 off end 1,100 ns after the first; their average rate says 1,250 ns."""
    assert rate_error(BURSTS, sent(6, 1100)) == 0
    assert rate_error(BURSTS, sent(6, 1000)) == Fraction(1, 10)
    assert rate_error(even(Fraction(1, 100)), sent(11, 2000)) == Fraction(-1, 2)


def test_where_gaps_are_not_known_frames_are_counted() -> None:
    for departures in (Departures(Random(1, Exponential(100.0))), Departures(Replay("x")), None):
        assert rate_error(departures, sent(99, 10**6, intended=100)) == Fraction(-1, 100)


def test_captured_gaps_that_were_not_kept_are_an_error() -> None:
    """200 frames that a file has 1 s apart, 5e-7 times as long: 99.5 us."""
    captured = Departures(Replay("x", 5e-7, totals=CaptureTotals(200, 200 * 64, 199 * 10**9)))
    assert rate_error(captured, sent(200, 398_000)) == Fraction(-3, 4)
    assert (has_span(captured, sent(200, 398_000)), has_span(captured, sent(150, 398_000))) == (True, False)
    assert sending_ns(captured, sent(200, 398_000)) == 100_000
    fixed = Departures(Replay("x", None, Fraction(1, 1000)))
    assert rate_error(fixed, sent(11, 20_000)) == Fraction(-1, 2)


def test_nothing_is_no_error() -> None:
    assert rate_error(BURSTS, sent(1, 0)) == rate_error(None, sent(0, 0)) == 0


def test_gap_errors_of_streams_are_one_distribution() -> None:
    one = DepartureCounters(3, 30, 20, {5: 2, 20: 1})
    both = GapError.merged([one, DepartureCounters(1, 1000, 1000, {1000: 1})])
    assert (both.count, both.mean, both.p50, both.max) == (4, 257.5, 5, 1000)
    assert str(both) == "p50 5 ns p99 1 us max 1 us"
    assert str(GapError(DepartureCounters())) == "p50 - p99 - max -"


def test_frames_that_are_held_up_for_less_than_a_gap_come_alone() -> None:
    """At 100 frames/s a pause of 4 ms has two gaps that are wrong, and no two frames back to back."""
    gaps = DepartureCounters(99, 0, 0, {index_of(4_000_000): 20, index_of(25_000_000): 1})
    counted = stream_counters(1, tx_packets=100, worst_lateness_ns=4_000_000, departures=gaps)
    assert held_up(counted, Fraction(1, 10**7), 10**6) == 3  # in the 25 ms
    assert 10_500 <= held_up(counted, Fraction(1, 10**4), 10**6) < 10_520  # in all, at 100,000 frames/s
    assert held_up(stream_counters(1, worst_lateness_ns=25), Fraction(1, 10), 10**6) == 3
