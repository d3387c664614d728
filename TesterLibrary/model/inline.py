# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester in the way of other people's traffic: paths, and events that happen to single packets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ..errors import PlanError
from .editor import FieldPath
from .headers import HeaderStack
from .heading import Heading, OrderPolicy, StationAddress, check_delay
from .impairment import Impairment
from .units.units import Duration, Ratio

MOST_FLOWS = 65_536  # that are numbered
MOST_ITERATIONS = 65_535
MOST_BYTES = 65_535  # of a frame
SHORTEST = 64  # bytes of a frame, FCS included
MOST_REORDERED = 65_535  # packets that pass one that is held back
MOST_MEMORY_MIB = 1024
LONGEST_BLACKHOLE = Duration(3600 * 10**9)
SHORTEST_LINK_DOWN = Duration(10**7)


class Part(Enum):
    """From where the bits of a packet are counted."""

    PAYLOAD = "PART_PAYLOAD"  # behind the headers of TCP or UDP, or else of IP
    TRANSPORT = "PART_TRANSPORT"  # from the begin of the TCP or UDP header
    NETWORK = "PART_NETWORK"  # from the begin of the IP header
    FRAME = "PART_FRAME"  # from the destination MAC address


class ChecksumPolicy(Enum):
    """The treatment of the checksums of a packet whose bytes are changed."""

    KEEP = "keep"  # they are wrong afterwards
    REPAIR = "repair"  # they are right again, so that they do not tell


@dataclass(frozen=True)
class Drop:
    """The packet does not leave."""

    verb = "drop"


@dataclass(frozen=True)
class Mark:
    """The packet's ECN field is set to CE (RFC 3168), the checksum of IPv4 follows."""

    verb = "mark"


@dataclass(frozen=True, kw_only=True)
class Corrupt:
    """One bit of the packet is inverted."""

    bit: int = 0
    part: Part = Part.PAYLOAD
    checksum: ChecksumPolicy = ChecksumPolicy.KEEP

    verb = "corrupt"

    def __post_init__(self) -> None:
        if not 0 <= self.bit < MOST_BYTES * 8:
            raise PlanError(f"bit={self.bit} is in no frame; give 0 to {MOST_BYTES * 8 - 1}")


@dataclass(frozen=True)
class Duplicate:
    """The packet leaves twice, one directly behind the other."""

    verb = "duplicate"


@dataclass(frozen=True)
class Truncate:
    """The end of the frame is cut off."""

    frame_size: int  # bytes that are left, FCS included

    verb = "truncate"

    def __post_init__(self) -> None:
        if not SHORTEST <= self.frame_size <= MOST_BYTES:
            raise PlanError(f"frame_size={self.frame_size} is not within {SHORTEST} to {MOST_BYTES} bytes")


@dataclass(frozen=True, kw_only=True)
class Delay:
    """The packet is held for a time."""

    delay: Duration
    order: OrderPolicy = OrderPolicy.PRESERVE

    verb = "delay"

    def __post_init__(self) -> None:
        check_delay("delay", self.delay, least_ns=1)


@dataclass(frozen=True, kw_only=True)
class Reorder:
    """The packet is held back until later ones of its direction have passed, that the event sees as well."""

    packets: int
    limit: Duration  # then it leaves all the same

    verb = "reorder"

    def __post_init__(self) -> None:
        if not 1 <= self.packets <= MOST_REORDERED:
            raise PlanError(f"packets={self.packets} cannot pass; give 1 to {MOST_REORDERED:,}")
        check_delay("limit", self.limit, least_ns=1)


@dataclass(frozen=True, kw_only=True)
class Rewrite:
    """A header field of the packet is set to a value."""

    field: FieldPath
    value: str  # as in a header stack: a number, a word of Scapy's, an address
    checksum: ChecksumPolicy = ChecksumPolicy.REPAIR

    @property
    def verb(self) -> str:
        """With the field."""
        return f"rewrite {self.field} of"


class Swallowed(Enum):
    """The packets of the direction that disappear in a blackhole."""

    ALL = "all"
    FLOW = "flow"  # those of the same flow as the first one


@dataclass(frozen=True, kw_only=True)
class Blackhole:
    """The packet does not leave, and no later one of its direction, or of its flow in it, for a time."""

    duration: Duration
    packets: Swallowed = Swallowed.ALL
    both_ways: bool = False  # nor any of the other direction

    verb = "blackhole from"

    def __post_init__(self) -> None:
        if not 1 <= self.duration.ns <= LONGEST_BLACKHOLE.ns:
            raise PlanError(f"duration={self.duration} is no time; give 1 ns to {LONGEST_BLACKHOLE}")


@dataclass(frozen=True, kw_only=True)
class LinkDown:
    """The packet does not leave, nor does any later one, and links of the path are down for a time."""

    duration: Duration
    ports: tuple[str, ...] = ()  # of the path; none: both

    verb = "link down from"

    def __post_init__(self) -> None:
        if not SHORTEST_LINK_DOWN.ns <= self.duration.ns <= LONGEST_BLACKHOLE.ns:
            raise PlanError(
                f"duration={self.duration} is no time for a link to be down; give {SHORTEST_LINK_DOWN} to "
                f"{LONGEST_BLACKHOLE}"
            )


@dataclass(frozen=True)
class Reset:
    """A RST to its receiver takes the place of the packet, and its sender is sent one as well."""

    verb = "reset the connection by"


PacketAction = (
    Drop | Mark | Corrupt | Duplicate | Truncate | Delay | Reorder | Rewrite | Blackhole | LinkDown | Reset
)
_LAST = (Drop, Blackhole, LinkDown, Reset)  # nothing more happens to the packet


_SELECTIONS = ("number", "every", "ratio", "byte", "sequence", "pattern")
MOST_PATTERN = 1 << 20  # packets


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happens to packets of a path.

    It sees the packets that have these headers, of one flow or of all, in one direction or both. Of these it
    selects the one with a number, a byte or a sequence number, every n-th, a part at random, or by a pattern.
    """

    action: PacketAction
    number: int | None = None  # from 1; retransmissions have none
    every: int | None = None
    ratio: Ratio | None = None
    byte: int | None = None  # of the data of its flow in its direction, from 0
    sequence: int | None = None  # a sequence number of TCP, or a PSN of RoCEv2
    pattern: tuple[bool, ...] | None = None  # of one packet after the other, again and again
    iteration: int = 1  # which transmission of the packet that is meant
    flow: int | None = None  # from 1, in the order of appearance among those with these headers
    headers: HeaderStack | None = None  # of the packets that it sees; None: any
    heading: Heading = Heading.BOTH
    data_only: bool = False  # packets with payload
    name: str = ""  # of its author's choice

    def __post_init__(self) -> None:
        self._check_selection()
        self._check_numbers()
        self._check_place_in_flow()
        if self.ratio is not None and not 0 < self.ratio.value < 1:
            raise self.refused(f"ratio={self.ratio} selects no packet, or all; give every=1 for all")
        if self.pattern is not None and not any(self.pattern):
            raise self.refused("its pattern selects no packet; one character has to be 1")
        if self.iteration != 1 and self.packet is None:
            raise self.refused(
                f"iteration={self.iteration} needs a number, byte or sequence: only such a packet is known "
                "again"
            )

    def _check_numbers(self) -> None:
        for what, number, most in (
            ("number", self.number, None),
            ("every", self.every, None),
            ("flow", self.flow, MOST_FLOWS),
            ("iteration", self.iteration, MOST_ITERATIONS),
        ):
            if number is not None and (number < 1 or (most and number > most)):
                allowed = f"1 to {most:,}" if most else "1 or more"
                raise self.refused(f"{what}={number} counts from 1; give {allowed}")

    def _check_place_in_flow(self) -> None:
        for what, number in (("byte", self.byte), ("sequence", self.sequence)):
            if number is not None and not 0 <= number < 1 << 32:
                raise self.refused(f"{what}={number}; give 0 to {(1 << 32) - 1:,}")
            if number is not None and self.flow is None:
                raise self.refused(f"{what}={number} is one of a flow; give flow, such as flow=1")

    def _check_selection(self) -> None:
        given = [name for name in _SELECTIONS if getattr(self, name) is not None]
        if len(given) != 1:
            what = " and ".join(given) or "nothing"
            names = f"{', '.join(_SELECTIONS[:-1])} or {_SELECTIONS[-1]}"
            raise self.refused(f"{what} given; give {names}, one of them")

    def refused(self, why: str) -> PlanError:
        """The error that says which event is meant."""
        return PlanError(f"{self.name or self.action.verb}: {why}")

    @property
    def description(self) -> str:
        """The event in words: `drop packet 20 of flow 1, transmission 2`."""
        what = "data packet" if self.data_only else "packet"
        if self.number is not None:
            selected = f"{what} {self.number:,}"
        elif self.every is not None:
            selected = f"every {what}" if self.every == 1 else f"each {self.every:,}th {what}"
        elif self.byte is not None:
            selected = f"{what} with byte {self.byte:,}"
        elif self.sequence is not None:
            selected = f"{what} with sequence number {self.sequence}"
        elif self.pattern is not None:
            selected = f"{what}s by a pattern of {len(self.pattern):,}"
        else:
            selected = f"{self.ratio} of {what}s"
        of = f" of flow {self.flow:,}" if self.flow else ""
        heading = "" if self.heading is Heading.BOTH else f" {self.heading.name.lower()}"
        again = f", transmission {self.iteration}" if self.iteration != 1 else ""
        headers = f" ({self.headers})" if self.headers else ""
        return f"{self.action.verb} {selected}{of}{heading}{again}{headers}"

    @property
    def packet(self) -> tuple[object, ...] | None:
        """The one packet that it selects; None where it selects several."""
        one = next((each for each in (self.number, self.byte, self.sequence) if each is not None), None)
        return None if one is None else self.selection

    @property
    def selection(self) -> tuple[object, ...]:
        """The packets that it selects by their number, and of which it does."""
        which = self.number, self.byte, self.sequence, self.iteration
        return *which, self.flow, self.headers, self.heading, self.data_only


@dataclass(frozen=True)
class Path:
    """Frames that arrive on one of two ports leave by the other one, as they are but for events."""

    name: str
    between: tuple[str, str]  # ports of the tester
    events: tuple[Event, ...] = ()  # several of one packet happen in this order
    memory_mib: int = 16  # for the packets that are held, of each direction
    impairments: tuple[Impairment, ...] = ()  # what happens to all packets behind the events
    beside: tuple[str, ...] = ()  # more ports of the first end; back, a frame leaves by that of its receiver
    known_by: StationAddress = StationAddress.MAC  # which is known by what it has sent

    def __post_init__(self) -> None:
        self._check_ports()
        if not 1 <= self.memory_mib <= MOST_MEMORY_MIB:
            raise self.refused(f"memory_mib={self.memory_mib}; give 1 to {MOST_MEMORY_MIB}")
        headings = [heading for impairment in self.impairments for heading in impairment.directions]
        if len(set(headings)) != len(headings):
            raise self.refused("its packets are impaired already in that direction; describe both as one")
        for event in self.events:
            self._check_links(event)
        self._check_corruptions()
        self._check_drops()

    def _check_ports(self) -> None:
        if len(self.between) != 2 or self.between[0] == self.between[1]:
            given = ",".join(self.between) or "none"
            raise self.refused(f"between={given}; give two different ports, such as between=p1,p2")
        ports = [*self.between, *self.beside]
        if repeated := next((port for port in ports if ports.count(port) > 1), ""):
            raise self.refused(f"beside={','.join(self.beside)}: port {repeated!r} is given twice")
        if self.known_by is not StationAddress.MAC and not self.beside:
            raise self.refused(
                f"known_by={self.known_by.value}: its first end is port {self.between[0]!r} alone, by which "
                "all frames leave; name more ports with beside=, or leave known_by out"
            )

    def _check_links(self, event: Event) -> None:
        if not isinstance(event.action, LinkDown):
            return
        if self.beside:
            raise self.refused(
                f"{event.description}: with ports beside {self.between[0]!r} it has no link that could "
                "be taken down for all of them; use Blackhole Path with both_ways=True"
            )
        for port in event.action.ports:
            if port not in self.between:
                raise self.refused(
                    f"{event.description}: ports={port} is none of its ports; give "
                    f"{' or '.join(self.between)}, or nothing for both"
                )

    def _check_corruptions(self) -> None:
        """No bit is inverted twice, and so as it was."""
        inverted: set[tuple[object, ...]] = set()
        for event in self.events:
            if not isinstance(event.action, Corrupt) or event.ratio is not None:
                continue
            bit = event.every, *event.selection, event.action.part, event.action.bit
            if bit in inverted:
                raise self.refused(
                    f"{event.description}: bit {event.action.bit} of it is inverted already, and would "
                    "be as before; leave one of them out, or give another bit"
                )
            inverted.add(bit)

    def _check_drops(self) -> None:
        """Nothing happens to a packet that an event before has dropped."""
        dropped: dict[tuple[object, ...], Event] = {}
        for event in self.events:
            packet = event.packet
            if packet in dropped:
                before = dropped[packet]
                raise self.refused(
                    f"{event.description}: {before.name or before.description} drops that packet before; "
                    "leave one of them out, or put it first"
                )
            if packet and isinstance(event.action, _LAST):
                dropped[packet] = event

    def refused(self, why: str) -> PlanError:
        """The error that says which path is meant."""
        return PlanError(f"path {self.name!r}: {why}")

    def with_event(self, event: Event) -> Path:
        """The same with one more event, the last one."""
        return replace(self, events=(*self.events, event))

    def with_impairment(self, impairment: Impairment) -> Path:
        """The same with an impairment of a direction that has none, or of both."""
        return replace(self, impairments=(*self.impairments, impairment))
