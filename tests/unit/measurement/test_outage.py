# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.order import Order
from TesterLibrary.measurement.outage_bounds import Outage, outage_bounds, outages_of
from TesterLibrary.measurement.snapshot import (
    LatencyCounters,
    OutageCounters,
)
from TesterLibrary.measurement.stream_result import StreamResult
from tests.counted import order_counters, stream_counters

MILLISECOND = 10**6


def test_known_answer() -> None:
    """RFC 6201 §4: 200 ms without a frame at 10,000 frames/s lose 2000, between arrivals 200.1 ms apart."""
    outage = Outage(5 * MILLISECOND, 200_100_000, 2000, Fraction(1, 100_000))
    assert (outage.by_time_ns, outage.by_loss_ns) == (200_100_000, 200 * MILLISECOND)
    assert outage.interval_ns == 100_000
    assert str(outage) == "200.1 ms by time, 200 ms by 2,000 lost frames"


@given(st.integers(1, 10**6), st.integers(1, 1000), st.integers(0, 10**6))
def test_both_ways_agree_within_an_interval_on_a_device_with_constant_delay(
    gap_ns: int, lost: int, start_ns: int
) -> None:
    outage = Outage(start_ns, (lost + 1) * gap_ns, lost, Fraction(1, gap_ns))
    assert outage.by_time_ns - outage.by_loss_ns == outage.interval_ns == gap_ns


def test_there_is_none_without_a_lost_frame() -> None:
    result = StreamResult("north", "p1", "p2", 64, Fraction(1000), stream_counters(1, tx_packets=5))
    result = replace(result, counters=replace(result.counters, rx_packets=5, order=order_counters(5)))
    assert result.outages == ()
    found = replace(result.counters, rx_packets=3, outages=OutageCounters(1, 10**6, 2, 10**6, 77, 2))
    assert replace(result, counters=found).outages == (Outage(77, 10**6, 2, Fraction(1, 10**6)),)


def test_a_tester_that_does_not_count_outages_knows_of_one_only_that_nothing_was_lost() -> None:
    counted = stream_counters(1, tx_packets=5, rx_packets=5, order=order_counters(5), outages=None)
    result = StreamResult("north", "p1", "p2", 64, Fraction(1000), counted)
    assert result.outages == ()
    assert replace(result, counters=replace(counted, rx_packets=4)).outages is None


def test_one_that_does_not_end_lasts_as_long_as_frames_are_missing() -> None:
    result = StreamResult("north", "p1", "p2", 64, Fraction(1000), stream_counters(1))
    dark = replace(result.counters, first_tx_ns=500, tx_packets=3)
    assert replace(result, counters=dark).outages == (Outage(500, 3 * 10**6, 3, Fraction(1, 10**6), False),)
    cut = replace(
        dark, rx_packets=1, last_rx_ns=700, order=order_counters(1), latency=LatencyCounters(1, 200, 200, 200)
    )
    (outage,) = replace(result, counters=cut).outages or ()
    assert outage == Outage(700, 2 * 10**6, 2, Fraction(1, 10**6), False)
    assert str(outage).endswith("by 2 lost frames, not over when the traffic ended")


def test_what_is_missing_at_other_ports_of_a_broadcast_is_no_outage_at_its_first_port() -> None:
    """Ten frames of 300 missed another port, each by itself or all in a row."""
    counted = stream_counters(1, tx_packets=300, rx_packets=300, order=order_counters(300))
    order, rate = Order(300, 300, incomplete=10, most_incomplete=10), Fraction(1, MILLISECOND)
    assert outages_of(counted, order, rate) is None
    assert outage_bounds(counted, order, rate) == (MILLISECOND, 11 * MILLISECOND)
    complete = replace(order, incomplete=0, most_incomplete=0)
    assert (outages_of(counted, complete, rate), outage_bounds(counted, complete, rate)) == (
        (),
        (0, MILLISECOND),
    )


def test_an_outage_at_the_first_port_of_a_broadcast_may_have_been_longer_at_others() -> None:
    outages = OutageCounters(1, 4 * MILLISECOND, 3, 4 * MILLISECOND, 9, 3)
    counted = stream_counters(1, tx_packets=300, rx_packets=297, order=order_counters(300), outages=outages)
    order, rate = Order(300, 297, incomplete=0, most_incomplete=None), Fraction(1, MILLISECOND)
    assert [outage.lost for outage in outages_of(counted, order, rate) or ()] == [3]
    assert outage_bounds(counted, order, rate) == (4 * MILLISECOND, 301 * MILLISECOND)
