# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast devices of which all is known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from TesterLibrary.measurement.group_check import GroupCheck
from TesterLibrary.measurement.multicast import GroupCycle
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units.units import Duration
from tests.counted import stream_counters

from .measured import EVIDENCE

LINE_PPS = 10_000
REWRITTEN = "40 frames without a signature at p4: the device may have changed frames of groups"
BUSY = "a worker did not run for 90.0 ms (limit 50.0 ms)"
_LEAD_NS, _HOLD_NS = 500_000_000, 200_000_000


@dataclass
class GroupDevice:
    """Begins to forward a group some time after a join, and ceases some time after a leave.

    Frame number k is sent at k * gap; the report is sent `phase` after a frame.
    """

    join_ns: int | None = 1_000_000  # None: it never forwards
    leave_ns: int | None = 1_000_000_000  # None: it never ceases
    gap_ns: int = 100_000
    phase_ns: int = 0
    timeout_ns: int = 10**10
    floods: bool = False
    leaks: int = 0  # frames at a port that is no member
    busy: bool = False

    def cycle(self) -> tuple[GroupCycle, Trial]:
        """See GroupMeasurer."""
        gap, joined = self.gap_ns, _LEAD_NS + self.phase_ns
        begins = 0 if self.floods else None if self.join_ns is None else joined + self.join_ns
        first = None if begins is None else -(-begins // gap) * gap
        left = last = None
        ended = False
        received = 0
        if first is not None:
            left = max(first, joined) + _HOLD_NS
            end = left + (self.timeout_ns if self.leave_ns is None else self.leave_ns)
            ended = end < left + self.timeout_ns
            last = -(-end // gap) * gap - gap  # of the frames sent before it ceased
            received = (last - first) // gap + 1
        cycle = GroupCycle(
            gap_ns=gap,
            before=joined // gap if self.floods else 0,
            joined_ns=joined,
            first_ns=first,
            watched_ns=self.timeout_ns,
            left_ns=left,
            last_ns=last,
            ended=ended,
        )
        return cycle, self._trial(received)

    def _trial(self, received: int) -> Trial:
        counted = stream_counters(
            id=1,
            tx_packets=max(1000, received),
            rx_packets=received,
            rx_misrouted=self.leaks,
            rx_misrouted_ports=("p4",) if self.leaks else (),
        )
        stream = StreamResult("video", "p1", "p2", 64, Fraction(1000), counted)
        return Trial(Fraction(1, 2), 10**9, (stream,), EVIDENCE, objections=(BUSY,) if self.busy else ())


@dataclass
class GroupTable:
    """Forwards so many groups; or, where it `floods`, gives up where one more is joined, as Linux does."""

    entries: int
    floods: bool = False
    recovers: bool = True  # after a rest
    busy: frozenset[int] = frozenset()  # numbers of checks, from 1, in which the tester fell short
    lossy: frozenset[int] = frozenset()  # in which a frame was lost by accident, and the tester knows it
    counts: bool = True  # frames at other ports
    rewrites: int | None = None  # from so many groups on, it leaks frames that it has rewritten
    cold: int = 0  # so many checks from the first on lose a frame, as after a pause
    checked: int = 0
    has_given_up: bool = False

    def check(self, groups: int) -> GroupCheck:
        """See GroupTableMeasurer."""
        self.checked += 1
        self.has_given_up |= self.floods and groups > self.entries
        silent = 0 if self.has_given_up else max(0, groups - self.entries)
        silent += self.checked in self.lossy or self.checked <= self.cold
        leaked = 2 * groups if self.has_given_up else 0
        fell_short = self.checked in self.busy | self.lossy
        return GroupCheck(
            groups=groups,
            silent=silent,
            missing=0,
            leaked=leaked if self.counts else None,
            ports=("p3", "p4") if leaked and self.counts else (),
            unclear=REWRITTEN if self.rewrites is not None and groups >= self.rewrites else "",
            objections=(BUSY,) if fell_short else (),
        )

    def rest(self) -> None:
        """See GroupTableMeasurer."""
        if self.recovers:
            self.has_given_up = False


@dataclass
class GroupForwarder:
    """Forwards to members, less with each group; `limit`: what the tester offers of the load."""

    pps: int  # with one group
    slower: int = 0  # pps less with each group
    limit: Fraction = Fraction(1)
    counts: bool = True
    leaks: int = 0  # frames at a port that is no member
    deaf: bool = False  # the first member gets each frame once, the second twice, the third none

    def forwarded(self, groups: int) -> int:
        """Frames each second that it can forward."""
        return max(0, self.pps - self.slower * groups)

    def measure(self, groups: int, load: Fraction, duration: Duration) -> Trial:
        """See MatrixMeasurer."""
        intended = round(LINE_PPS * load * duration.ns / 10**9)
        sent = round(intended * self.limit)
        received = min(sent, self.forwarded(groups) * duration.ns // 10**9)
        at_ports = {"p3": 2 * received} if self.deaf else {"p3": received, "p9": self.leaks}
        elsewhere = {port: frames for port, frames in at_ports.items() if frames}
        counted = stream_counters(
            id=1,
            intended_packets=intended,
            tx_packets=sent,
            rx_packets=received,
            rx_misrouted=sum(elsewhere.values()) if self.counts else None,
            rx_misrouted_ports=tuple(elsewhere) if self.counts else (),
            rx_misrouted_by_port=tuple(elsewhere.values()) if self.counts else None,
            rx_misrouted_behind=tuple(max(0, frames - sent) for frames in elsewhere.values()),
        )
        rate = Fraction(intended * 10**9, duration.ns)
        copies = ("p3", "p4") if self.deaf else ("p3",)
        stream = StreamResult("groups", "p1", "p2", 64, rate, counted, copies=copies)
        objections = () if self.limit == 1 else (BUSY,)
        return Trial(load, duration.ns, (stream,), EVIDENCE, objections=objections)
