# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of queries, and whether a record may be missing. `query.proto` defines what is counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .._generated.tester.v1.counters import QueryCounters
from .evidence import EvidenceLimits, gap_objection, waited_ns
from .port_evidence import link_objection, links_down, lost_at_ports, port_evidence, port_objections
from .snapshot import Snapshot

__all__ = [
    "QueryCounters",
    "QueryResult",
    "QueryRow",
    "QuerySummary",
    "RawRow",
    "query_objections",
    "time_objections",
]

_OVERFLOWN = (1 << 64) - 1  # a sum that would be more than 64 bits


@dataclass(frozen=True)
class QuerySummary:
    """A query at one instant, without its rows. Times are nanoseconds of the tester's clock."""

    counters: QueryCounters
    keys: int  # different ones
    started_ns: int
    read_ns: int  # until when packets are counted
    unread: int = 0  # packets that may have been meant, whose headers the tester does not reach


@dataclass(frozen=True)
class RawRow:
    """A row as a tester has it."""

    keys: bytes  # one after the other; the number of the interval first, of eight bytes, where there are some
    frames: int
    value: int | None


@dataclass(frozen=True)
class QueryRow:
    """The packets with equal keys, in one interval where the query has some. Prints as one line."""

    keys: tuple[str, ...]  # as the fields' values are written: `10.0.0.1`, `80`
    packets: int
    value: int | None = (
        None  # sum, least or greatest; None where packets are counted only, or none has a value
    )
    interval_ns: int | None = None  # begin of the interval, from the query's start; None without intervals

    def __str__(self) -> str:
        at = "" if self.interval_ns is None else f"at {self.interval_ns:,} ns "
        value = "" if self.value is None else f"{self.value:,} in "
        return f"{at}{' '.join(self.keys) or 'all'}: {value}{self.packets:,} packets"

    @property
    def key(self) -> str:
        """All keys as one text, with commas between them."""
        return ",".join(self.keys)


@dataclass(frozen=True)
class QueryResult:
    """The result of a query, so far or until it was stopped. Prints as one line."""

    name: str
    keys: tuple[str, ...]  # names of the fields that packets are counted by
    count: int  # different keys of `Count Distinct`, packets of other queries
    distinct: int  # different keys; of a query with intervals, in all of them
    packets: int  # that matched, those without room included
    seen: int  # packets that went by
    missed: int  # packets that matched, and whose keys found no room
    capacity: int  # different keys for which there was room
    duration_ns: int  # from the start of the query to its end, or until now
    rows: tuple[QueryRow, ...] = ()  # all, or those that were asked for
    objections: tuple[str, ...] = ()  # why the tester did not do its part
    unread: int = 0  # packets that may have been meant, whose headers the tester does not reach
    unfinished: str = ""  # why more packets may come; empty if nothing is sending

    @property
    def doubt(self) -> str:
        """Why nothing can be concluded from it; empty if something can."""
        return "; ".join((*self.missing(), *self.objections))

    @property
    def open(self) -> str:
        """Why it is not final, or nothing can be concluded from it; empty if it is, and something can."""
        return self.doubt or self.unfinished

    def missing(self) -> Iterator[str]:
        """Why packets may be missing in it, however well the tester did its part."""
        if self.missed:
            yield (
                f"{self.missed:,} packets of query {self.name!r} had keys beside the {self.capacity:,} for "
                f"which it has room: up to {self.missed:,} keys may be missing; give it more capacity"
            )
        if self.unread:
            yield (
                f"{self.unread:,} packets had VLAN tags, IP options or extension headers behind which a "
                f"switch does not look: query {self.name!r} may have meant as many more; use a testerd"
            )
        if any(row.value == _OVERFLOWN for row in self.rows):
            yield f"a sum of query {self.name!r} is more than 64 bits hold"

    def __str__(self) -> str:
        keys = f", {self.distinct:,} different {','.join(self.keys)}" if self.keys else ""
        text = f"{self.name}: {self.packets:,} of {self.seen:,} packets{keys}"
        text += f", {self.unread:,} NOT LOOKED INTO" if self.unread else ""
        return f"{text}, {self.missed:,} WITHOUT ROOM" if self.missed else text


def query_objections(
    before: Snapshot, after: Snapshot, ports: Collection[str], limits: EvidenceLimits
) -> Iterator[str]:
    """Why packets may have escaped a query between two snapshots."""
    yield from link_objection(links_down(before, after, ports), limits.max_links_down)
    yield from port_objections(port_evidence(before, after, ports), limits.max_tester_drops)
    drops = lost_at_ports(before, after, ports)
    if drops > limits.max_tester_drops:
        yield (
            f"{drops:,} frames were lost in the tester's own rings and interfaces before a query could see "
            f"them (limit {limits.max_tester_drops}): as many records may be missing"
        )


def time_objections(name: str, before: Snapshot, after: Snapshot, limits: EvidenceLimits) -> Iterator[str]:
    """Why the times that a query tells of may be those of the tester, whether or not a job ran beside it."""
    for query in after.queries:
        if query.name == name:
            yield from gap_objection(query.worst_worker_gap_ns, waited_ns(before, after), limits)
