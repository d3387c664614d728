# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header fields that the fake's device changes, and the tester's counters of those that are expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from ...measurement.snapshot import FieldCounters, FieldExampleCounters
from ...model.plan.plan import PlannedField, PlannedStream
from ...model.units.units import Ratio

_ALL = Ratio(Fraction(1))


@dataclass(frozen=True)
class FakeChange:
    """A header field to which a path adds a number, in a part of the frames, evenly spread."""

    field: str  # `IP.ttl`
    add: int
    part: Ratio = _ALL


def compared(
    stream: PlannedStream, changes: Iterable[FakeChange], arrived: int, phase: Fraction
) -> tuple[FieldCounters, ...]:
    """The counters of a stream's expected fields, after so many frames have arrived whole.

    `phase` decides which frames are changed.
    """
    by_field = {change.field: change for change in changes}
    return tuple(
        _compared(field, field.value(stream.frame), by_field.get(str(field.expected.path)), arrived, phase)
        for field in stream.expected_fields
    )


def _compared(
    field: PlannedField, sent: int, change: FakeChange | None, arrived: int, phase: Fraction
) -> FieldCounters:
    part = change.part.value if change else Fraction(0)
    changed = floor(phase + arrived * part)
    value = (sent + (change.add if change else 0)) % (1 << field.bits)
    frames = {sent: arrived - changed}
    frames[value] = frames.get(value, 0) + changed
    wrong = {
        value: count for value, count in frames.items() if count and not field.relation.holds(value, sent)
    }
    first = floor((1 - phase) / part) if changed and sent not in wrong else 0
    return FieldCounters(
        field.name,
        compared=arrived,
        wrong=sum(wrong.values()),
        first_sequence=first if wrong else 0,
        examples=tuple(FieldExampleCounters(count, value, sent) for value, count in wrong.items()),
    )
