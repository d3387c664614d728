# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness.slope import sampled, slope, undisturbed


@given(rate=st.integers(1, 10**6), start=st.integers(0, 10**15), first=st.integers(0, 10**12))
def test_the_slope_of_a_line_is_its_rate(rate: int, start: int, first: int) -> None:
    samples = [(start + 10**6 * number, first + rate * number) for number in range(100)]
    assert slope(samples) == pytest.approx(rate / 10**6, rel=1e-9)


def test_what_lies_evenly_beside_the_line_does_not_count() -> None:
    samples = [(at, 5 * at + offset) for at in range(0, 1000, 10) for offset in (-2, 2)]
    assert slope(samples) == pytest.approx(5)


def test_samples_of_a_time_without_a_cpu_are_left_out() -> None:
    steady = [(at, 5 * at + at % 3) for at in range(0, 5000, 10)]
    late = [(at, count - 100 if at % 70 == 0 or at > 4900 else count) for at, count in steady]
    assert slope(undisturbed(steady)) == pytest.approx(5, rel=1e-6)
    assert slope(late) != pytest.approx(5, rel=1e-4)
    assert slope(undisturbed(late)) == pytest.approx(5, rel=1e-5)
    assert len(undisturbed(late)) == sum(a == b for a, b in zip(steady, late, strict=True))


def test_two_fifths_of_all_samples_may_be_far_behind() -> None:
    """A sender near its capacity that lost the CPU needs long to catch up."""
    line = [(at, 107 * at // 1000) for at in range(0, 10**10, 2 * 10**7)]
    owed = [max(0, 10_000_000 - 50_000 * number) for number in range(len(line))]
    late = [(at, count - behind) for (at, count), behind in zip(line, owed, strict=True)]
    assert slope(late) != pytest.approx(0.107, rel=1e-3)
    assert slope(undisturbed(late)) == pytest.approx(0.107, rel=1e-9)
    assert len(undisturbed(late)) == owed.count(0)


@pytest.mark.parametrize("samples", [[], [(1, 1)], [(1, 1), (1, 5)]])
def test_a_slope_needs_two_instants(samples: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="two instants"):
        slope(samples)


def test_counters_are_sampled_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: 100 + sum(slept))
    monkeypatch.setattr(time, "sleep", slept.append)
    numbers = iter(range(1000))
    left, right = sampled(lambda: ((next(numbers), 1), (0, 2)), 2.0, 0.5)
    assert left == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert right == [(0, 2)] * 4
