# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies that come, that overtake others, and that are lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.targets.tofino.copies.copy_numbers import CopyNumbers

_WORD = 1 << 32


def came(numbers: CopyNumbers, *copies: int) -> list[bool]:
    return [numbers.came(copy % _WORD) for copy in copies]


def test_what_comes_in_order_is_due_and_nothing_is_missing() -> None:
    numbers = CopyNumbers(7)
    assert came(numbers, 7, 8, 9) == [True] * 3
    assert (numbers.due, numbers.lost, numbers.missing(10), numbers.missing(12)) == (3, 0, 0, 2)


def test_copies_before_the_first_one_and_the_same_once_more_are_none() -> None:
    numbers = CopyNumbers(7)
    assert came(numbers, 6, 7, 7, 9, 9, 6) == [False, True, False, True, False, False]
    assert numbers.due == 3


def test_one_that_is_overtaken_is_missing_until_it_comes() -> None:
    numbers = CopyNumbers(0)
    assert came(numbers, 0, 2, 3) == [True] * 3
    assert numbers.missing(4) == 1
    assert came(numbers, 1) == [True]
    numbers.settle(4)
    assert (numbers.due, numbers.lost) == (4, 0)


def test_what_is_given_up_is_lost_and_comes_no_more() -> None:
    numbers = CopyNumbers(0)
    came(numbers, 0, 2, 5)
    numbers.settle(4)
    assert (numbers.due, numbers.lost, numbers.missing(6)) == (6, 2, 1)
    assert came(numbers, 1, 3, 4) == [False, False, True]
    numbers.settle()
    assert (numbers.due, numbers.lost) == (6, 2)
    numbers.settle(4)
    assert (numbers.due, numbers.lost) == (6, 2), "no further back"


def test_numbers_go_on_beyond_their_32_bits() -> None:
    numbers = CopyNumbers(_WORD - 2)
    assert came(numbers, _WORD - 2, _WORD + 1, _WORD - 1) == [True] * 3
    assert numbers.missing(2) == 1
    numbers.settle(2)
    assert (numbers.due, numbers.lost) == (4, 1)


def test_so_many_overtake_none_but_a_lost_one() -> None:
    numbers = CopyNumbers(0)
    assert all(came(numbers, *range(1, 65_540)))
    assert numbers.lost == 1
    assert not numbers.came(0)


@given(st.lists(st.booleans(), max_size=60), st.randoms(use_true_random=False), st.integers(0, _WORD - 1))
def test_all_are_counted_once_whatever_comes_in_whatever_order(
    come: list[bool], draw: object, first: int
) -> None:
    copies = [first + place for place, one in enumerate(come) if one]
    draw.shuffle(copies)  # type: ignore[attr-defined]
    numbers = CopyNumbers(first)
    assert all(came(numbers, *copies))
    end = (first + len(come)) % _WORD
    assert numbers.missing(end) == come.count(False)
    numbers.settle(end)
    assert (numbers.due, numbers.lost, numbers.missing(end)) == (len(come), come.count(False), 0)
