# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import UnitError
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.delays.latency import Figure, Latency
from TesterLibrary.measurement.delays.latency_error import LatencyError, PercentileError
from TesterLibrary.measurement.snapshot import LatencyCounters

samples = st.lists(st.integers(1, 10**9), max_size=30)


def counters(values: Iterable[int]) -> LatencyCounters:
    values = list(values)
    if not values:
        return LatencyCounters()
    return LatencyCounters(len(values), sum(values), min(values), max(values), Counter(map(index_of, values)))


@given(samples, samples, samples)
def test_streams_merge_as_if_they_were_one(a: list[int], b: list[int], c: list[int]) -> None:
    assert Latency.merged(Latency(counters(part)) for part in (a, b, c)) == Latency(counters([*a, *b, *c]))


@given(samples.filter(bool), st.floats(0.01, 100))
def test_no_percentile_leaves_the_exact_bounds(values: list[int], percent: float) -> None:
    latency = Latency(counters(values))
    found = latency.percentile(percent)
    assert found is not None
    assert min(values) <= found <= max(values)
    assert latency.percentile(100) == max(values)


def test_known_values() -> None:
    latency = Latency(counters(range(1, 101)))
    assert (latency.min, latency.mean, latency.max, latency.p50, latency.p99) == (1, 50.5, 100, 50, 99)
    assert latency.statistic("p99.9") == 100
    assert latency.statistic("mean") == 50.5
    assert str(Latency(counters([100, 1500]))) == "min 100 ns mean 800 ns p99 1.5 us max 1.5 us"


def test_nothing_received() -> None:
    latency = Latency(LatencyCounters())
    assert (latency.min, latency.mean, latency.max, latency.p50, latency.p99) == (None,) * 5
    assert str(latency) == "min - mean - p99 - max -"


@pytest.mark.parametrize("name", ["median", "p0", "p101", "99", "p"])
def test_an_unknown_statistic_is_refused(name: str) -> None:
    with pytest.raises(UnitError, match=f"'{name}' is not a statistic of latency"):
        Latency(counters([1])).statistic(name)


def test_variation_is_the_distance_from_the_minimum() -> None:
    latency = Latency(counters(range(101, 201)))
    assert latency.statistic("pdv99") == 98
    assert latency.statistic("pdv100") == 99
    assert Latency(LatencyCounters()).statistic("pdv99") is None


@given(samples, st.integers(0, 10**9))
def test_a_constant_is_taken_off_each_value(values: list[int], offset: int) -> None:
    shifted, exact = Latency(counters(values)).less(offset), [max(0, v - offset) for v in values]
    assert shifted.count == len(values)
    if values:
        assert (shifted.min, shifted.max) == (min(exact), max(exact))
        if min(values) >= offset:
            assert shifted.mean == pytest.approx(sum(exact) / len(exact))
        assert sum(shifted.counters.buckets.values()) == len(values)
        p50 = sorted(exact)[(len(exact) + 1) // 2 - 1]
        assert shifted.p50 == pytest.approx(p50, abs=max(values) / 500 + 1)


@given(samples.filter(bool), st.integers(0, 10**9), st.floats(0.01, 100))
def test_the_truth_lies_within_the_error_of_a_figure(values: list[int], offset: int, percent: float) -> None:
    latency = Latency(counters(values)).less(offset)
    exact = sorted(max(0, value - offset) for value in values)
    rank = next(k for k in range(1, len(exact) + 1) if k >= len(exact) * percent / 100)
    for figure, truth in (
        (latency.figure_at(percent), exact[rank - 1]),
        (latency.figure_at(percent, base=exact[0]), exact[rank - 1] - exact[0]),
        (latency.figure("min"), exact[0]),
        (latency.figure("max"), exact[-1]),
    ):
        assert figure is not None
        assert figure.least <= truth <= figure.most, truth
        assert figure.least <= figure.value <= figure.most


def test_what_is_exact_has_no_error() -> None:
    for name in ("min", "mean", "max", "p100"):
        figure = Latency(counters([1000, 5000, 20_000])).figure(name)
        assert figure is not None
        assert (figure.least, figure.most, figure.error) == (figure.value, figure.value, "")
    constant = Latency(counters([20_000] * 9)).figure("p99")
    assert constant is not None
    assert constant.least == constant.most == 20_000


def test_the_error_of_several_is_that_of_the_worst() -> None:
    values = [*range(10_000, 100_000, 1000)]
    switch = Latency(counters(values), LatencyError(PercentileError(Fraction(33, 1000))))
    figure = Latency.merged([Latency(counters(values)), switch]).figure("p50")
    assert figure is not None
    assert figure.error == "3.3 %"
    assert figure.most == pytest.approx(figure.value * 1.033)
    assert Latency(counters(values)).less(5000, 700).figure("max") == Figure(94_000, 93_300, 94_700, "700 ns")
