# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries as testers execute them. Mirrors `query.proto`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from ..capture import Direction
from ..query import Fact, Function, Query


class QueryPart(Enum):
    """From where the bytes of a field are counted."""

    FRAME = "PART_FRAME"
    TAG = "PART_TAG"
    NETWORK = "PART_NETWORK"
    TRANSPORT = "PART_TRANSPORT"
    PAYLOAD = "PART_PAYLOAD"


class Matcher(Enum):
    """The kinds of matchers, which differ in what they find in malformed packets."""

    ENGINE = "engine"  # fields of any network header, and nothing behind one that contradicts itself
    SWITCH = "switch"  # the same whatever a header says of its length, and behind headers of its own
    TRIGGER = "trigger"  # none: packets are sound throughout


@dataclass(frozen=True)
class PlacedField:
    """Whole bytes of a packet, and which of their bits are meant."""

    part: QueryPart
    offset: int  # bytes behind the begin of the part
    mask: bytes
    ether_type: int = 0  # 0: any
    protocol: int = 0  # of IP; 0: any


@dataclass(frozen=True)
class PlacedFact:
    """A fact, as a number of eight bytes."""

    fact: Fact

    @property
    def mask(self) -> bytes:
        """All of its bits."""
        return bytes([0xFF] * 8)


Placed = PlacedField | PlacedFact


_TYPE = 12  # of a frame: where a tag is, if there is one


def _tells_of_tags(operand: Placed) -> bool:
    if isinstance(operand, PlacedFact):
        return operand.fact is Fact.LENGTH
    return operand.part is QueryPart.TAG or (operand.part is QueryPart.FRAME and operand.offset >= _TYPE)


@dataclass(frozen=True)
class PlannedTest:
    """operand & mask relation value."""

    operand: Placed
    relation: str  # of `Compare` in protocol.proto, without its prefix
    mask: bytes
    value: bytes


@dataclass(frozen=True)
class PlannedKey:
    """A key: its bytes, and how people read them."""

    operand: Placed
    name: str
    opposite: int  # the key that has its value in the other direction
    text: Callable[[bytes], str] = field(compare=False)
    octets: Callable[[str], bytes] = field(compare=False)  # the inverse. PlanError for what does not fit


@dataclass(frozen=True)
class PlannedQuery:
    """A query that its target may load."""

    query: Query
    tests: tuple[PlannedTest, ...]
    keys: tuple[PlannedKey, ...]
    value: Placed | None

    @property
    def name(self) -> str:
        """Its name."""
        return self.query.name

    @property
    def ports(self) -> tuple[str, ...]:
        """The ports whose packets are counted; none: all."""
        return () if self.query.port is None else (self.query.port,)

    @property
    def direction(self) -> Direction:
        """The direction in which they are counted."""
        return self.query.direction

    @property
    def function(self) -> Function:
        """The way in which values are combined."""
        return self.query.function

    @property
    def tells_of_tags(self) -> bool:
        """Whether it asks for what a lost VLAN tag changes: the tag, the type in its place, the length."""
        placed = [*(test.operand for test in self.tests), *(key.operand for key in self.keys), self.value]
        return any(operand is not None and _tells_of_tags(operand) for operand in placed)

    @property
    def tells_of_times(self) -> bool:
        """Whether it tells when packets came, by gaps or intervals: another rate is another result."""
        is_gap = isinstance(self.value, PlacedFact) and self.value.fact is Fact.GAP
        return is_gap or self.interval_ns != 0

    @property
    def interval_ns(self) -> int:
        """Nanoseconds of an interval; 0: none."""
        return self.query.interval.ns if self.query.interval else 0
