# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether the lengths of frames and packets leave room for the bytes that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..model.plan.planned_query import Placed, PlacedFact, PlacedField, QueryPart
from ..model.query import Fact
from ..model.units.units import FCS_LENGTH
from ..protocols.values import MaskedNumbers, complement

IPV4, IPV6 = 0x0800, 0x86DD
TAGS = (0x8100, 0x88A8)
LENGTH = PlacedFact(Fact.LENGTH)
ETHER_TYPE = PlacedField(QueryPart.FRAME, 12, b"\xff\xff")
TAG_TYPE = PlacedField(QueryPart.TAG, 2, b"\xff\xff")
HEADER_WORDS = PlacedField(QueryPart.NETWORK, 0, b"\x0f", IPV4)
TOTAL_LENGTH = PlacedField(QueryPart.NETWORK, 2, b"\xff\xff", IPV4)
PROTOCOL = PlacedField(QueryPart.NETWORK, 9, b"\xff", IPV4)
PAYLOAD_LENGTH = PlacedField(QueryPart.NETWORK, 4, b"\xff\xff", IPV6)
NEXT_HEADER = PlacedField(QueryPart.NETWORK, 6, b"\xff", IPV6)
DATA_OFFSET = PlacedField(QueryPart.TRANSPORT, 12, b"\xf0", protocol=6)
UDP_LENGTH = PlacedField(QueryPart.TRANSPORT, 4, b"\xff\xff", protocol=17)

ETHERNET_BYTES = 14
_TAG_BYTES = 4
_EXTENSION_BYTES = 8  # at least
_TCP, _UDP, _SCTP = 6, 17, 132
_TRANSPORT_BYTES = {_TCP: 20, _UDP: 8, _SCTP: 12}  # at least, of those behind which the payload begins
_CUT_SHORT = (_UDP, _SCTP)  # with fewer bytes they are payload, as all is behind a TCP header without sense

Numbers = Mapping[Placed, MaskedNumbers]


def too_short(numbers: Numbers, *, sound: bool) -> Placed | None:
    """The length that is too short for all operands together; None if some packet has room for them.

    Lengths only add up, so each part is as short as its own numbers allow, and the frame holds them or none.

    Args:
        numbers: The numbers that are left of each operand, and of the length of the frame; none is empty.
        sound: Whether UDP has to say its own length, too.
    """
    ends = _ends(numbers)
    before = _link_bytes(numbers)
    if not ends.keys() & {QueryPart.TRANSPORT, QueryPart.PAYLOAD}:
        needed = max(
            ends.get(QueryPart.FRAME, 0),
            ETHERNET_BYTES + ends.get(QueryPart.TAG, -ETHERNET_BYTES),
            before + ends.get(QueryPart.NETWORK, -before),
        )
        return _frame(numbers, needed)
    problem: Placed | None = None  # none, too, where the payload of a trigger is behind another header
    for network in (_IPV4, _IPV6):
        if network.may_be(numbers):
            octets = network.bytes_of(numbers, ends, sound=sound)
            problem = network.length if octets is None else _frame(numbers, before + octets)
            if problem is None:
                return None
    return problem if problem is None or problem in numbers else LENGTH


def _ends(numbers: Iterable[Placed]) -> Mapping[QueryPart, int]:
    """The bytes that each part needs for its fields."""
    ends: dict[QueryPart, int] = {}
    for operand in numbers:
        if isinstance(operand, PlacedField):
            end = operand.offset + len(operand.mask)
            ends[operand.part] = max(end, ends.get(operand.part, 0))
    return ends


def _link_bytes(numbers: Numbers) -> int:
    """The bytes of Ethernet and its tags. The parts of a tag are those of the outermost one."""
    tags = any(isinstance(o, PlacedField) and o.part is QueryPart.TAG for o in numbers)
    if not tags and _has(numbers.get(ETHER_TYPE), complement(_TAG_TYPES, 16)):
        return ETHERNET_BYTES
    second = not _has(numbers.get(TAG_TYPE), complement(_TAG_TYPES, 16))
    return ETHERNET_BYTES + _TAG_BYTES * (1 + second)


def _frame(numbers: Numbers, needed: int) -> Placed | None:
    return None if _least(numbers, LENGTH, needed + FCS_LENGTH) is not None else LENGTH


@dataclass(frozen=True)
class _Network:
    """A version of IP, and where its packets say how long they are and what follows."""

    ether_type: int
    length: PlacedField
    following: PlacedField
    uncounted: int  # bytes of its header that the length leaves out

    def may_be(self, numbers: Numbers) -> bool:
        """Whether a packet with these operands may be of this version."""
        types = {operand.ether_type for operand in numbers if isinstance(operand, PlacedField)} - {0}
        possible = [*_TAG_TYPES, (self.ether_type, self.ether_type)]
        return types <= {self.ether_type} and all(
            _has(numbers.get(operand), possible) for operand in (ETHER_TYPE, TAG_TYPE)
        )

    def bytes_of(self, numbers: Numbers, ends: Mapping[QueryPart, int], *, sound: bool) -> int | None:
        """The fewest bytes of a packet; None where its own lengths say fewer."""
        protocol = next((o.protocol for o in numbers if isinstance(o, PlacedField) and o.protocol), 0)
        payload = ends.get(QueryPart.PAYLOAD, 0)
        before = self._before_payload(numbers, protocol, payload)
        needed = max(before + payload, ends.get(QueryPart.TRANSPORT, 0))
        behind = _least(numbers, UDP_LENGTH, needed) if protocol == _UDP and sound else needed
        if behind is None:
            return None
        least = _least(numbers, self.length, self._before_transport(numbers, protocol) + behind)
        return None if least is None else self.uncounted + least

    def _before_transport(self, numbers: Numbers, protocol: int) -> int:
        """The fewest bytes before the transport that its length counts: a header, or extensions of it."""
        if self.ether_type == IPV4:
            return 4 * (_least(numbers, HEADER_WORDS, 5) or 5)
        return 0 if not protocol or self._follows(numbers, protocol) else _EXTENSION_BYTES

    def _before_payload(self, numbers: Numbers, protocol: int, payload: int) -> int:
        """The fewest bytes of the transport's header before so many bytes of payload.

        Where no field of it is asked for, one that is cut short may be payload itself.
        """
        if protocol == _TCP:
            return (_least(numbers, DATA_OFFSET, _TRANSPORT_BYTES[_TCP] << 2) or 0) >> 2
        if protocol:
            return _TRANSPORT_BYTES.get(protocol, 0)
        long = [each for each in _CUT_SHORT if _TRANSPORT_BYTES[each] <= payload]
        if _has(numbers.get(self.following), complement(((each, each) for each in long), 8)):
            return 0
        return min(_TRANSPORT_BYTES[each] for each in long if self._follows(numbers, each))

    def _follows(self, numbers: Numbers, protocol: int) -> bool:
        return _has(numbers.get(self.following), [(protocol, protocol)])


_TAG_TYPES = tuple((number, number) for number in TAGS)
_IPV4 = _Network(IPV4, TOTAL_LENGTH, PROTOCOL, 0)
_IPV6 = _Network(IPV6, PAYLOAD_LENGTH, NEXT_HEADER, 40)


def _least(numbers: Numbers, operand: Placed, least: int) -> int | None:
    """The smallest number left of an operand that is not less; None if there is none."""
    left = numbers.get(operand)
    bits = 8 * len(operand.mask)
    if left is None:
        left = MaskedNumbers.all(bits)
    return (left & MaskedNumbers.between(bits, least, (1 << bits) - 1)).smallest()


def _has(left: MaskedNumbers | None, possible: Iterable[tuple[int, int]]) -> bool:
    """Whether one of these numbers is left of an operand; True where it is not asked for."""
    return left is None or (left & MaskedNumbers(left.bits, tuple(possible))).smallest() is not None
