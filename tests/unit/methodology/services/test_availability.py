# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Availability (ITU-T Y.1563), and the seconds that intervals of any length come to."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.methodology.services.availability import ServiceSeconds, availability, seconds_of
from TesterLibrary.model.units.units import Duration

SECOND = Duration(10**9)
MS = 10**6


def intervals(ends_ms: Iterable[int], out_ms: range, again: int | None = 0) -> list[Interval]:
    """Intervals that end then, of a frame each millisecond, none of which arrives during an outage."""
    found, start = [], 0
    for number, end in enumerate(ends_ms, start=1):
        lost = max(0, min(end, out_ms.stop) - max(start, out_ms.start))
        sent, arrived = end - start, end - start - lost
        delay = BlindDelay(Passages(sent), Passages(arrived), (end - start) * MS)
        stream = StreamInterval("video", sent, arrived, arrived * 64, delay, again)
        found.append(Interval(number, start * MS, end * MS, 0, (stream,)))
        start = end
    return found


def as_watched(out_ms: range, until_ms: int) -> list[int]:
    """The ends of the intervals as a monitor cuts them: after a second, or when it heard no more for 2 s."""
    ends, start = [], 0
    while start < until_ms:
        is_silent = out_ms.start < start < out_ms.stop
        end = start + 1005
        if is_silent:
            end = max(end, min(start + 2030, out_ms.stop + 20))
        ends.append(min(end, until_ms))
        start = end
    return ends


@given(st.lists(st.booleans(), max_size=80))
def test_availability_is_that_of_a_count_by_hand(severe: list[bool]) -> None:
    """Each second looks for itself at the runs of ten before it, and at the one that it is part of."""
    state, states = True, []
    for second in range(len(severe)):
        ahead = severe[second : second + 10]
        if len(ahead) == 10 and all(errored is state for errored in ahead):
            state = not state
        states.append(state)
    expected = Fraction(sum(states), len(states)) if states else Fraction(1)
    assert availability(severe) == expected


def test_intervals_that_copies_leave_open_bound_the_availability() -> None:
    known = ServiceSeconds("video", (*[True] * 9, None, *[False] * 10))
    assert known.availability_bounds == (Fraction(1, 2), Fraction(1))


@pytest.mark.parametrize("begin_ms", [*range(5000, 6100, 130)])
def test_an_outage_of_ten_seconds_or_more_is_found_however_long_its_intervals_were(begin_ms: int) -> None:
    for duration_ms in (10_000, 10_400, 12_000):
        out = range(begin_ms, begin_ms + duration_ms)
        seconds = seconds_of("video", intervals(as_watched(out, 40_000), out), SECOND)
        assert len(seconds.severe) == pytest.approx(40, abs=1)
        least, most = seconds.availability_bounds
        assert 1 - most == pytest.approx(duration_ms / 40_000, abs=1 / 39), (least, most)


@pytest.mark.parametrize("begin_ms", [*range(5000, 6100, 130)])
def test_a_shorter_outage_is_none(begin_ms: int) -> None:
    out = range(begin_ms, begin_ms + 8900)
    seconds = seconds_of("video", intervals(as_watched(out, 40_000), out), SECOND)
    assert seconds.availability_bounds == (1, 1)
    assert sum(known is True for known in seconds.severe) in (8, 9)


def test_seconds_of_a_long_interval_that_lost_a_part_are_open() -> None:
    watched = intervals([1000, 4000, 5000], range(2000, 3000))
    assert seconds_of("video", watched, SECOND).severe == (False, None, None, None, False)


def test_a_rest_is_no_second_of_its_own() -> None:
    assert (
        seconds_of("video", intervals([1000, 2000, 2003], range(2000, 2003)), SECOND).severe == (False,) * 2
    )
    assert seconds_of("video", intervals([300], range(300)), SECOND).severe == (True,)
    assert seconds_of("other", intervals([300], range(300)), SECOND).severe == ()


def test_where_copies_are_not_counted_severe_seconds_are_open() -> None:
    assert seconds_of("video", intervals([1000], range(400), None), SECOND).severe == (None,)
