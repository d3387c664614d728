# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts about every packet that has a field: the headers before it, and the bytes that it takes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..model.planned_query import Placed, PlacedFact, PlacedField, QueryPart
from ..model.query import Fact
from ..model.units import FCS_LENGTH, MIN_FRAME_SIZE
from ..protocols.values import Interval, complement

IPV4, ARP, IPV6 = 0x0800, 0x0806, 0x86DD
_IP = (IPV4, IPV6)
_TAGS = (0x8100, 0x88A8)
_FOLLOWING = {
    IPV4,
    ARP,
    IPV6,
    0x8847,
    0x8848,
}  # EtherTypes behind which no other network header is looked for
_EXTENSIONS = (0, 43, 44, 60)  # of IPv6, behind which a transport header may follow
_MOST_TAG_BYTES = 8  # of two tags
_LEAST_BEFORE = {  # bytes of a frame before the begin of a part
    QueryPart.FRAME: 0,
    QueryPart.TAG: 14,
    QueryPart.NETWORK: 14,
    QueryPart.TRANSPORT: 34,
    QueryPart.PAYLOAD: 34,
}
LENGTH, _PORT = PlacedFact(Fact.LENGTH), PlacedFact(Fact.PORT)
_ETHER_TYPE = PlacedField(QueryPart.FRAME, 12, b"\xff\xff")
_TAG_TYPE = PlacedField(QueryPart.TAG, 2, b"\xff\xff")
_FRAGMENT = PlacedField(QueryPart.NETWORK, 6, b"\x1f\xff", IPV4)
_PROTOCOL = PlacedField(QueryPart.NETWORK, 9, b"\xff", IPV4)
_NEXT_HEADER = PlacedField(QueryPart.NETWORK, 6, b"\xff", IPV6)
_SOUND = {  # numbers without which a header is none
    PlacedField(QueryPart.NETWORK, 0, b"\xf0", IPV4): (0x40, 0x40),  # IP.version
    PlacedField(QueryPart.NETWORK, 0, b"\x0f", IPV4): (5, 15),  # IP.ihl
    PlacedField(QueryPart.NETWORK, 2, b"\xff\xff", IPV4): (20, 0xFFFF),  # IP.len
    PlacedField(QueryPart.NETWORK, 0, b"\xf0", IPV6): (0x60, 0x60),  # IPv6.version
    PlacedField(QueryPart.TRANSPORT, 12, b"\xf0", protocol=6): (0x50, 0xF0),  # TCP.dataofs
}


@dataclass(frozen=True)
class Presence:
    """The packets that a tester may see."""

    longest: int  # bytes of a frame without tags, FCS included
    ports: int

    def numbers(self, operand: Placed, present: Placed) -> Iterable[Interval]:
        """The numbers that an operand may be in packets that have `present`, which may be the same one."""
        if operand == LENGTH:
            return [(max(MIN_FRAME_SIZE, _end(present)), self.longest + _MOST_TAG_BYTES)]
        if operand == _PORT:
            return [(0, self.ports - 1)]
        mask = int.from_bytes(operand.mask, "big")
        if isinstance(present, PlacedFact) or not isinstance(operand, PlacedField):
            return [(0, mask)]
        if operand == _ETHER_TYPE and present.part is QueryPart.TAG:
            return _each(_TAGS)
        if operand in (_ETHER_TYPE, _TAG_TYPE) and (types := ether_types(present)):
            return complement(_each(_FOLLOWING.difference(types)), 16)
        if operand == _FRAGMENT and present.part in (QueryPart.TRANSPORT, QueryPart.PAYLOAD):
            return [(0, 0)]
        if operand == _PROTOCOL and present.protocol:
            return _each([present.protocol])
        if operand == _NEXT_HEADER and present.protocol:
            return _each([present.protocol, *_EXTENSIONS])
        return [_SOUND.get(operand, (0, mask))]


def ether_types(present: Placed) -> Collection[int]:
    """The EtherTypes behind tags of packets that have an operand; none: any."""
    if isinstance(present, PlacedFact):
        return ()
    if present.ether_type:
        return (present.ether_type,)
    return _IP if present.part in (QueryPart.TRANSPORT, QueryPart.PAYLOAD) else ()


def exclude(one: Placed, other: Placed) -> bool:
    """Whether no packet has both, as they are of headers that take each other's place."""
    types, others = ether_types(one), ether_types(other)
    if types and others and not set(types) & set(others):
        return True
    protocols = {operand.protocol for operand in (one, other) if isinstance(operand, PlacedField)} - {0}
    return len(protocols) > 1


def _end(present: Placed) -> int:
    """Bytes of the shortest frame that has an operand, FCS included."""
    if isinstance(present, PlacedFact):
        return 0
    return _LEAST_BEFORE[present.part] + present.offset + len(present.mask) + FCS_LENGTH


def _each(numbers: Iterable[int]) -> list[Interval]:
    return [(number, number) for number in sorted(numbers)]
