# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries as bytes, masks and numbers: where in a packet what is asked for is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Any

from ..errors import PlanError
from ..model.editor import FieldPath
from ..model.headers import HeaderStack
from ..model.plan.planned_query import (
    Matcher,
    Placed,
    PlacedFact,
    PlacedField,
    PlannedKey,
    PlannedQuery,
    PlannedTest,
    QueryPart,
)
from ..model.ports import Port
from ..model.query import Condition, Fact, Function, Operand, PayloadBytes, Query, Relation, operand_text
from ..wire.address import station_of
from ..wire.header_values import from_number
from ..wire.headers import Route, lay_out
from .anchor import ANCHORS, begin_of, bytes_of
from .contradiction import Demand, check_possible
from .lengths import IPV4, IPV6
from .presence import ARP, Presence
from .query_filter import left_out
from .template import FramePlace, FrameTemplate

MOST_KEY_BYTES = 40  # of all keys together: two IPv6 addresses, two ports, and a protocol
MOST_KEYS = 8
MOST_TESTS = 32
_LONGEST_NAME = 128
_MOST_COMPARED = 64  # bytes
_MOST_SUMMED_BITS = 32
_MOST_VALUE_BYTES = 8
_FACT_BYTES = 8
_NETWORK_TYPES = {0: 0, 4: IPV4, 6: IPV6}
_OPPOSITES = {"src": "dst", "sport": "dport", "psrc": "pdst", "hwsrc": "hwdst"}
_OPPOSITES |= {there: here for here, there in _OPPOSITES.items()}
_RELATIONS = {
    Relation.IS: "IS",
    Relation.NOT: "NOT",
    Relation.BELOW: "BELOW",
    Relation.AT_MOST: "AT_MOST",
    Relation.ABOVE: "ABOVE",
    Relation.AT_LEAST: "AT_LEAST",
}


@dataclass(frozen=True)
class _Header:
    """A header in any packet that has it."""

    stack: str
    part: QueryPart
    ether_type: int = 0
    protocol: int = 0


_HEADERS: Mapping[str, _Header] = {
    name: _Header(a.stack, QueryPart(a.part.value), _NETWORK_TYPES[a.ip_version], a.protocol)
    for name, a in ANCHORS.items()
} | {
    "VLAN": _Header("Ether / Dot1Q", QueryPart.TAG),
    "Dot1Q": _Header("Ether / Dot1Q", QueryPart.TAG),
    "ARP": _Header("Ether / ARP", QueryPart.NETWORK, ARP),
}


@dataclass(frozen=True)
class _Located:
    """An operand with its place, and what its values are."""

    placed: Placed
    place: FramePlace | None = None  # of a field of a header

    @property
    def shift(self) -> int:
        """Bits behind the lowest one that is meant."""
        mask = int.from_bytes(self.placed.mask, "big")
        return (mask & -mask).bit_length() - 1

    @property
    def bits(self) -> int:
        """Bits of its value."""
        return int.from_bytes(self.placed.mask, "big").bit_length() - self.shift

    def octets(self, number: int) -> bytes:
        """A value, as it stands in a packet."""
        return (number << self.shift).to_bytes(len(self.placed.mask), "big")

    def number(self, octets: bytes) -> int:
        """The inverse of `octets`."""
        return int.from_bytes(octets, "big") >> self.shift


def plan_query(
    query: Query, ports: Mapping[str, Port], order: Sequence[str], matcher: Matcher = Matcher.ENGINE
) -> PlannedQuery:
    """The plan of a query.

    Args:
        query: As its author wrote it.
        ports: The tester's ports by name.
        order: Their names, in the order in which the tester numbers them.
        matcher: The tester's.

    Raises:
        PlanError: no such port or field, a value that does not fit it, keys that are too wide, or conditions
            that no packet can meet.
    """
    try:
        return _Planner(query, ports, order, matcher).plan()
    except PlanError as problem:
        text = str(problem)
        raise problem if text.startswith(str(query.refused(""))) else query.refused(text) from None


class _Planner:
    """Plans one query."""

    def __init__(
        self, query: Query, ports: Mapping[str, Port], order: Sequence[str], matcher: Matcher
    ) -> None:
        self._query, self._ports, self._order, self._matcher = query, ports, order, matcher

    def plan(self) -> PlannedQuery:
        """The query with the places of all that it asks for."""
        query = self._query
        if query.port is not None and query.port not in self._ports:
            raise PlanError(f"port={query.port!r} is no port of this tester; it has {', '.join(self._ports)}")
        if len(query.name) > _LONGEST_NAME:
            raise PlanError(f"its name has {len(query.name)} characters; give at most {_LONGEST_NAME}")
        keys = [self._located(operand) for operand in query.keys.operands]
        self._check_keys(keys)
        value = self._located(query.value.operand) if query.value else None
        if value:
            self._check_value(value)
        tests = tuple(test for _, found in self.tested() for test in found)
        if len(tests) > MOST_TESTS:
            raise PlanError(f"its filter has {len(tests)} conditions; at most {MOST_TESTS}")
        return PlannedQuery(
            query=query,
            tests=tests,
            keys=tuple(
                PlannedKey(
                    operand=key.placed,
                    name=operand_text(operand),
                    opposite=self._opposite(index),
                    text=self._reader(key),
                    octets=self._writer(operand, key),
                )
                for index, (operand, key) in enumerate(zip(query.keys.operands, keys, strict=True))
            ),
            value=value.placed if value else None,
        )

    def _located(self, operand: Operand) -> _Located:
        if isinstance(operand, Fact):
            return _Located(PlacedFact(operand))
        if isinstance(operand, PayloadBytes):
            if operand.count > _MOST_COMPARED:
                raise PlanError(f"{operand} has {operand.count} bytes; at most {_MOST_COMPARED}")
            return _Located(PlacedField(QueryPart.PAYLOAD, operand.first, bytes([0xFF] * operand.count)))
        return self._field(operand)

    def _field(self, path: FieldPath) -> _Located:
        header = _HEADERS.get(path.header) if path.number == 1 else None
        if header is None:
            raise PlanError(
                f"{path}: a query finds fields of {', '.join(_HEADERS)} by itself, the outermost ones; take "
                "payload[first:behind] for bytes of others"
            )
        first = next(iter(self._ports.values()))
        station = station_of(first, self._ports)
        stack = HeaderStack.parse(header.stack)
        packet = lay_out(stack, Route(station, station, first.mac))
        template = FrameTemplate(stack, packet, b"", len(packet))
        place = template.any_place(path)
        begin, _, mask = bytes_of(place)
        offset = begin - begin_of(place, template)
        return _Located(PlacedField(header.part, offset, mask, header.ether_type, header.protocol), place)

    def _check_keys(self, keys: Sequence[_Located]) -> None:
        if len(keys) > MOST_KEYS:
            raise PlanError(f"{len(keys)} keys; at most {MOST_KEYS}")
        width = sum(len(key.placed.mask) for key in keys)
        if width > MOST_KEY_BYTES:
            raise PlanError(
                f"keys={self._query.keys} take {width} bytes, {width - MOST_KEY_BYTES} more than the "
                f"{MOST_KEY_BYTES} that a key can have; leave one out, or take fewer bytes of the payload"
            )

    def _check_value(self, value: _Located) -> None:
        if isinstance(value.placed, PlacedFact):
            return
        most = _MOST_SUMMED_BITS if self._query.function is Function.SUM else 8 * _MOST_VALUE_BYTES
        if value.bits > most or len(value.placed.mask) > _MOST_VALUE_BYTES:
            raise PlanError(
                f"{self._query.value} has {value.bits} bits, {value.bits - most} more than the {most} of "
                f"which a {self._query.function.value} is exact"
            )

    def _opposite(self, index: int) -> int:
        """The key that has this one's value in the other direction."""
        operands = self._query.keys.operands
        operand = operands[index]
        if not self._query.symmetric:
            return index
        if not any(isinstance(each, FieldPath) and each.field in _OPPOSITES for each in operands):
            raise PlanError(
                "symmetric=True needs keys of both ends of a connection, such as "
                "keys=IP.src,IP.dst,TCP.sport,TCP.dport"
            )
        if not isinstance(operand, FieldPath) or operand.field not in _OPPOSITES:
            return index
        wanted = replace(operand, field=_OPPOSITES[operand.field])
        if wanted not in operands:
            raise PlanError(f"symmetric=True needs {wanted} beside {operand}; give both as keys")
        return operands.index(wanted)

    def _reader(self, key: _Located) -> Callable[[bytes], str]:
        """A key as people read it."""
        placed, place = key.placed, key.place
        if isinstance(placed, PlacedFact):
            names = self._order if placed.fact is Fact.PORT else ()
            return lambda octets: _named(int.from_bytes(octets, "big"), names)
        if place is None:
            return lambda octets: f"0x{octets.hex()}"
        field = place.field
        return lambda octets: str(from_number(field, key.number(octets)))

    def _writer(self, operand: Operand, key: _Located) -> Callable[[str], bytes]:
        return lambda text: self._octets(operand, key, text.strip())

    def tested(self) -> Sequence[tuple[Condition, Sequence[PlannedTest]]]:
        """Each condition of the filter, with its tests. PlanError if no packet meets all of them."""
        query = self._query
        tested = [(condition, self._tests(condition)) for condition in query.filter.conditions]
        demands = [
            self._demand(str(condition), condition.left, _operand(condition), tests)
            for condition, tests in tested
        ]
        facing = list(self._ports.values())
        if query.port is not None:
            facing = [self._ports[query.port]]
            tests = self._tests(Condition(Fact.PORT, Relation.IS, query.port))
            demands.append(self._demand(f"port={query.port}", "port", Fact.PORT, tests))
        counted = [("keys", operand) for operand in query.keys.operands]
        counted += [("value", query.value.operand)] if query.value else []
        for argument, operand in counted:
            name = operand_text(operand)
            demands.append(self._demand(f"{argument}={name}", name, operand))
        longest = max(port.max_frame_size for port in facing)
        check_possible(demands, Presence(longest, len(self._order), self._matcher))
        return tested

    def _demand(self, text: str, name: str, operand: Operand, tests: Sequence[PlannedTest] = ()) -> Demand:
        located = self._located(operand)
        return Demand(text, name, located.placed, tests, read=self._reader(located))

    def _tests(self, condition: Condition) -> Sequence[PlannedTest]:
        try:
            return list(self._tests_of(condition))
        except (PlanError, ValueError) as problem:
            raise PlanError(f"filter {str(condition)!r}: {problem}") from None

    def _tests_of(self, condition: Condition) -> Iterator[PlannedTest]:
        operand, relation, word = _operand(condition), condition.relation, condition.value
        if operand is Fact.GAP:
            raise PlanError("gap is no condition; it can only be what is summed up")
        key = self._located(operand)
        placed = key.placed
        if relation in (Relation.HAS, Relation.LACKS):
            yield self._flags(key, relation, word)
        elif key.place and "/" in word:
            network = ip_network(word)
            if key.bits != network.max_prefixlen or relation not in (Relation.IS, Relation.NOT):
                raise PlanError(
                    f"a network is compared by == or != with a field of {network.max_prefixlen} bits"
                )
            mask, value = network.netmask.packed, network.network_address.packed
            yield PlannedTest(placed, _RELATIONS[relation], mask, value)
        elif (ends := self._ends(operand, key, word)) and relation is Relation.IS:
            for side, end in zip(("AT_LEAST", "AT_MOST"), ends, strict=True):
                yield PlannedTest(placed, side, placed.mask, end)
        else:
            yield PlannedTest(placed, _RELATIONS[relation], placed.mask, self._octets(operand, key, word))

    def _flags(self, key: _Located, relation: Relation, word: str) -> PlannedTest:
        if key.place is None or type(key.place.field).__name__ != "FlagsField":
            raise PlanError(f"'{relation.value}' is about flags, such as TCP.flags has S")
        flags = key.octets(key.place.number(word))
        wanted = flags if relation is Relation.HAS else bytes(len(flags))
        return PlannedTest(key.placed, "IS", flags, wanted)

    def _ends(self, operand: Operand, key: _Located, word: str) -> tuple[bytes, bytes] | None:
        """Both ends of a range such as `1024-65535`; None if the word is none."""
        first, dash, last = word.partition("-")
        try:
            self._octets(operand, key, word)
        except PlanError:
            if not dash:
                raise
        else:
            return None
        ends = self._octets(operand, key, first), self._octets(operand, key, last)
        if ends[1] < ends[0]:
            raise PlanError(f"{word!r} ends before it begins")
        return ends

    def _octets(self, operand: Operand, key: _Located, word: str) -> bytes:
        """A value of an operand, as it stands in a packet."""
        if key.place is not None:
            return key.octets(key.place.number(word))
        if operand is Fact.PORT:
            if word not in self._order:
                raise PlanError(f"there is no port {word!r}; there are {', '.join(self._order)}")
            return self._order.index(word).to_bytes(_FACT_BYTES, "big")
        if isinstance(operand, Fact):
            if not word.isdecimal():
                raise PlanError(f"{word!r} is no number; {operand.value} is a whole number of bytes")
            return int(word).to_bytes(_FACT_BYTES, "big")
        octets, count = _payload(word), len(key.placed.mask)
        if len(octets) != count:
            raise PlanError(f"{word!r} has {len(octets)} bytes, and {operand_text(operand)} has {count}")
        return octets


def tests_of(query: Query, ports: Mapping[str, Port]) -> Sequence[tuple[Condition, Sequence[PlannedTest]]]:
    """Each condition of a trigger's filter, with its tests. PlanError as from `plan_query`."""
    return _Planner(query, ports, list(ports), Matcher.TRIGGER).tested()


def _operand(condition: Condition) -> Operand:
    """The operand of a condition; of a payload without a slice as many bytes as it is compared with."""
    if condition.operand is None:
        return PayloadBytes(0, max(1, len(_payload(condition.value))))
    return condition.operand


def _payload(word: str) -> bytes:
    """Text, or octets in hexadecimal: `0x0102ff`."""
    try:
        return bytes.fromhex(word[2:]) if word[:2] in ("0x", "0X") else word.encode()
    except ValueError:
        raise PlanError(f"{word!r} is no row of bytes; write pairs of hexadecimal digits behind 0x") from None


def _named(number: int, names: Sequence[str]) -> str:
    return names[number] if number < len(names) else str(number)


def key_octets(planned: PlannedQuery, text: str | Sequence[Any]) -> bytes:
    """The bytes of a row's keys, from what people write: one text a key, or all of them with commas.

    Raises:
        PlanError: too many or too few of them, one that its field cannot have, or one that the query's own
            filter leaves out: such packets are not counted, so there is no number of them.
    """
    words = text.split(",") if isinstance(text, str) else [str(word) for word in text]
    if len(words) != len(planned.keys):
        names = ",".join(key.name for key in planned.keys) or "none"
        raise planned.query.refused(f"key={text!r} has {len(words)} parts; its keys are {names}")
    try:
        octets = [key.octets(word) for key, word in zip(planned.keys, words, strict=True)]
    except PlanError as problem:
        raise planned.query.refused(f"key={text!r}: {problem}") from None
    if key := left_out(planned, octets):
        raise planned.query.refused(
            f"key={text!r} cannot be in the result: its filter, {planned.query.filter}, leaves out "
            f"{key.name} {words[planned.keys.index(key)].strip()}; ask for a key that passes it, or widen it"
        )
    return b"".join(octets)
