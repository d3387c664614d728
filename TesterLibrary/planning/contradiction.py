# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of a query that no packet meets: nothing would be counted, and `count == 0` would be a PASS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import PlanError
from ..model.planned_query import Placed, PlannedTest
from ..model.query import Condition
from ..protocols.values import MaskedNumbers, complement


def check_possible(tested: Iterable[tuple[Condition, Sequence[PlannedTest]]]) -> None:
    """Refuses conditions on one operand that exclude each other, or one that no value meets.

    Args:
        tested: Each condition of a filter, with its tests.

    Raises:
        PlanError: there is no value for which all of them hold. It has the conditions.
    """
    by_operand: dict[Placed, list[tuple[Condition, PlannedTest]]] = {}
    for condition, tests in tested:
        for test in tests:
            by_operand.setdefault(test.operand, []).append((condition, test))
    for operand, asked in by_operand.items():
        whole, bits = int.from_bytes(operand.mask, "big"), 8 * len(operand.mask)
        if not _possible(whole, bits, [test for _, test in asked]):
            conditions = " and ".join(dict.fromkeys(str(condition) for condition, _ in asked))
            raise PlanError(f"no packet passes its filter: {conditions}; leave one out, or change it")


def _possible(whole: int, bits: int, tests: Iterable[PlannedTest]) -> bool:
    """Whether a value of an operand with that mask may meet all tests."""
    values = MaskedNumbers.masked(bits, ~whole & ((1 << bits) - 1), 0)
    for test in tests:
        values &= _meeting(test, whole, bits)
    return values.smallest() is not None


def _meeting(test: PlannedTest, whole: int, bits: int) -> MaskedNumbers:
    """The values that meet a test; all of them, where a mask has gaps, and another value is asked for."""
    mask, value = (int.from_bytes(part, "big") for part in (test.mask, test.value))
    top = (1 << bits) - 1
    match test.relation:
        case "IS":
            return MaskedNumbers.masked(bits, mask, value)
        case "NOT" if mask == 0:
            return MaskedNumbers(bits, ())  # no packet is outside of 0.0.0.0/0
        case "NOT":
            last = value | (whole & ~mask)
            if last - value < mask & -mask:  # one value, or a network
                return MaskedNumbers(bits, tuple(complement([(value, last)], bits)))
        case "BELOW":
            return MaskedNumbers.between(bits, 0, value - 1)
        case "AT_MOST":
            return MaskedNumbers.between(bits, 0, value)
        case "ABOVE":
            return MaskedNumbers.between(bits, value + 1, top)
        case "AT_LEAST":
            return MaskedNumbers.between(bits, value, top)
    return MaskedNumbers.all(bits)
