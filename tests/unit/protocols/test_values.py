# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.planning.switch.match_action import cover
from TesterLibrary.protocols.values import MaskedNumbers

BITS = 6
NUMBERS = st.integers(0, 2**BITS - 1)
SETS = st.one_of(
    st.builds(lambda a, b: MaskedNumbers.between(BITS, a, b), NUMBERS, NUMBERS),
    st.builds(lambda mask, value: MaskedNumbers.masked(BITS, mask, value), NUMBERS, NUMBERS),
)
BOTH = st.builds(lambda a, b: a & b, SETS, SETS)


def members(values: MaskedNumbers) -> set[int]:
    """The numbers in a set, found by trying every number."""
    return {
        number
        for number in range(2**BITS)
        if number & values.mask == values.value and any(a <= number <= b for a, b in values.intervals)
    }


@given(BOTH, BOTH)
def test_sets_are_what_they_contain(one: MaskedNumbers, other: MaskedNumbers) -> None:
    assert members(one & other) == members(one) & members(other)
    assert one.smallest() == min(members(one), default=None)
    assert one.within(other) == (members(one) <= members(other))


@given(st.builds(lambda a, b: MaskedNumbers.between(BITS, a, b), NUMBERS, NUMBERS), st.integers(-100, 100))
def test_shifting_goes_round(values: MaskedNumbers, by: int) -> None:
    assert members(values.shifted(by)) == {(number + by) % 2**BITS for number in members(values)}


@given(BOTH)
def test_entries_cover_a_set_exactly(values: MaskedNumbers) -> None:
    covered = {n for n in range(2**BITS) for value, mask in cover(values) if n & mask == value & mask}
    assert covered == members(values)
