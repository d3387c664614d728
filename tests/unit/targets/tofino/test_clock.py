# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of 32 bits of the streams of a run, which have to compare with each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.targets.tofino.reading.stream_times import SwitchClock

WORD = 1 << 32
TIMES = st.integers(0, 1 << 40)


@given(TIMES, st.integers(-(WORD // 2) + 10**6, WORD // 2 - 10**6), st.integers(-(10**6), 10**6))
def test_times_are_as_far_apart_as_they_are(first_ns: int, later_ns: int, off_ns: int) -> None:
    """The driver knows when each was, to a millisecond."""
    clock, started_ns = SwitchClock(), 5 * 10**9
    first = clock.unwrapped(first_ns % WORD, started_ns)
    other = clock.unwrapped((first_ns + later_ns) % WORD, started_ns + later_ns + off_ns)
    assert other - first == later_ns


def test_they_compare_where_one_has_wrapped() -> None:
    clock = SwitchClock()
    assert clock.unwrapped(WORD - 5, 100) == WORD - 5
    assert clock.unwrapped(3, 108) == WORD + 3
