# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.targets.joined.clock_line import MOST_DRIFT, ClockStep, Exchange, clock_line

_SECOND = 10**9
_TRIP = st.integers(1_000, 2_000_000)  # one way, which need not be as long as the other
_EXCHANGES = st.lists(st.tuples(st.integers(0, 30 * _SECOND), _TRIP, _TRIP), min_size=1, max_size=12)


def _clock(at_ns: int, ahead_ns: int, drift: Fraction) -> Fraction:
    return at_ns + ahead_ns + drift * at_ns


def _exchange(asked_ns: int, there: int, back: int, ahead_ns: int, drift: Fraction) -> Exchange:
    read = _clock(asked_ns + there, ahead_ns, drift)
    return Exchange(asked_ns, round(read), asked_ns + there + back)


@given(
    _EXCHANGES,
    st.integers(-(10**15), 10**15),
    st.fractions(-MOST_DRIFT, MOST_DRIFT, max_denominator=10**7),
    st.integers(30 * _SECOND, 40 * _SECOND),
)
def test_the_truth_lies_within_the_bound(
    trips: list[tuple[int, int, int]], ahead_ns: int, drift: Fraction, at_ns: int
) -> None:
    line = clock_line([_exchange(*trip, ahead_ns, drift) for trip in trips], at_ns)
    assert abs(_clock(at_ns, ahead_ns, drift) - at_ns - line.ahead_ns) <= line.within_ns + 1
    assert abs(drift - line.drift) <= line.drift_within + Fraction(1, _SECOND)


@given(_TRIP, _TRIP)
def test_one_exchange_bounds_the_offset_by_half_of_its_round_trip(there: int, back: int) -> None:
    exchange = _exchange(0, there, back, 12_345, Fraction(0))
    line = clock_line([exchange], there + back)
    assert line.within_ns <= (there + back) / 2 * (1 + 2 * MOST_DRIFT) + 2


def test_a_better_exchange_narrows_the_bound() -> None:
    slow, fast = (
        _exchange(0, 900_000, 100_000, 7, Fraction(0)),
        _exchange(_SECOND, 20_000, 20_000, 7, Fraction(0)),
    )
    assert clock_line([slow], 2 * _SECOND).within_ns > 1_000_000
    assert clock_line([slow, fast], 2 * _SECOND).within_ns < 600_000


@pytest.mark.parametrize("seed", range(100))
def test_a_step_of_a_millisecond_is_seen(seed: int) -> None:
    numbers = random.Random(seed)
    drift = Fraction(numbers.randint(-100, 100), 10**6)
    exchanges = [
        _exchange(
            second * _SECOND // 4,
            numbers.randint(20_000, 100_000),
            numbers.randint(20_000, 100_000),
            0 if second < 8 else 1_000_000,
            drift,
        )
        for second in range(12)
    ]
    clock_line(exchanges[:8], 3 * _SECOND)
    with pytest.raises(ClockStep):
        clock_line(exchanges, 3 * _SECOND)


@pytest.mark.parametrize("seed", range(100))
def test_a_drift_of_50_ppm_is_bounded(seed: int) -> None:
    numbers = random.Random(seed)
    drift = Fraction(numbers.choice((-50, 50)), 10**6)
    exchanges = [
        _exchange(
            second * _SECOND, numbers.randint(20_000, 100_000), numbers.randint(20_000, 100_000), 0, drift
        )
        for second in range(10)
    ]
    line = clock_line(exchanges, 10 * _SECOND)
    assert abs(line.drift - drift) <= line.drift_within < Fraction(20, 10**6)
    assert (line.drift > 0) == (drift > 0)
    assert abs(line.ahead_ns - drift * 10 * _SECOND) <= line.within_ns < 200_000


def test_without_an_exchange_nothing_is_known() -> None:
    with pytest.raises(ValueError, match="no exchange"):
        clock_line([], 0)
