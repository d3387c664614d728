# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header fields that a tester compares in all frames that arrive: where they are, and what they are to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import PlanError, UnitError
from ..model.expected_field import ExpectedField, FieldRelation
from ..model.plan.plan import PlannedField, PlannedStream
from .template import FrameTemplate

MOST_FIELDS = 8  # of a stream
_MOST_BITS = 48


def expected_fields(
    fields: Sequence[ExpectedField], stream: PlannedStream, templates: Sequence[FrameTemplate]
) -> tuple[PlannedField, ...]:
    """The fields of a planned stream, as they lie in its frames.

    Raises:
        PlanError: naming stream and field: what was given, what is allowed.
    """
    if len(fields) > MOST_FIELDS:
        raise PlanError(
            f"stream {stream.name!r}: {len(fields)} fields are expected; at most {MOST_FIELDS} can be"
        )
    if not templates:
        raise PlanError(
            f"stream {stream.name!r}: {fields[0]}: it replays a file, whose headers are not known; verify "
            "the field in a capture"
        )
    if not stream.signature:
        raise PlanError(
            f"stream {stream.name!r}: {fields[0]}: frames without signature are not told apart, so nobody "
            "knows with which value one was sent; give signature=True, or verify the field in a capture"
        )
    try:
        return tuple(_planned(field, stream, templates[0]) for field in fields)
    except (PlanError, UnitError) as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None


def _planned(expected: ExpectedField, stream: PlannedStream, template: FrameTemplate) -> PlannedField:
    place = template.any_place(expected.path)
    if place.bits > _MOST_BITS:
        raise PlanError(
            f"{expected.path} has {place.bits} bits; fields of up to {_MOST_BITS} are compared in all "
            "frames, others can be verified in a capture"
        )
    relation = FieldRelation.read(expected, place.number)
    planned = PlannedField(expected, place.bit_offset, place.bits, relation)
    for name, *bits in _unknown(stream):
        if planned.overlaps(*bits):
            raise PlanError(
                f"{expected.path} holds {name}, so its value differs from frame to frame; verify it in a "
                "capture"
            )
    return planned


def _unknown(stream: PlannedStream) -> Iterator[tuple[str, int, int]]:
    """Bits that the tester changes as it sends: what they are, where, and how many."""
    if stream.version:
        yield "the version bit", stream.version.bit_offset, 1
    for checksum in stream.checksums:
        yield "a checksum that follows other fields", 8 * checksum.offset, 8 * checksum.size
