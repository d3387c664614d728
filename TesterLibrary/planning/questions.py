# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets that a protocol about addresses has rows for: questions for the addresses it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.condition import Compare, Relation
from ..model.plan.planned_end import Accept
from ..model.protocol import Protocol, Row
from ..protocols.layout import Layout
from ..protocols.scope import layout_of

_WORD_BITS = 64  # of a range as a target compares it: a longer field has one value in the bits above
_Range = tuple[int, int]  # both ends inclusive


def questions(protocol: Protocol, parameters: Mapping[str, int]) -> Iterator[Accept]:
    """Fields by which every row that tests something knows its packets, as numbers or ranges of them.

    A row without tests is for whatever else arrives, and says nothing. Of a range of IPv6 addresses that is
    2^64 long, or crosses a multiple of it, nothing is said either: targets cannot compare with it.

    Args:
        protocol: One table of one state.
        parameters: Values of all its parameters.
    """
    layout = layout_of(protocol.stack)
    rows = [row for row in protocol.rows if row.event == "packet" and row.tests]
    ranges = [_ranges(row, layout, parameters) for row in rows]
    if not ranges:
        return
    for field in ranges[0]:
        if all(field in found for found in ranges):
            first = min(found[field][0] for found in ranges)
            last = max(found[field][1] for found in ranges)
            if first >> _WORD_BITS == last >> _WORD_BITS and 0 < last - first + 1 < 1 << _WORD_BITS:
                yield Accept(field, first, last - first + 1)


def _ranges(row: Row, layout: Layout, parameters: Mapping[str, int]) -> Mapping[str, _Range]:
    """Values that a row asks for, by field."""
    found: dict[str, _Range] = {}
    for test in row.tests:
        if not isinstance(test, Compare) or test.left.rest or not isinstance(test.left.first, str):
            continue
        field, place = test.left.first, layout.places.get(test.left.first)
        if place is None or not parameters.keys() >= set(test.right.names):
            continue
        value = test.right.value(parameters.__getitem__)
        first, last = found.get(field, (0, (1 << place.bits) - 1))
        if test.relation in (Relation.IS, Relation.AT_LEAST):
            first = max(first, value)
        if test.relation in (Relation.IS, Relation.AT_MOST):
            last = min(last, value)
        if test.relation in (Relation.IS, Relation.AT_LEAST, Relation.AT_MOST):
            found[field] = first, last
    return found
