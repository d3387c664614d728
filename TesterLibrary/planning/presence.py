# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts about every packet that has a field, however malformed: the headers before it, and their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..model.plan.planned_query import Matcher, Placed, PlacedFact, PlacedField, QueryPart
from ..model.query import Fact
from ..model.units.units import FCS_LENGTH
from ..protocols.values import Interval, MaskedNumbers, complement
from .lengths import (
    DATA_OFFSET,
    ETHER_TYPE,
    ETHERNET_BYTES,
    HEADER_WORDS,
    IPV4,
    IPV6,
    LENGTH,
    NEXT_HEADER,
    PROTOCOL,
    TAG_TYPE,
    TAGS,
    TOTAL_LENGTH,
    UDP_LENGTH,
    too_short,
)

ARP = 0x0806
_IP = (IPV4, IPV6)
_FOLLOWING = {
    IPV4,
    ARP,
    IPV6,
    0x8847,
    0x8848,
}  # EtherTypes behind which no other network header is looked for
EXTENSIONS = (0, 43, 44, 60)  # of IPv6, behind which a transport header may follow
_BEHIND_NETWORK = (QueryPart.TRANSPORT, QueryPart.PAYLOAD)
_MOST_TAG_BYTES = 8  # of two tags
_PORT = PlacedFact(Fact.PORT)
_FRAGMENT = PlacedField(QueryPart.NETWORK, 6, b"\x1f\xff", IPV4)
_SOUND = {  # numbers without which nothing is looked for behind a header
    PlacedField(QueryPart.NETWORK, 0, b"\xf0", IPV4): [(0x40, 0x40)],  # IP.version
    HEADER_WORDS: [(5, 15)],
    PlacedField(QueryPart.NETWORK, 0, b"\xf0", IPV6): [(0x60, 0x60)],  # IPv6.version
    DATA_OFFSET: [(0x50, 0xF0)],
}
_SOUND_THROUGHOUT = {  # and those of packets that are sound throughout
    **_SOUND,
    TOTAL_LENGTH: [(20, 0xFFFF)],
    PlacedField(QueryPart.NETWORK, 6, b"\xe0", IPV4): [(n, n) for n in (0, 0x40, 0x80, 0xC0)],  # IP.flags
    _FRAGMENT: [(0, 0)],
    UDP_LENGTH: [(8, 0xFFFF)],
}


@dataclass(frozen=True)
class Presence:
    """The packets that a tester may see, malformed ones among them."""

    longest: int  # bytes of a frame without tags, FCS included
    ports: int
    matcher: Matcher

    def numbers(self, operand: Placed, present: Placed) -> Iterable[Interval]:
        """The numbers that an operand may be in packets that have `present`, which may be the same one."""
        if operand == LENGTH:
            return [(ETHERNET_BYTES + FCS_LENGTH, self.longest + _MOST_TAG_BYTES)]
        if operand == _PORT:
            return [(0, self.ports - 1)]
        mask = int.from_bytes(operand.mask, "big")
        if isinstance(present, PlacedFact) or not isinstance(operand, PlacedField):
            return [(0, mask)]
        announced = self._types(operand, present) or self._protocols(operand, present)
        if announced:
            return announced
        behind = present.part in _BEHIND_NETWORK
        if operand == _FRAGMENT and behind:
            return [(0, 0)]
        sound = _SOUND_THROUGHOUT if self._sound else _SOUND if behind else {}
        return sound.get(operand, [(0, mask)])

    def _types(self, operand: PlacedField, present: PlacedField) -> Iterable[Interval]:
        """The EtherTypes that announce `present`; empty for other operands."""
        if operand == ETHER_TYPE and present.part is QueryPart.TAG:
            return _each(TAGS)
        if operand in (ETHER_TYPE, TAG_TYPE) and (types := self._ether_types(present)):
            if self.matcher is Matcher.SWITCH:  # headers of its own may be before that of IP
                return complement(_each(_FOLLOWING.difference(types)), 16)
            return _each([*types, *TAGS])
        return ()

    def _protocols(self, operand: PlacedField, present: PlacedField) -> Iterable[Interval]:
        """The numbers of IP protocols that announce `present`; empty for other operands."""
        if operand == PROTOCOL and present.protocol:
            return _each([present.protocol])
        if operand == NEXT_HEADER and present.protocol:
            return _each([present.protocol, *(() if self._sound else EXTENSIONS)])
        return ()

    def too_short(self, numbers: Mapping[Placed, MaskedNumbers]) -> Placed | None:
        """The length that is too short for all operands together; None if none is. A switch asks for none."""
        return None if self.matcher is Matcher.SWITCH else too_short(numbers, sound=self._sound)

    def exclude(self, one: Placed, other: Placed) -> bool:
        """Whether no packet has both, as they are of headers that take each other's place."""
        types, others = self._ether_types(one), self._ether_types(other)
        if types and others and not set(types) & set(others):
            return True
        protocols = {operand.protocol for operand in (one, other) if isinstance(operand, PlacedField)} - {0}
        return len(protocols) > 1

    def _ether_types(self, present: Placed) -> Collection[int]:
        """The EtherTypes behind tags of packets that have an operand; none: any."""
        if isinstance(present, PlacedFact):
            return ()
        if present.ether_type:
            return (present.ether_type,)
        # The payload of a trigger is what follows the headers that it names, whichever they are.
        any_payload = self._sound and present.part is QueryPart.PAYLOAD
        return _IP if present.part in _BEHIND_NETWORK and not any_payload else ()

    @property
    def _sound(self) -> bool:
        return self.matcher is Matcher.TRIGGER


def _each(numbers: Iterable[int]) -> list[Interval]:
    return [(number, number) for number in sorted(numbers)]
