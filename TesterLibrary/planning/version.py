# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where frames carry the bit that says in which interval they left (norma §6.1).

In IPv4 it is the highest bit of the identification, which means nothing in a datagram that is no fragment
(RFC 6864 §4.1). In IPv6 it is the highest bit of the flow label, which routers leave as it is (RFC 6437 §3).
"""

from __future__ import annotations

from dataclasses import replace

from ..model.edit import Checksum, ChecksumKind, Coverage
from ..model.plan import PlannedStream, Version

_TAGS = (b"\x81\x00", b"\x88\xa8", b"\x91\x00")  # VLAN tags, of 4 bytes each
_ETHER_TYPE = 12  # bytes before it in a frame without tags
_IDENTIFICATION = 4  # bytes from the begin of the IPv4 header
_HEADER_CHECKSUM = 10
_FLOW_LABEL_BIT = 12  # from the begin of the IPv6 header


def with_version(stream: PlannedStream) -> PlannedStream:
    """The stream with a version bit in its outermost IP header; as it is where that has none to spare.

    There is none in frames without such a header, or where an author's value or an editor has taken the bit.
    """
    if not stream.frames:
        return stream
    header, ether_type = _network_header(stream.frames[0])
    if ether_type == b"\x08\x00":
        checksum = Checksum(ChecksumKind.INTERNET, header + _HEADER_CHECKSUM)
        return _at(stream, (header + _IDENTIFICATION) * 8, (checksum,))
    if ether_type == b"\x86\xdd":
        return _at(stream, header * 8 + _FLOW_LABEL_BIT, ())
    return stream


def _network_header(frame: bytes) -> tuple[int, bytes]:
    """Where it begins, and the type that says what it is."""
    place = _ETHER_TYPE
    while frame[place : place + 2] in _TAGS:
        place += 4
    return place + 2, frame[place : place + 2]


def _at(stream: PlannedStream, bit: int, covered: tuple[Checksum, ...]) -> PlannedStream:
    taken = any(editor.bit_offset <= bit < editor.bit_offset + editor.bits for editor in stream.editors)
    if taken or any(frame[bit // 8] & 0x80 >> bit % 8 for frame in stream.frames):
        return stream
    checksums = tuple(dict.fromkeys((*stream.checksums, *covered)))
    coverage = tuple(Coverage(checksums.index(checksum), 1) for checksum in covered)
    return replace(stream, version=Version(bit, coverage), checksums=checksums)
