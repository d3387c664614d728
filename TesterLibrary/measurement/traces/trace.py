# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The trace of a path: each packet as it arrived, with what became of it; and whether it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from ...model.heading import Heading
from ..capture import Fate


class Change(Enum):
    """The effect of an event on the bytes with which a packet leaves."""

    MARKED = "marked"  # ECN: congestion experienced
    DAMAGED = "damaged"  # a bit is wrong, or its end is missing
    REWRITTEN = "rewritten"
    REPAIRED = "repaired"  # a bit is wrong, and checksums and ICRC are right


@dataclass(frozen=True)
class TracedPacket:
    """A packet of a path. Times are nanoseconds of the tester's clock."""

    number: int  # on the path, from 0, both directions together, in the order of arrival
    direction: Heading
    arrived_ns: int
    left_ns: int | None  # None: it has not left, or nobody knows when
    events: tuple[str, ...]  # that happened to it, by name
    iteration: int | None  # which transmission of it the first of them was about; None: of none by number
    length: int  # bytes with FCS, as it arrived
    octets: bytes  # the first of them, as they arrived
    fate: Fate = Fate.NONE
    changes: frozenset[Change] = frozenset()  # by events: it left with other bytes than these

    @property
    def arrives(self) -> bool:
        """Whether its receiver can take it: it has left, and neither checksum nor length says otherwise."""
        return self.gone_ns is not None and Change.DAMAGED not in self.changes

    @property
    def taken_ns(self) -> int | None:
        """When it left, if its receiver can take it; None: it cannot."""
        return self.gone_ns if self.arrives else None

    @property
    def gone_ns(self) -> int | None:
        """When it left; about when, where it waited for later packets or nobody knows; None: it has not."""
        about = self.left_ns is None and self.fate in (Fate.HELD, Fate.UNTIMED)
        return self.arrived_ns if about else self.left_ns

    @property
    def held_ns(self) -> int | None:
        """How long the tester had it; None where it has not left, or nobody knows when."""
        return None if self.left_ns is None else self.left_ns - self.arrived_ns


@dataclass(frozen=True)
class Condition:
    """Something that has to hold for a complete trace."""

    text: str
    holds: bool

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'NO'}: {self.text}"


@dataclass(frozen=True)
class PathTrace:
    """The packets of a path from the begin of the trace to its end. Prints as one line."""

    path: str
    packets: tuple[TracedPacket, ...]
    received: int  # by the path itself meanwhile
    due: int  # of these, packets that were to be recorded
    dropped: int  # of those, packets for which there was no room
    every: int = 1
    file: str = ""  # with the packets
    from_start: bool = True  # it began with the last start of the path
    beside: tuple[str, ...] = ()  # more ports of the first end of the path

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The four conditions of a complete trace (Lumina, §3.6). Frames of one burst have the same time."""
        kept, expected = len(self.packets), -(-self.received // self.every)
        hole = next(self._holes(), None)
        back = next((b for a, b in pairwise(self.packets) if b.arrived_ns < a.arrived_ns), None)
        return (
            Condition(
                f"packet {hole:,} is missing" if hole is not None else "numbers are consecutive", hole is None
            ),
            Condition(
                f"packet {back.number:,} is older than the one before it" if back else "times never go back",
                back is None,
            ),
            Condition(
                f"{kept:,} packets in the trace, {self.due:,} to be recorded"
                + (f", {self.dropped:,} of which found no room" if self.dropped else ""),
                kept == self.due,
            ),
            Condition(
                f"{kept:,} packets in the trace, {expected:,} expected of {self.received:,} that arrived",
                kept == expected,
            ),
        )

    @property
    def doubt(self) -> str:
        """Why nothing can be concluded from the trace; empty if it is complete."""
        if self.received == 0:
            return f"no packet came to path {self.path!r} while it was traced"
        failed = [condition.text for condition in self.conditions if not condition.holds]
        return f"the trace of path {self.path!r} is not complete: {'; '.join(failed)}" if failed else ""

    def shared(self, heading: Heading) -> str:
        """Why packets that come from the first end, if any of these are meant, may be of several hosts."""
        if not self.beside or heading is Heading.BACKWARD:
            return ""
        return (
            f"path {self.path!r} has {1 + len(self.beside)} ports at its first end, and its trace has the "
            "packets of all hosts there; judge a host at the other end, or a path with one port at each end"
        )

    def __str__(self) -> str:
        text = f"{self.path}: {len(self.packets):,} of {self.received:,} packets traced"
        return f"{text}, NOT COMPLETE" if self.received and self.doubt else text

    def _holes(self) -> Iterator[int]:
        expected = 0
        for packet in self.packets:
            if packet.number != expected:
                yield expected
            expected = packet.number + self.every
