# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.plan.edit import Distribution, PlannedEditor, RandomBits, RandomRange, Step, Values
from TesterLibrary.model.units.splitmix import splitmix64

WORD = st.integers(0, 2**64 - 1)


def test_splitmix64_gives_its_published_numbers() -> None:
    """Vigna's splitmix64.c with the state 1234567."""
    assert [splitmix64(1234567, k) for k in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_known_answers() -> None:
    assert [Step(10, -2, 3).value(i) for i in range(5)] == [10, 8, 6, 10, 8]
    assert [Values((5, 9)).value(i) for i in range(3)] == [5, 9, 5]
    down = PlannedEditor("IP.id", 144, 16, 2, Step(0, -1, 3))
    assert [down.value(k) for k in range(7)] == [0, 0, 0xFFFF, 0xFFFF, 0xFFFE, 0xFFFE, 0]
    assert (down.period, PlannedEditor("IP.id", 144, 16, 1, RandomBits(1, 0, 3)).period) == (6, None)


@given(WORD, WORD, WORD, st.integers(0, 10**6))
def test_random_bits_are_those_of_the_mask(seed: int, base: int, mask: int, index: int) -> None:
    value = RandomBits(seed, base, mask).value(index)
    assert (value ^ base) & ~mask == 0
    assert (value ^ splitmix64(seed, index)) & mask == 0


@given(WORD, st.integers(1, 2**63), st.integers(1, 50))
def test_a_ranged_random_follows_its_recurrence(seed: int, count: int, length: int) -> None:
    source = RandomRange(seed, 0, count)
    values = [source.value(i) for i in reversed(range(length))][::-1]  # in any order of asking
    steps = [(after - before) % count for before, after in pairwise([0, *values])]
    k = max(k for k in range(64) if 2**k <= count)
    assert steps == [splitmix64(seed, i) % 2**k % count for i in range(length)]


@given(WORD, st.lists(WORD, max_size=5), st.integers(0, 1000))
def test_a_distribution_takes_the_lowest_bound_that_is_not_below(
    seed: int, bounds: list[int], index: int
) -> None:
    cumulative = (*sorted(bounds), 2**64 - 1)
    drawn = splitmix64(seed, index)
    naive = next(j for j, bound in enumerate(cumulative) if drawn <= bound)
    assert Distribution(seed, tuple(range(len(cumulative))), cumulative).value(index) == naive


@pytest.mark.parametrize("count", [1, 5, 8, 1000])
def test_a_ranged_random_is_uniform(count: int) -> None:
    """Chi-squared over the values of 20,000, fixed seed; the 99.9 % point is about n + 4 sqrt(n) + 8."""
    source, drawn = RandomRange(7, 0, count), 20_000
    counts = [0] * count
    for index in range(drawn):
        counts[source.value(index)] += 1
    expected = drawn / count
    assert sum((c - expected) ** 2 / expected for c in counts) < count + 4 * count**0.5 + 8
