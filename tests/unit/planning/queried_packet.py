# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a frame that a query of an engine finds: engine/src/query/operand.h, inline/segment.cc."""

from __future__ import annotations

from dataclasses import dataclass

from TesterLibrary.model.plan.planned_query import Placed, PlacedFact, PlacedField, QueryPart
from TesterLibrary.model.query import Fact

_IPV4, _IPV6, _TAGS = 0x0800, 0x86DD, (0x8100, 0x88A8)
_FRAGMENT, _EXTENSIONS = 44, (0, 43, 60, 44)
_LEAST = {6: 20, 17: 8, 132: 12}


@dataclass
class _Segment:
    end: int
    link_end: int = 0
    ether_type: int = 0
    protocol: int = 0
    transport: int = 0
    payload: int | None = None  # of a packet of IP that is no later fragment


def found(frame: bytes, operand: Placed) -> bytes | None:
    """The bytes of an operand, without its mask; None where the frame has none."""
    if isinstance(operand, PlacedFact):
        return (len(frame) + 4).to_bytes(8, "big") if operand.fact is Fact.LENGTH else None
    segment = _segment(frame)
    if operand.ether_type not in (0, segment.ether_type) or operand.protocol not in (0, segment.protocol):
        return None
    begin, end = _extent(frame, segment, operand)
    at = begin + operand.offset
    return frame[at : at + len(operand.mask)] if at + len(operand.mask) <= end else None


def _extent(frame: bytes, segment: _Segment, operand: PlacedField) -> tuple[int, int]:
    if operand.part is QueryPart.FRAME:
        return 0, len(frame)
    if operand.part is QueryPart.TAG and segment.link_end > 14:
        return 14, 18
    if operand.part is QueryPart.NETWORK and segment.link_end:
        return segment.link_end, segment.end
    if operand.part is QueryPart.TRANSPORT and segment.transport:
        return segment.transport, segment.end
    if operand.part is QueryPart.PAYLOAD and segment.payload is not None:
        return segment.payload, segment.end
    return 0, 0


def _segment(frame: bytes) -> _Segment:
    segment, at = _Segment(len(frame)), 14
    if len(frame) < at:
        return segment
    while (ether_type := _word(frame, at - 2)) in _TAGS:
        at += 4
        if at > 22 or at > len(frame):
            return segment
    segment.link_end, segment.ether_type = at, ether_type
    if ether_type == _IPV4:
        _find_ipv4(frame, segment)
    if ether_type == _IPV6:
        _find_ipv6(frame, segment)
    return segment


def _find_ipv4(frame: bytes, segment: _Segment) -> None:
    at = segment.link_end
    if len(frame) < at + 20 or frame[at] >> 4 != 4:
        return
    header, total = 4 * (frame[at] & 15), _word(frame, at + 2)
    if header < 20 or total < header or at + total > len(frame):
        return
    segment.end, segment.protocol = at + total, frame[at + 9]
    if not _word(frame, at + 6) & 0x1FFF:
        _find_transport(frame, segment, at + header)


def _find_ipv6(frame: bytes, segment: _Segment) -> None:
    at = segment.link_end
    if len(frame) < at + 40 or frame[at] >> 4 != 6:
        return
    end, following = at + 40 + _word(frame, at + 4), frame[at + 6]
    if end > len(frame):
        return
    at += 40
    while following in _EXTENSIONS and at + 8 <= end:
        if following == _FRAGMENT and _word(frame, at + 2) >> 3:
            break
        octets = 8 if following == _FRAGMENT else 8 + 8 * frame[at + 1]
        if at + octets > end:
            break
        following, at = frame[at], at + octets
    segment.end, segment.protocol = end, following
    if following != _FRAGMENT:
        _find_transport(frame, segment, at)


def _find_transport(frame: bytes, segment: _Segment, at: int) -> None:
    room, segment.payload = segment.end - at, at
    if not room:
        return
    least = _LEAST.get(segment.protocol)
    header = 4 * (frame[at + 12] >> 4) if segment.protocol == 6 and room >= 20 else least
    if least is None:
        segment.transport = at
    elif header is not None and least <= header <= room:
        segment.transport, segment.payload = at, at + header


def _word(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 2], "big")
