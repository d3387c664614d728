# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.histogram import bounds_of, index_of, percentile

values = st.integers(0, 2**48)


@pytest.mark.parametrize(
    ("value", "index"),
    [(0, 0), (1023, 1023), (1024, 1024), (1025, 1024), (2047, 1535), (2048, 1536), (2052, 1537)],
)
def test_known_buckets(value: int, index: int) -> None:
    assert index_of(value) == index


@given(values)
def test_the_formula_of_the_protocol(value: int) -> None:
    """counters.proto: bucket i holds (512 + i % 512) << s <= v < (513 + i % 512) << s, s = i / 512 - 1."""
    i = index_of(value)
    low, high = bounds_of(i)
    assert low <= value < high
    if i >= 1024:
        s = i // 512 - 1
        assert (low, high) == ((512 + i % 512) << s, (513 + i % 512) << s)
        assert (high - low) * 512 <= low


@given(st.integers(0, 60 * 512))
def test_buckets_follow_each_other(index: int) -> None:
    assert bounds_of(index)[1] == bounds_of(index + 1)[0]
    assert index_of(bounds_of(index)[0]) == index


@given(st.lists(values, min_size=1, max_size=50), st.floats(0.001, 100))
def test_a_percentile_is_the_nearest_rank_within_a_thousandth(data: list[int], percent: float) -> None:
    found = percentile(Counter(map(index_of, data)), percent)
    rank = max(1, -(-len(data) * percent // 100))
    exact = sorted(data)[int(rank) - 1]
    assert found == pytest.approx(exact, rel=0.001)


@pytest.mark.parametrize("percent", [0, -1, 100.1])
def test_no_such_percentile(percent: float) -> None:
    with pytest.raises(ValueError, match="is not a percentile"):
        percentile({1: 1}, percent)


def test_nothing_recorded() -> None:
    with pytest.raises(ValueError, match="no value was recorded"):
        percentile({}, 50)
