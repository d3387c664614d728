# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a query to the entries of a switch's tables (p4/controls/queries.p4), or refuses it.

Its keys are known before (HyperTester §5.2): the filter says which values they may have, and each combination
of them has an entry, whose counter is its row. So nothing is estimated, and no key is without room. What an
engine finds and the parser of a switch does not, packets behind two tags, IP options or extension headers, is
counted apart. Packets that arrive have other tables than those that leave; a query of both has one of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import prod

from ...errors import PlanError
from ...model.capture import Direction
from ...model.plan.planned_query import (
    Placed,
    PlacedFact,
    PlacedField,
    PlannedQuery,
    PlannedTest,
    QueryPart,
)
from ...model.query import Fact, Function
from ...protocols.values import MaskedNumbers, complement
from ..lengths import TAGS
from ..presence import EXTENSIONS
from .chip import PORT_MASK
from .match_action import Ternary, cover
from .query_keys import KEYS, KeyField
from .resources import QUERY_ROWS

COMPARED = (  # of which docs/queries.md has a table
    *("Ether.dst", "Ether.src", "Ether.type", "VLAN.prio", "VLAN.dei", "VLAN.vlan", "VLAN.type"),
    *("ARP.op", "ARP.psrc", "ARP.pdst"),
    *("IP.ihl", "IP.tos", "IP.len", "IP.flags", "IP.frag", "IP.ttl", "IP.proto", "IP.src", "IP.dst"),
    *("IPv6.tc", "IPv6.nh", "IPv6.hlim", "ICMP.type", "ICMP.code", "UDP.sport", "UDP.dport"),
    *("TCP.sport", "TCP.dport", "TCP.reserved", "TCP.flags"),
)


RECEIVED_ONLY = {"Ether.src": "ether_src"}  # and their keys: that of what leaves has no room for more


_HEADERS = {
    (QueryPart.FRAME, 0, 0): "ether",
    (QueryPart.TAG, 0, 0): "vlan",
    (QueryPart.NETWORK, 0x0806, 0): "arp",
    (QueryPart.NETWORK, 0x0800, 0): "ipv4",
    (QueryPart.NETWORK, 0x86DD, 0): "ipv6",
    (QueryPart.TRANSPORT, 0x0800, 1): "icmp",
    (QueryPart.TRANSPORT, 0, 6): "tcp",
    (QueryPart.TRANSPORT, 0, 17): "udp",
}
_LENGTH, _PORT = PlacedFact(Fact.LENGTH), PlacedFact(Fact.PORT)
# Bytes before the Ethernet header of a frame that leaves: of a test, of the driver, a reply.
_WORN = (0, 1, 2)
_LINK, _NETWORK = {"ether", "vlan"}, {"arp", "ipv4", "ipv6"}
_PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}
_OPTIONS = ((6, 0xE), (8, 8))  # more than five words in the header of IPv4

_Key = Mapping[str, tuple[int, int]]  # value and mask, by the key's field


class Counts(Enum):
    """The meaning of an entry's counter. Entries are tried in this order."""

    ROW = 0  # packets with these keys
    UNREAD = 1  # packets that may have been meant, whose headers the parser does not reach
    OTHERS = 2  # all other packets of the port


@dataclass(frozen=True)
class QueryEntry:
    """An entry of a query's table. Those with the same keys are of one row."""

    direction: Direction  # received or transmitted: the table
    match: tuple[Ternary, ...]
    counts: Counts
    keys: bytes = b""
    worn: int = 0  # bytes of each packet in its counter that are not on the wire


@dataclass(frozen=True)
class _Asked:
    """A field that a query asks for, and the numbers that its filter leaves."""

    header: str
    first: int
    placed: PlacedField
    numbers: MaskedNumbers
    compared: tuple[KeyField, ...]

    @property
    def choices(self) -> Sequence[tuple[int, int]]:
        """Values and masks that cover the numbers."""
        return cover(self.numbers)

    def key(self, value: int, mask: int) -> _Key:
        """The fields of the table's key that hold this number under a mask."""
        found, bits = {}, self.numbers.bits
        for key in self.compared:
            begin, end = max(self.first, key.first), min(self.first + bits, key.first + key.bits)
            if key.header == self.header and begin < end:
                right, left = self.first + bits - end, key.first + key.bits - end
                part = (1 << end - begin) - 1
                found[key.name] = (value >> right & part) << left, (mask >> right & part) << left
        return found


def query_entries(
    planned: PlannedQuery, ports: Mapping[str, int], order: Sequence[str], streams: Sequence[int] = ()
) -> tuple[QueryEntry, ...]:
    """The entries of a query, those of a table first that are tried first.

    Args:
        planned: The query.
        ports: Device ports of the tester's ports.
        order: Their names, in the order in which the query numbers them.
        streams: The numbers of those of its streams that are loaded.

    Raises:
        PlanError: a switch cannot count it exactly; it says which part, which resource and what to change.
    """
    return tuple(
        entry
        for direction in directions(planned)
        for entry in _Lowering(planned, ports, order, streams, direction).entries()
    )


def directions(planned: PlannedQuery) -> tuple[Direction, ...]:
    """The directions of a query, each of which has a table."""
    if planned.direction is Direction.BOTH:
        return Direction.RECEIVED, Direction.TRANSMITTED
    return (planned.direction,)


class _Lowering:
    """Lowers one query to a table."""

    def __init__(
        self,
        planned: PlannedQuery,
        ports: Mapping[str, int],
        order: Sequence[str],
        streams: Sequence[int],
        direction: Direction,
    ) -> None:
        self._planned, self._query, self._direction = planned, planned.query, direction
        self._leaves = direction is Direction.TRANSMITTED
        self._compared = tuple(
            key for key in KEYS if not (self._leaves and key.name in RECEIVED_ONLY.values())
        )
        self._check()
        self._whose = self._stream_keys(streams)
        asked = [key.operand for key in planned.keys] + [test.operand for test in planned.tests]
        self._fields = {
            placed: self._asked(placed) for placed in dict.fromkeys(asked) if isinstance(placed, PlacedField)
        }
        self._headers = {field.header for field in self._fields.values()}
        # A frame that leaves is parsed behind labels of MPLS, where no query looks.
        self._plain: _Key = {"mpls_valid": (0, 1)} if self._leaves and self._headers - _LINK else {}
        self._worn = self._worn_keys()
        self._all = {ports[name]: order.index(name) for name in planned.ports or ports}
        passing = _numbers_of([test for test in planned.tests if test.operand == _PORT], 64, 0)
        self._ports = {port: number for port, number in self._all.items() if _has(passing, number)}

    def entries(self) -> tuple[QueryEntry, ...]:
        """All entries, within the table's size."""
        self._check_keys()
        needed = len(self._all) + len(self._ports) * self._needed_at_a_port()
        if needed > QUERY_ROWS:
            thrice, instead = ("", "") if len(self._worn) == 1 else _OF_SUMS
            raise self._refused(
                f"entries of a query: {needed:,} needed, {QUERY_ROWS:,} there, {needed - QUERY_ROWS:,} too "
                f"many (for the values that its filter leaves{thrice}, and for headers that a switch does "
                f"not reach); let fewer values pass,{instead} or use a testerd"
            )
        unread = (QueryEntry(self._direction, _match(key), Counts.UNREAD) for key in self._unread())
        others = (QueryEntry(self._direction, _match(self._at(port)), Counts.OTHERS) for port in self._all)
        return (*self._rows(), *unread, *others)

    def _stream_keys(self, streams: Sequence[int]) -> Sequence[_Key]:
        """Keys of the streams whose frames are looked at."""
        if self._query.foreign:
            return [{"measured": (0, 1)}]
        if self._query.streams:
            return [{"measured": (1, 1), "stream": (number, 0xFF)} for number in streams]
        return [{}]

    def _worn_keys(self) -> Mapping[int, _Key]:
        """Keys by what is taken off a sum. Frames of streams have a loop's header for that of Ethernet."""
        sums = self._leaves and self._planned.value is not None and not self._query.streams
        return {n: {"worn": (n, 3)} for n in _WORN} if sums else {0: {}}

    def _check(self) -> None:
        query, value = self._query, self._query.value
        if query.interval is not None:
            raise self._refused(
                f"interval={query.interval}: an interval is one more key, and nobody knows before how many "
                "there are; leave it out, or use a testerd"
            )
        if value and (value.operand is not Fact.LENGTH or query.function is not Function.SUM):
            raise self._refused(
                f"{query.function.value} of {value}: a counter of a switch sums up packets and bytes; take "
                "the sum of length, or use a testerd"
            )
        for key in self._planned.keys:
            if key.operand == _LENGTH:
                raise self._refused(f"keys={key.name}: {_NO_LENGTH}")
        if any(test.operand == _LENGTH for test in self._planned.tests):
            raise self._refused(f"filter={query.filter}: {_NO_LENGTH}")

    def _check_keys(self) -> None:
        """Refuses keys that the filter does not enumerate."""
        for key in self._planned.keys:
            if isinstance(key.operand, PlacedField):
                count = self._fields[key.operand].numbers.count
                if count > QUERY_ROWS:
                    raise self._refused(
                        f"keys={key.name}: its filter leaves {count:,} values, and a query has "
                        f"{QUERY_ROWS:,} entries on a switch, one for each key; exact counts of keys that "
                        "nobody knows before need a testerd. Name those that are meant, such as "
                        f"filter={key.name} == FIRST-LAST"
                    )

    def _asked(self, placed: PlacedField) -> _Asked:
        header = _HEADERS.get((placed.part, placed.ether_type, placed.protocol), "")
        shift, number = _shift(placed), int.from_bytes(placed.mask, "big")
        bits = number.bit_length() - shift
        first = 8 * (placed.offset + len(placed.mask)) - number.bit_length()
        numbers = _numbers_of([test for test in self._planned.tests if test.operand == placed], bits, shift)
        field = _Asked(header, first, placed, numbers, self._compared)
        reached = sum(mask.bit_count() for _, mask in field.key(0, (1 << bits) - 1).values())
        if reached < bits:
            compared = ", ".join(name for name in COMPARED if not (self._leaves and name in RECEIVED_ONLY))
            where = " of what it sends" if self._leaves else ""
            raise self._refused(
                f"{self._name(placed)}: a switch compares{where} {compared}; give these, or use a testerd"
            )
        return field

    def _name(self, placed: Placed) -> str:
        """The words of the author for what the table does not have."""
        keys = [key.name for key in self._planned.keys if key.operand == placed]
        return f"keys={keys[0]}" if keys else f"filter={self._query.filter}"

    def _needed_at_a_port(self) -> int:
        """Entries that a port needs at most beside that of all others. A stream may be loaded later."""
        keys = {key.operand for key in self._planned.keys}
        rows = prod(
            field.numbers.count if placed in keys else len(field.choices)
            for placed, field in self._fields.items()
        )
        unread = sum(
            prod(len(field.choices) for field in self._fields.values() if field.header in reached)
            for _, reached in self._unreached()
        )
        return max(1, len(self._whose)) * (rows * len(self._worn) + unread)

    def _rows(self) -> Iterator[QueryEntry]:
        """An entry for each combination of keys, of other values, of streams and of ports."""
        keys = {key.operand for key in self._planned.keys}
        placed = list(self._fields)
        choices = [
            [(number, -1) for number in field.numbers.each()] if one in keys else field.choices
            for one, field in self._fields.items()
        ]
        for (port, number), whose in product(self._ports.items(), self._whose):
            for chosen in product(*choices):
                values = dict(zip(placed, chosen, strict=True))
                key = self._joined({**self._at(port), **whose, **self._plain}, values)
                if key is not None:
                    of_row = self._keys_of(values, number)
                    for worn, within in self._worn.items():
                        yield QueryEntry(self._direction, _match({**key, **within}), Counts.ROW, of_row, worn)

    def _keys_of(self, values: Mapping[PlacedField, tuple[int, int]], port: int) -> bytes:
        """The keys of a row; of both directions of a connection the lesser ones."""
        parts = [
            (values[key.operand][0] << _shift(key.operand)).to_bytes(len(key.operand.mask), "big")
            if isinstance(key.operand, PlacedField)
            else port.to_bytes(len(key.operand.mask), "big")
            for key in self._planned.keys
        ]
        opposite = [parts[key.opposite] for key in self._planned.keys]
        return min(b"".join(parts), b"".join(opposite)) if self._query.symmetric else b"".join(parts)

    def _unread(self) -> Iterator[_Key]:
        """Keys of packets that the parser does not reach the end of, if what it reaches passes the filter."""
        for begin, reached in self._unreached():
            readable = {p: field for p, field in self._fields.items() if field.header in reached}
            for port, whose in product(self._ports, self._whose):
                for chosen in product(*(field.choices for field in readable.values())):
                    values = dict(zip(readable, chosen, strict=True))
                    key = self._joined({**self._at(port), **whose, **self._plain, **begin}, values)
                    if key is not None:
                        yield key

    def _unreached(self) -> Iterator[tuple[_Key, set[str]]]:
        """Keys of such packets whatever the filter is, with the headers that the parser reaches."""
        if self._headers <= {"ether"}:
            return
        yield {"ether_type": (TAGS[1], 0xFFFF)}, {"ether"}  # the parser knows the first one, once
        if self._headers <= _LINK:
            return
        for tag in TAGS:
            yield {"vlan_valid": (1, 1), "vlan_type": (tag, 0xFFFF)}, _LINK
        for header in self._headers & _PROTOCOLS.keys():
            if not self._headers & (_NETWORK - {"ipv4"}):
                for value, mask in _OPTIONS:
                    begin = {"ipv4_valid": (1, 1), "ipv4_ihl": (value, mask), "ipv4_frag": (0, 0x1FFF)}
                    yield {**begin, "ipv4_proto": (_PROTOCOLS[header], 0xFF)}, _LINK | {"ipv4"}
            if not self._headers & {"arp", "ipv4", "icmp"}:
                for following in EXTENSIONS:
                    yield {"ipv6_valid": (1, 1), "ipv6_nh": (following, 0xFF)}, _LINK | {"ipv6"}

    def _joined(self, key: _Key, values: Mapping[PlacedField, tuple[int, int]]) -> _Key | None:
        """The key with these values; None where two parts of it exclude each other."""
        found = dict(key)
        for placed, (value, mask) in values.items():
            field = self._fields[placed]
            valid = {} if field.header == "ether" else {f"{field.header}_valid": (1, 1)}
            for name, (own, under) in {**valid, **field.key(value, mask)}.items():
                before, masked = found.get(name, (0, 0))
                if (before ^ own) & masked & under:
                    return None
                found[name] = before | own, masked | under
        return found

    def _at(self, port: int) -> _Key:
        return {"egress_port" if self._leaves else "ingress_port": (port, PORT_MASK)}

    def _refused(self, why: str) -> PlanError:
        return self._query.refused(f"not on a switch: {why}")


_OF_SUMS = (  # of lengths of what leaves
    ", three for each because frames that leave wear different headers within the switch",
    " give streams, leave value out,",
)
_NO_LENGTH = "a switch compares no lengths of frames; take IP.len, or use a testerd"


def _match(key: _Key) -> tuple[Ternary, ...]:
    return tuple(Ternary(name, value, mask) for name, (value, mask) in key.items() if mask)


def _shift(placed: PlacedField) -> int:
    """Bits behind the lowest one that is meant."""
    mask = int.from_bytes(placed.mask, "big")
    return (mask & -mask).bit_length() - 1


def _numbers_of(tests: Iterable[PlannedTest], bits: int, shift: int) -> MaskedNumbers:
    """The numbers of an operand that pass these tests."""
    numbers = MaskedNumbers.all(bits)
    for test in tests:
        mask, value = (int.from_bytes(octets, "big") >> shift for octets in (test.mask, test.value))
        numbers &= _passing(test.relation, mask, value, bits)
    return numbers


def _passing(relation: str, mask: int, value: int, bits: int) -> MaskedNumbers:
    top = (1 << bits) - 1
    behind = top & ~mask  # where a mask is that of a network or of all bits, `behind` are those at its end
    if behind & behind + 1:
        return MaskedNumbers.masked(bits, mask, value)
    first, last = value, value | behind
    within = {
        "IS": [(first, last)],
        "NOT": list(complement([(first, last)], bits)),
        "BELOW": [(0, first - 1)],
        "AT_MOST": [(0, last)],
        "ABOVE": [(last + 1, top)],
        "AT_LEAST": [(first, top)],
    }[relation]
    return MaskedNumbers(bits, tuple((low, high) for low, high in within if low <= high))


def _has(numbers: MaskedNumbers, number: int) -> bool:
    return (numbers & MaskedNumbers.between(numbers.bits, number, number)).smallest() is not None
