# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.outage import Outage

MILLISECOND = 10**6


def test_known_answer() -> None:
    """RFC 6201 §4: 200 ms without a frame at 10,000 frames/s lose 2000, between arrivals 200.1 ms apart."""
    outage = Outage(5 * MILLISECOND, 205 * MILLISECOND + 100_000, 2000, Fraction(1, 100_000))
    assert (outage.by_time_ns, outage.by_loss_ns) == (200_100_000, 200 * MILLISECOND)
    assert outage.interval_ns == 100_000
    assert str(outage) == "200.1 ms by time, 200 ms by 2,000 lost frames"


@given(st.integers(1, 10**6), st.integers(0, 1000), st.integers(0, 10**6))
def test_both_ways_agree_within_an_interval_on_a_device_with_constant_delay(
    gap_ns: int, lost: int, delay_ns: int
) -> None:
    outage = Outage(delay_ns, delay_ns + (lost + 1) * gap_ns, lost, Fraction(1, gap_ns))
    assert outage.by_time_ns - outage.by_loss_ns == outage.interval_ns == gap_ns


def test_a_pause_that_lost_nothing() -> None:
    assert Outage(0, 700, 0, Fraction(1, 100)).by_loss_ns == 0
