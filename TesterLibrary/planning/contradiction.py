# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of a query that no packet meets: nothing would be counted, and `count == 0` would be a PASS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import PlanError
from ..model.planned_query import Placed, PlannedTest
from ..model.query import Condition


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
        if not _possible(int.from_bytes(operand.mask, "big"), [test for _, test in asked]):
            conditions = " and ".join(dict.fromkeys(str(condition) for condition, _ in asked))
            raise PlanError(f"no packet passes its filter: {conditions}; leave one out, or change it")


def _possible(whole: int, tests: Sequence[PlannedTest]) -> bool:
    """Whether a value may meet all tests. Between both ends, gaps that masks leave are not looked for."""
    least, most, ones, zeros = 0, whole, 0, 0
    excluded: set[int] = set()
    for test in tests:
        mask, value = (int.from_bytes(part, "big") for part in (test.mask, test.value))
        step = mask & -mask
        match test.relation:
            case "IS":
                ones, zeros = ones | value, zeros | (mask & ~value)
            case "NOT" if mask == whole:
                excluded.add(value)
            case "BELOW":
                most = min(most, value - step)
            case "AT_MOST":
                most = min(most, value)
            case "ABOVE":
                least = max(least, value + step)
            case "AT_LEAST":
                least = max(least, value)
    if ones & zeros:
        return False
    least, most = max(least, ones), min(most, whole & ~zeros)
    return least <= most and not (least == most and least in excluded)
