# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of clients or a responder over a measured time, and whether the tester did its part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from ..model.units.number import percent, were
from ..verdict import Between, Undecided
from . import session_remarks
from .evidence import EvidenceLimits, backlog_objection, gap_objection, waited_ns
from .port_evidence import (
    held_objections,
    link_objection,
    links_down,
    lost_at_ports,
    port_evidence,
    port_objections,
)
from .session_numbers import OPENING_TIMES
from .sessions import SessionStatistics
from .snapshot import Snapshot
from .validated import Validated

_OVER_MEAN = 2  # more are under way than a steady rate has on average
_AT_ONCE = 3  # openings of one moment


@dataclass(frozen=True)
class SessionTrial(Validated):
    """One measurement of an end over a time. Prints as one line."""

    statistics: SessionStatistics
    due: Fraction | None = None  # openings that their rate asked for; None: as fast as they could
    objections: tuple[str, ...] = ()
    unanswered: int | None = 0  # connections that wait for longer than usual; None: not known
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    failed_before: str = ""  # what had failed of these clients before it began
    all_in_use: int = 0  # the clients' `connections`, if all were in use while another was due; else 0
    unopened: int = 0  # connections that were due while all places were in use, and were not opened
    late: int = 0  # the same, with those that were opened late
    over: bool = False  # whether all connections of the clients' `total` were over before the time was
    silent: int = 0  # connections without any answer, where none had one in this time
    # Since the clients' start, where the connections that failed in it leave no place to open another one.
    whole: SessionStatistics | None = None
    earlier_objections: tuple[str, ...] = ()  # why `whole` is not to be trusted
    earlier_attempts: tuple[str, ...] = ()
    unserved: bool = False  # no request was answered as asked for, and no connection is open that may be
    awaited: Mapping[str, int] = field(default_factory=dict)  # by time, connections that wait for it too long
    changed_at: Mapping[str, int] = field(default_factory=dict)  # by responder, bytes of these clients
    shared: bool = False  # whether those bytes may be of other clients
    uncompared: int = 0  # connections whose content nobody has compared, at most
    uncompared_text: str = ""
    unasked: int = 0  # requests before which servers closed connections, since the clients' start

    @property
    def omission(self) -> str:
        """Connections that were not opened when they were due, and what to do; empty if there were none."""
        if not self.late:
            return ""
        counts = f"{self.late:,} connections were due while no place was free"
        if self.due is not None:
            counts = (
                f"{float(self.due):,.0f} connections were due, and {self.statistics.openings:,} were opened"
            )
        most = f"all connections={self.all_in_use:,}" if self.all_in_use else "all connections"
        return (
            f"{counts}: {most} were in use, and nobody knows the times of those that waited for a place; "
            "give the clients more connections"
        )

    def untimed(self, name: str) -> tuple[int, str]:
        """Connections whose time of this name may be any; and why, empty if all times are known."""
        count, opened = self.statistics.times(name).count, self.statistics.openings or 1
        late = ceil(self.late * max(Fraction(1), Fraction(count, opened)))
        waiting = self.awaited.get(name.rpartition(".")[2], 0)
        waits = f"{waiting:,} connections wait for longer than others did, and their {name} is not known"
        least, most = self.failed_without(name)
        failed = f"{most:,} connections failed, at least {least:,} of them without it" if most else ""
        return late + waiting, "; ".join(filter(None, (self.omission, waits if waiting else "", failed)))

    def failed_without(self, name: str) -> tuple[int, int]:
        """Connections that failed without the time of this name, at least and at most: it is without end."""
        counted = self.statistics
        failed, established = counted.failed or 0, counted.established
        if not counted.opens or not failed:
            return 0, 0
        most = failed
        if established is not None and name.rpartition(".")[2] in OPENING_TIMES:
            most = min(failed, max(0, counted.openings - established))
        # Each connection that ended well has this time, and each that failed has it or not.
        least = failed + (counted.completed or 0) - counted.times(name).count
        return max(0, min(least, most)), most

    @property
    def judged(self) -> SessionStatistics:
        """The statistics that failures are judged by."""
        return self.whole or self.statistics

    @property
    def failures(self) -> int | None:
        """Flows that failed, or had no answer where none had one; None where they are not counted."""
        failed = self.judged.failed
        return None if failed is None else failed + self.silent

    @property
    def failed_part(self) -> Fraction | None:
        """Flows that failed, of those that were opened or were open; None where they are not counted."""
        failures, flows = self.failures, self.flows
        if failures is None:
            return None
        return Fraction(failures, flows) if flows else Fraction(0)

    @property
    def failed_counts(self) -> Between | None:
        """Flows that failed, with what is known of their content; None where they are not counted.

        At least one of them has a byte that arrived changed at a responder, and at most one for each byte.
        The same holds for requests that were not asked, as a server closed the connection before them.
        """
        failures, changed = self.failures, sum(self.changed_at.values())
        if failures is None:
            return None
        least = max(failures, int(changed > 0 and not self.shared), failures + 1 if self.unasked else 0)
        most = max(least, min(self.flows, failures + changed + self.uncompared + self.unasked))
        if self.uncompared_text:
            return Undecided(least, most, self.uncompared_text)
        return Between(least, most)

    @property
    def failed_bounds(self) -> Between | None:
        """The same, as parts of the flows."""
        counts, flows = self.failed_counts, self.flows or 1
        if counts is None:
            return None
        return replace(counts, least=Fraction(counts.least, flows), most=Fraction(counts.most, flows))

    @property
    def flows(self) -> int:
        """Flows of which it says something: opened in its time, or before and still open then."""
        counted = self.judged
        return max(counted.openings, counted.begun or 0, self.failures or 0)

    @property
    def dead(self) -> bool:
        """Whether no flow ended well or was served, and more failed than may still be."""
        counted = self.judged
        served = counted.established if counted.transactions is None else counted.transactions
        if not counted.opens or counted.completed or served:
            return False
        return (self.failures or 0) > max(0, (counted.concurrent or 0) - self.silent)

    @property
    def doubt(self) -> str:
        """Why nothing can be concluded from it; empty if something can."""
        doubts = *self.objections, *self.earlier_objections, self.statistics.all_malformed
        return "; ".join(dict.fromkeys(filter(None, doubts)))

    @property
    def connection_rate(self) -> float | None:
        """Connections established each second; None where they are not counted."""
        return self.statistics.connection_rate

    @property
    def goodput_bps(self) -> float | None:
        """Bits of payload received in order each second; None where it is not counted."""
        return self.statistics.goodput_bps

    def __str__(self) -> str:
        text = str(self.statistics)
        return self.marked(text)


def left_waiting(looks: Sequence[SessionStatistics]) -> int | None:
    """Connections that still wait, if some have for longer than others took; None if not known.

    At a steady rate as many are opening as are opened within the time that an answer takes. Where more wait
    at each of several looks, all since the start, the answers do not come.
    """
    counts = [(look.waiting, look) for look in looks]
    least = min((count for count, _ in counts if count is not None), default=None)
    if least is None:
        return None
    usual = ceil(max(map(_rate, looks)) * max(look.slowest_ns for look in looks))
    return least if least > usual else 0


def awaited(look: SessionStatistics) -> Mapping[str, int]:
    """Connections of clients that have neither a time nor failed, by times; more than usually are under way.

    Later looks do not help: who is answered behind the measured time has no time in it. Nor does the slowest
    answer, which may have come when a server went on that stood still.
    """
    names = sorted({key.partition(".")[2] for key in look.histograms}) if look.opens else []
    waiting = {name: _without(look, name) for name in names}
    return {name: count for name, count in waiting.items() if count}


def _without(look: SessionStatistics, name: str) -> int:
    """Connections that wait for a time of this name; 0 where none has one, or one has several."""
    times = look.times(name)
    if not times.count or look.failed is None:
        return 0
    waiting = look.openings - times.count - look.failed
    parts = {key.partition(".")[2] for key in look.histograms} & {name, *OPENING_TIMES}
    usual = _OVER_MEAN * _rate(look) * sum(look.times(part).mean or 0 for part in parts) + _AT_ONCE
    return waiting if waiting > usual else 0


def _rate(look: SessionStatistics) -> float:
    """Openings each nanosecond."""
    return look.openings / look.duration_ns if look.duration_ns else 0


def _trouble(statistics: SessionStatistics) -> str:
    """The flows and segments that a lost frame may have hit; empty if there are none."""
    counts = {
        "failed": statistics.failed,
        "wait for an answer": statistics.unanswered if statistics.opens else 0,
        "were sent again": statistics.retransmitted,
    }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def objections(
    statistics: SessionStatistics,
    due: Fraction | None,
    before: Snapshot,
    after: Snapshot,
    ports: Collection[str],
    limits: EvidenceLimits,
    *,
    job: str,
    held_up: bool = False,
    backlog_dropped: int = 0,
) -> Iterator[str]:
    """Each reason why a time of measuring is not to be trusted, with the value and its limit.

    `job` is that of the clients or the responder. `held_up`: as many flows as may be open at once were
    open at some time since the start, or have failed and are not opened again. `backlog_dropped`: frames
    that this machine's kernel dropped before an embedded device.
    """
    earlier, now = before.job(job), after.job(job)
    yield from now.meddling(earlier, {}) if now else ()
    yield from link_objection(links_down(before, after, ports), limits.max_links_down)
    yield from port_objections(port_evidence(before, after, ports), limits.max_tester_drops)
    yield from held_objections(before, after, ports, limits.max_rate_error)
    slow = f"; {session_remarks.interpreted(statistics)}" if statistics.interpreted else ""
    drops = lost_at_ports(before, after, ports)
    if drops > limits.max_tester_drops:
        yield (
            f"{were(drops, 'frame')} lost in the tester's own rings and interfaces "
            f"(limit {limits.max_tester_drops}){slow}"
        )
    if trouble := _trouble(statistics):
        yield from backlog_objection(backlog_dropped, f"of flows and segments {trouble}", limits)
    gap_ns = now.worst_gap_ns(earlier) if now else 0
    yield from gap_objection(gap_ns, waited_ns(before, after), limits)
    # One opening may be due at either end of the time. Openings that wait for others wait for the device.
    if due is not None and not held_up:
        missing = due - statistics.openings - 2
        if missing > due * limits.max_shortfall:
            yield (
                f"the tester opened {statistics.openings:,} of {float(due):,.0f} flows in time "
                f"(limit {percent(limits.max_shortfall, 3)} fewer){slow}"
            )
    if (mixed := after.mixed.get(statistics.name)) and not statistics.smooth:
        yield mixed
    yield from statistics.unread_texts
    for count, what in (
        (statistics.full, "packets and openings were turned away, because all its flows were taken"),
        (statistics.not_sent, "frames were not sent, because the port did not take them"),
        (statistics.endless, "events were given up, because the protocol goes on without end"),
    ):
        if count:
            yield f"{count:,} {what}"
