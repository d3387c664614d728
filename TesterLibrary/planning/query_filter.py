# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys that the filter of their query leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne

from ..model.plan.planned_query import PlannedKey, PlannedQuery, PlannedTest

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "IS": eq,
    "NOT": ne,
    "BELOW": lt,
    "AT_MOST": le,
    "ABOVE": gt,
    "AT_LEAST": ge,
}


def left_out(planned: PlannedQuery, octets: Sequence[bytes]) -> PlannedKey | None:
    """The first of a packet's keys that no packet of a query has; None if there may be one with all.

    Conditions on what is no key say nothing of keys. A query of both directions counts those of either one.
    """
    first = _left_out(planned, octets)
    if first is None or not planned.query.symmetric:
        return first
    back = [octets[key.opposite] for key in planned.keys]
    return first if _left_out(planned, back) else None


def _left_out(planned: PlannedQuery, octets: Sequence[bytes]) -> PlannedKey | None:
    for key, own in zip(planned.keys, octets, strict=True):
        if not all(holds(test, own) for test in planned.tests if test.operand == key.operand):
            return key
    return None


def holds(test: PlannedTest, octets: bytes) -> bool:
    """Whether a test holds for a value as it stands in a packet."""
    found, mask, value = (int.from_bytes(part, "big") for part in (octets, test.mask, test.value))
    return _COMPARISONS[test.relation](found & mask, value)
