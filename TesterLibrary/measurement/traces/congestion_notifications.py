# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Congestion notifications (CNP) of RoCEv2 beside the ECN marks that led to them (Lumina, §4, §6.4).

NICs keep a least time between two notifications: of a queue pair, of a pair of IP addresses, or of the port.
Pure functions of the trace.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from enum import Enum
from ipaddress import ip_address
from itertools import pairwise

from ...model.heading import Heading
from ...model.units.units import Duration
from .cut_headers import cut_headers
from .go_back_n import of_no_data, roce_packets
from .roce_packet import PSNS, RocePacket, psn_after
from .trace import Change, PathTrace, TracedPacket


class Scope(Enum):
    """The notifications between which a least time is kept."""

    QUEUE_PAIR = "queue pair"
    ADDRESS = "pair of IP addresses"
    PORT = "port"


# A notification may be on its way to the tester while the packet with the next mark passes the other way.
_CROSSING_NS = 1_000_000
_OPPOSITE = {Heading.FORWARD: Heading.BACKWARD, Heading.BACKWARD: Heading.FORWARD}


@dataclass(frozen=True)
class MarkedPacket:
    """A packet that arrived at its receiver with *congestion experienced*."""

    packet: int  # its number on the path
    direction: Heading
    at_ns: int  # when it left the tester
    flow: int  # queue pairs of the trace, from 1
    ends: frozenset[bytes]  # both IP addresses
    notified_ns: int | None  # from then until the next notification of its queue pair; None: there is none


@dataclass(frozen=True)
class Notification:
    """A congestion notification, on its way to the sender of what was marked."""

    packet: int
    direction: Heading
    at_ns: int  # when it arrived at the tester
    flow: int
    ends: frozenset[bytes]
    prompted: bool  # its queue pair had a marked packet before that no other one has told
    disordered: bool = False  # else it had a packet out of sequence before, of which the same holds


@dataclass
class SequenceGaps:
    """Packets of one direction of a queue pair that reach their receiver behind a gap."""

    expected: int | None = None
    disordered: int = 0  # packets that no notification has told

    def arrives(self, packet: RocePacket) -> None:
        """Counts a packet that is not the next one. How many numbers a READ takes is not known."""
        if packet.is_read_request:
            self.expected = None
        if not (packet.is_request_data or packet.is_read_response):
            return
        ahead = 0 if self.expected is None else psn_after(packet.psn, self.expected)
        if ahead > 0:
            self.disordered += 1
        elif ahead == 0:
            self.expected = (packet.psn + 1) % PSNS

    def take(self) -> bool:
        """Whether a notification may be of a packet that none has told; it is told then."""
        told = self.disordered > 0
        self.disordered -= told
        return told


@dataclass(frozen=True)
class ScopeIntervals:
    """The times between notifications of one scope, such as one queue pair. Nanoseconds."""

    scope: Scope
    name: str
    notifications: int
    least_ns: int | None  # None: there are fewer than two


@dataclass(frozen=True)
class CongestionNotifications:
    """The marks and notifications of a path. Prints as one line."""

    path: str
    marks: tuple[MarkedPacket, ...]
    notifications: tuple[Notification, ...]
    intervals: tuple[ScopeIntervals, ...]
    doubt: str = ""  # why the trace says nothing

    @property
    def marked(self) -> int:
        """Packets that arrived marked."""
        return len(self.marks)

    @property
    def cnps(self) -> int:
        """Notifications."""
        return len(self.notifications)

    @property
    def unprompted(self) -> int:
        """Notifications of a queue pair beyond one for each mark, and for each packet out of sequence."""
        return sum(not (each.prompted or each.disordered) for each in self.notifications)

    @property
    def disordered(self) -> int:
        """Notifications without a mark that some NICs send for packets out of sequence (Lumina, §4)."""
        return sum(notification.disordered for notification in self.notifications)

    def least_ns(self, scope: Scope) -> int | None:
        """The shortest time between two notifications of one scope; None where none has two."""
        found = (each.least_ns for each in self.intervals if each.scope is scope)
        return min((least for least in found if least is not None), default=None)

    def unanswered(self, scope: Scope, interval: Duration, within: Duration) -> tuple[MarkedPacket, ...]:
        """Marks that no notification of their queue pair followed in time, though its interval was over.

        Args:
            scope: The notifications between which the interval is kept.
            interval: The least time between two of them.
            within: How long after the mark a notification is in time.
        """
        missed = []
        for mark in self.marks:
            if mark.notified_ns is not None and mark.notified_ns <= within.ns:
                continue
            if not any(
                self._same(scope, mark, notification)
                and mark.at_ns - interval.ns <= notification.at_ns <= mark.at_ns + within.ns
                for notification in self.notifications
            ):
                missed.append(mark)
        return tuple(missed)

    def _same(self, scope: Scope, mark: MarkedPacket, notification: Notification) -> bool:
        if notification.direction is not _OPPOSITE[mark.direction]:
            return False
        if scope is Scope.PORT:
            return True
        if scope is Scope.ADDRESS:
            return mark.ends == notification.ends
        return mark.flow == notification.flow

    def __str__(self) -> str:
        least = ", ".join(
            f"{Duration(found)} of a {scope.value}"
            for scope in Scope
            if (found := self.least_ns(scope)) is not None
        )
        text = f"{self.path}: {self.cnps:,} congestion notifications for {self.marked:,} marked packets"
        return f"{text}; least interval {least}" if least else text


_Direction = tuple[int, Heading]  # the number of a queue pair, and where its packets go


def congestion_notifications(trace: PathTrace) -> CongestionNotifications:
    """Finds marks and notifications in a trace; both ends of a queue pair call it by the same number."""
    analysis = _Analysis()
    for packet, roce in roce_packets(trace):
        analysis.see(packet, roce)
    partial = "only a part of the packets was traced" if trace.every != 1 else ""
    return CongestionNotifications(
        path=trace.path,
        marks=analysis.marks,
        notifications=tuple(analysis.notifications),
        intervals=analysis.intervals,
        doubt=trace.doubt or cut_headers(trace) or partial or analysis.unmatched,
    )


class _Analysis:
    """Goes through a trace once. Queue pairs and directions of packets are its keys."""

    def __init__(self) -> None:
        self._flows: dict[tuple[frozenset[bytes], int], int] = {}
        self._notified: list[MarkedPacket] = []
        self._waiting: dict[_Direction, list[MarkedPacket]] = defaultdict(list)
        self._crossing: dict[_Direction, deque[int]] = defaultdict(deque)  # times of marks, each for one CNP
        self._times: dict[tuple[Scope, str], list[int]] = defaultdict(list)
        self._gaps: dict[_Direction, SequenceGaps] = defaultdict(SequenceGaps)
        self._seen: set[_Direction] = set()  # in which data was sent
        self.notifications: list[Notification] = []
        self.unmatched = ""

    def see(self, packet: TracedPacket, roce: RocePacket) -> None:
        """Takes the next packet."""
        ends = frozenset((roce.source, roce.destination))
        flow = self._flows.setdefault((ends, roce.queue_pair), len(self._flows) + 1)
        if roce.is_cnp:
            self._see_notification(packet, roce, flow, ends)
            return
        self._seen.add((flow, packet.direction))
        if packet.arrives:
            self._gaps[flow, packet.direction].arrives(roce)
            if packet.gone_ns is not None and (roce.marked or Change.MARKED in packet.changes):
                mark = MarkedPacket(packet.number, packet.direction, packet.gone_ns, flow, ends, None)
                self._waiting[flow, packet.direction].append(mark)
                self._crossing[flow, packet.direction].append(mark.at_ns)

    def _see_notification(
        self, packet: TracedPacket, roce: RocePacket, flow: int, ends: frozenset[bytes]
    ) -> None:
        """Takes a notification as the answer to the marks of the other direction that wait for one."""
        data = flow, _OPPOSITE[packet.direction]
        if data not in self._seen:
            self.unmatched = of_no_data(packet, roce)
            return
        waiting, crossing = self._waiting.pop(data, []), self._crossing[data]
        while not waiting and crossing and packet.arrived_ns - crossing[0] > _CROSSING_NS:
            crossing.popleft()
        prompted = bool(waiting or crossing)
        if crossing:
            crossing.popleft()
        disordered = not prompted and self._gaps[data].take()
        self._notified += [replace(mark, notified_ns=packet.arrived_ns - mark.at_ns) for mark in waiting]
        self.notifications.append(
            Notification(packet.number, packet.direction, packet.arrived_ns, flow, ends, prompted, disordered)
        )
        for scope, name in _scopes(packet, roce, flow):
            self._times[scope, name].append(packet.arrived_ns)

    @property
    def marks(self) -> tuple[MarkedPacket, ...]:
        """All marked packets that arrived, in their order."""
        waiting = (mark for marks in self._waiting.values() for mark in marks)
        return tuple(sorted((*self._notified, *waiting), key=lambda mark: mark.packet))

    @property
    def intervals(self) -> tuple[ScopeIntervals, ...]:
        """The notifications of each queue pair, pair of addresses, and port."""
        return tuple(
            ScopeIntervals(scope, name, len(times), min((b - a for a, b in pairwise(times)), default=None))
            for (scope, name), times in self._times.items()
        )


def _scopes(packet: TracedPacket, roce: RocePacket, flow: int) -> tuple[tuple[Scope, str], ...]:
    ends = f"{ip_address(roce.source)} to {ip_address(roce.destination)}"
    return (
        (Scope.QUEUE_PAIR, f"queue pair {flow}"),
        (Scope.ADDRESS, ends),
        (Scope.PORT, packet.direction.name.lower()),
    )
