# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries as users ask for them: filter, map, and reduce by keys (HyperTester §4.1).

    filter    = condition { "and" condition }
    condition = operand relation value
    relation  = "==" | "!=" | "<" | "<=" | ">" | ">=" | "has" | "lacks"
    value     = word | "text in quotes" | word "-" word
    operand   = Header.field | "payload[" first ":" behind "]" | "payload" | "length" | "port" | "gap"

What the fields are, and which values fit them, `planning/query.py` knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ..errors import PlanError, UnitError
from .capture import Direction
from .editor import FieldPath
from .units.notation import LIST, TEXT, written_as
from .units.units import Duration

MOST_KEYS = 1 << 25  # different ones that a query counts
DEFAULT_KEYS = 65_536
SHORTEST_INTERVAL = Duration(1000)
_SLICE = re.compile(r"payload\[\s*(\d{1,5})\s*:\s*(\d{1,5})\s*\]")
_CONDITION = re.compile(
    r"""\s*(?P<operand>payload\[[^\]]*\]|[A-Za-z_][\w.]*(?:\[\d+\]\.\w+)?)
        \s*(?P<relation>==|!=|<=|>=|<|>|\bhas\b|\blacks\b)
        \s*(?P<value>"[^"]*"|'[^']*'|[^\s"'=<>!]+)
        (?:\s+and\s+(?=\S)|\s*$|\s+(?P<either>(?i:or)\b|\|\|))""",
    re.VERBOSE,
)
_ALLOWED = "conditions joined by 'and', such as TCP.flags == SA and IP.src == 10.0.0.0/8"


class Fact(Enum):
    """Facts about a packet that are in none of its headers."""

    LENGTH = "length"  # bytes of its frame, FCS included
    PORT = "port"  # the tester's port where it left or arrived
    GAP = "gap"  # time since the packet before it with equal keys


@dataclass(frozen=True)
class PayloadBytes:
    """Bytes of the payload: `payload[0:4]` are the first four."""

    first: int
    count: int

    def __str__(self) -> str:
        return f"payload[{self.first}:{self.first + self.count}]"


Operand = FieldPath | PayloadBytes | Fact


def operand_of(text: str) -> Operand:
    """Raises UnitError for what is no field, no slice of the payload and no fact."""
    word = text.strip()
    if word in {fact.value for fact in Fact}:
        return Fact(word)
    found = _SLICE.fullmatch(word)
    if found:
        first, behind = int(found[1]), int(found[2])
        if behind <= first:
            raise UnitError(f"{word!r} has no bytes; the second number is that of the first byte behind them")
        return PayloadBytes(first, behind - first)
    if word.startswith("payload"):
        raise UnitError(f"{word!r}: say which bytes of the payload, such as payload[0:4] for the first four")
    try:
        return FieldPath.parse(word)
    except UnitError:
        raise UnitError(
            f"{word!r} is nothing that a query knows of a packet; write a field such as IP.src, "
            "payload[0:4], length, port or gap"
        ) from None


def operand_text(operand: Operand) -> str:
    """An operand as its author writes it."""
    return operand.value if isinstance(operand, Fact) else str(operand)


class Relation(str, Enum):
    """How a condition compares."""

    IS = "=="
    NOT = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    HAS = "has"  # flags: all of these letters
    LACKS = "lacks"  # flags: none of these letters


@dataclass(frozen=True)
class Condition:
    """`operand relation value`; a payload without a slice is compared with its begin."""

    operand: Operand | None  # None: the begin of the payload
    relation: Relation
    value: str
    quoted: bool = False

    @property
    def left(self) -> str:
        """Its operand as its author writes it."""
        return "payload" if self.operand is None else operand_text(self.operand)

    def __str__(self) -> str:
        value = f'"{self.value}"' if self.quoted else self.value
        return f"{self.left} {self.relation.value} {value}"


@written_as(TEXT)
@dataclass(frozen=True)
class PacketFilter:
    """Conditions that all hold of a packet: `TCP.flags == SA and IP.src == 10.0.0.0/8 and length > 100`."""

    conditions: tuple[Condition, ...] = ()

    @classmethod
    def parse(cls, text: object) -> PacketFilter:
        """Raises UnitError, with the place, for anything that is not written as above."""
        if isinstance(text, PacketFilter):
            return text
        return cls(tuple(_conditions(str(text))))

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


def _conditions(text: str) -> Iterator[Condition]:
    end = 0
    while end < len(text) or not end:
        found = _CONDITION.match(text, end)
        if not found:
            raise UnitError(
                f"{text!r} is no filter: at {text[end:][:20]!r} (character {end + 1}) there should be a "
                f"condition; write {_ALLOWED}"
            )
        if found["either"]:
            raise UnitError(
                f"{text!r} is no filter: there is no 'or' in a filter: make a query for each side of "
                "it, or, where both are of one field, give a range or a network, such as UDP.dport == 53-54 "
                "or IP.src == 10.0.0.0/8"
            )
        value, word = found["value"], found["operand"]
        quoted = value[0] in "\"'"
        yield Condition(
            None if word == "payload" else operand_of(word),
            Relation(found["relation"]),
            value[1:-1] if quoted else value,
            quoted,
        )
        end = found.end()


@written_as(LIST)
@dataclass(frozen=True)
class QueryKeys:
    """The keys by which packets are counted: `IP.src`, or several, `IP.src,TCP.sport`."""

    operands: tuple[Operand, ...] = ()

    @classmethod
    def parse(cls, text: object) -> QueryKeys:
        """Raises UnitError for what is nothing that packets have."""
        if isinstance(text, QueryKeys):
            return text
        words = list(text) if isinstance(text, (list, tuple)) else str(text).split(",")
        operands = tuple(operand_of(str(word)) for word in words)
        if len(set(operands)) < len(operands):
            raise UnitError(f"{text!r} has a key twice; give each once")
        return cls(operands)

    def __str__(self) -> str:
        return ",".join(map(operand_text, self.operands))


NO_KEYS = QueryKeys()


@written_as(TEXT)
@dataclass(frozen=True)
class QueryField:
    """The value that is summed up, or compared: a field such as `IP.ttl`, `length`, or `gap`."""

    operand: Operand

    @classmethod
    def parse(cls, text: object) -> QueryField:
        """Raises UnitError for what is nothing that packets have."""
        return text if isinstance(text, QueryField) else cls(operand_of(str(text)))

    def __str__(self) -> str:
        return operand_text(self.operand)


LENGTH = QueryField(Fact.LENGTH)


class Function(Enum):
    """The way in which the values of packets with equal keys are combined."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


class Counted(Enum):
    """The meaning of the `count` of a query."""

    PACKETS = "packets"
    KEYS = "keys"


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query: the packets that are counted, their keys, and the value that is summed up."""

    name: str
    counts: Counted = Counted.PACKETS
    port: str | None = None  # None: all
    direction: Direction = Direction.RECEIVED
    streams: tuple[str, ...] = ()  # by name; empty: every packet, of a stream or not
    foreign: bool = False  # only of no stream
    filter: PacketFilter = PacketFilter()
    keys: QueryKeys = NO_KEYS
    symmetric: bool = False  # the two directions of a connection are one
    value: QueryField | None = None  # None: packets are counted only
    function: Function = Function.SUM
    capacity: int = DEFAULT_KEYS  # different keys at most
    interval: Duration | None = None  # counted apart

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise self.refused("it has no name; give it one, by which its result is read")
        if not 1 <= self.capacity <= MOST_KEYS:
            raise self.refused(f"capacity={self.capacity:,} keys; give 1 to {MOST_KEYS:,}")
        if self.foreign and self.streams:
            raise self.refused("streams= and foreign=True exclude each other; give one of them")
        if self.interval is not None and self.interval.ns < SHORTEST_INTERVAL.ns:
            raise self.refused(f"interval={self.interval} is too short; give {SHORTEST_INTERVAL} or more")
        if Fact.GAP in self.keys.operands:
            raise self.refused("gap is no key; it can only be what is summed up")
        if self.value and self.value.operand is Fact.PORT:
            raise self.refused("port is no number that could be summed up; it can be a key")
        if (
            self.value
            and self.value.operand is Fact.GAP
            and (self.port is None or self.direction is Direction.BOTH)
        ):
            raise self.refused("gap is a time between packets of one port and one direction; give both")

    def refused(self, why: str) -> PlanError:
        """The error that says which query is meant."""
        return PlanError(f"query {self.name!r}: {why}")
