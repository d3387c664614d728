# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness.slope import sampled, slope


@given(rate=st.integers(1, 10**6), start=st.integers(0, 10**15), first=st.integers(0, 10**12))
def test_the_slope_of_a_line_is_its_rate(rate: int, start: int, first: int) -> None:
    samples = [(start + 10**6 * number, first + rate * number) for number in range(100)]
    assert slope(samples) == pytest.approx(rate / 10**6, rel=1e-9)


def test_what_lies_evenly_beside_the_line_does_not_count() -> None:
    samples = [(at, 5 * at + offset) for at in range(0, 1000, 10) for offset in (-2, 2)]
    assert slope(samples) == pytest.approx(5)


@pytest.mark.parametrize("samples", [[], [(1, 1)], [(1, 1), (1, 5)]])
def test_a_slope_needs_two_instants(samples: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="two instants"):
        slope(samples)


def test_counters_are_sampled_side_by_side() -> None:
    numbers = iter(range(1000))
    left, right = sampled(lambda: ((next(numbers), 1), (0, 2)), 0.02, 0.001)
    assert len(left) == len(right) >= 2
    assert [at for at, _ in left] == list(range(len(left)))
