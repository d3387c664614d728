# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the bit of frames that says in which interval they left (norma §6.1).

In IPv4 it is the highest bit of the identification, which means nothing in a datagram that is no fragment
(RFC 6864 §4.1). In IPv6 it is the highest bit of the flow label, which routers leave as it is (RFC 6437 §3).
An author may choose any bit that is 0 in the headers and that no editor changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import PlanError
from ..model.plan.edit import Checksum, ChecksumKind, Coverage, PlannedEditor, Values
from ..model.plan.plan import PlannedStream, Version
from ..model.stream import VersionField
from .coverage import Checksums
from .editor import FieldChange
from .template import FramePlace, FrameTemplate

_TAGS = (b"\x81\x00", b"\x88\xa8", b"\x91\x00")  # VLAN tags, of 4 bytes each
_ETHER_TYPE = 12  # bytes before it in a frame without tags
_IDENTIFICATION = 4  # bytes from the start of the IPv4 header
_HEADER_CHECKSUM = 10
_FLOW_LABEL_BIT = 12  # from the start of the IPv6 header
_WORD = (1 << 64) - 1


def with_version(stream: PlannedStream) -> PlannedStream:
    """The stream with a version bit: the one chosen, or else one in its outermost IP header.

    The stream stays as it is if no bit is free: its frames have no such header, or the author's value, an
    editor or a field that is expected uses the bit, or the checksum that would follow it.
    """
    if not stream.frames or stream.version:
        return stream
    header, ether_type = _network_header(stream.frames[0])
    if ether_type == b"\x08\x00":
        checksum = Checksum(ChecksumKind.INTERNET, header + _HEADER_CHECKSUM)
        return _at(stream, (header + _IDENTIFICATION) * 8, (checksum,))
    if ether_type == b"\x86\xdd":
        return _at(stream, header * 8 + _FLOW_LABEL_BIT, ())
    return stream


def chosen_version(
    field: VersionField, template: FrameTemplate, checksums: Checksums, editors: Sequence[PlannedEditor]
) -> tuple[Version, FieldChange]:
    """The version bit that an author has chosen, and the values of the field in frames of both versions.

    Raises:
        PlanError: the field has no such bit, it is taken, or what follows from it cannot be kept right.
    """
    place = template.place(field.path)
    bit = place.bits - 1 if field.bit is None else field.bit
    if not 0 <= bit < place.bits:
        raise PlanError(
            f"bit {bit} is not in {field.path}, which has bits 0, the lowest, to {place.bits - 1}"
        )
    offset = place.bit_offset + place.bits - 1 - bit
    for editor in editors:
        if editor.bit_offset <= offset < editor.bit_offset + editor.bits:
            raise PlanError(f"{field.path} changes from frame to frame; choose a field that does not")
    before = place.of(template.frame)
    if before >> bit & 1:
        raise PlanError(
            f"bit {bit} of {field.path} is 1 in the headers ({before:#x}); "
            "it has to be 0 there, so give another value or choose another bit"
        )
    try:
        coverage = checksums.coverage(place, 1 << bit)
    except PlanError as problem:
        raise PlanError(f"{field.path}: {problem}") from None
    return Version(offset, coverage), _either(place, before, bit)


def _either(place: FramePlace, before: int, bit: int) -> FieldChange:
    """A change of the field between two values, with the bit 0 and with the bit 1."""
    both = (before, before | 1 << bit)
    return FieldChange(place, before, 1 << bit, lambda low: Values(tuple(v >> low & _WORD for v in both)))


def _network_header(frame: bytes) -> tuple[int, bytes]:
    """The start of the network header, and the EtherType that says what it is."""
    place = _ETHER_TYPE
    while frame[place : place + 2] in _TAGS:
        place += 4
    return place + 2, frame[place : place + 2]


def _at(stream: PlannedStream, bit: int, covered: tuple[Checksum, ...]) -> PlannedStream:
    places = [(bit, 1), *((8 * checksum.offset, 8 * checksum.size) for checksum in covered)]
    taken = any(editor.bit_offset <= bit < editor.bit_offset + editor.bits for editor in stream.editors)
    taken |= any(field.overlaps(*place) for field in stream.expected_fields for place in places)
    if taken or any(frame[bit // 8] & 0x80 >> bit % 8 for frame in stream.frames):
        return stream
    checksums = tuple(dict.fromkeys((*stream.checksums, *covered)))
    coverage = tuple(Coverage(checksums.index(checksum), 1) for checksum in covered)
    return replace(stream, version=Version(bit, coverage), checksums=checksums)
