# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries of a switch: each has a table (p4/controls/queries.p4), and a row is the counter of an entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....errors import PlanError, TargetError
from ....measurement.query import QueryCounters, QuerySummary, RawRow
from ....model.capture import Direction
from ....model.plan.planned_query import PlannedQuery
from ....planning.switch.query import Counts, QueryEntry, directions, query_entries
from ....planning.switch.resources import QUERIES
from ..session.repeated_call import Turn, in_turn
from ..session.session import SwitchSession
from ..session.switch import Asked, number_of
from .entry import Masked, TableEntry

_CONTROLS = {
    Direction.RECEIVED: "ExternalIngress.queries.query_{}",
    Direction.TRANSMITTED: "ExternalEgress.queries.query_{}",
}
TABLES = {
    direction: tuple(f"external.{control.format(number)}.rows" for number in range(QUERIES))
    for direction, control in _CONTROLS.items()
}
_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_COUNTER_BYTES = 16  # of an entry: packets and bytes


@dataclass(frozen=True)
class _Counted:
    """The counters of a query at one time of the driver's clock."""

    read_ns: int
    frames: Counter[bytes] = field(default_factory=Counter)  # by keys
    octets: Counter[bytes] = field(default_factory=Counter)
    apart: Counter[Counts] = field(default_factory=Counter)  # that are in no row

    def __add__(self, past: _Counted) -> _Counted:
        """The counters of now and those of before together."""
        return _Counted(
            self.read_ns, self.frames + past.frames, self.octets + past.octets, self.apart + past.apart
        )


@dataclass(frozen=True)
class _Running:
    """A query that was started."""

    planned: PlannedQuery
    tables: Mapping[Direction, int]
    entries: tuple[QueryEntry, ...]
    started_ns: int
    past: tuple[_Counted, ...] = ()  # of streams that were unloaded
    stopped: _Counted | None = None
    lost: bool = False

    @property
    def counts(self) -> bool:
        """Whether it has entries in the switch."""
        return self.stopped is None and not self.lost

    def written(self, entries: Iterable[QueryEntry]) -> list[TableEntry]:
        """Entries of its in the switch."""
        return [
            TableEntry(
                TABLES[entry.direction][table],
                {
                    **{match.key: Masked(match.value, match.mask) for match in entry.match},
                    "$MATCH_PRIORITY": entry.counts.value,
                },
                f"{_CONTROLS[entry.direction].format(table)}.count",
            )
            for entry in entries
            for table in (self.tables[entry.direction],)
        ]

    @property
    def key_bytes(self) -> int:
        """Bytes of a row's keys."""
        return sum(len(key.operand.mask) for key in self.planned.keys)


class SwitchQueries:
    """The queries of a session.

    Args:
        session: The session.
        order: The names of its ports, in the order in which queries number them.
        now_ns: The driver's clock.
        turn: Runs one call at a time.
    """

    def __init__(
        self, session: SwitchSession, order: Sequence[str], now_ns: Callable[[], int], turn: Turn
    ) -> None:
        self._session, self._order, self._now_ns, self._turn = session, order, now_ns, turn
        self._known: dict[str, _Running] = {}
        self._streams: Mapping[str, Sequence[int]] = {}

    @in_turn
    def start(self, query: PlannedQuery) -> None:
        """Counts packets from now on. PlanError if a switch cannot, or has no table left."""
        if query.name in self._known:
            raise query.query.refused("there is one of that name; forget it first")
        entries = self._entries(query, self._streams)
        tables = {direction: self._free(query, direction) for direction in directions(query)}
        running = _Running(query, tables, entries, self._now_ns())
        self._session.write(running.written(entries))
        self._known[query.name] = running

    def check(self, streams: Mapping[str, Sequence[int]]) -> None:
        """PlanError if a query would need too many entries for these streams."""
        for query in self._known.values():
            if query.counts:
                self._entries(query.planned, streams)

    def follow(self, streams: Mapping[str, Sequence[int]]) -> None:
        """Counts these streams, by their names and numbers, for the queries that want them.

        What was counted of streams that are gone is kept.
        """
        self._streams = streams
        for name, query in self._known.items():
            if query.counts and query.planned.query.streams:
                wanted = self._entries(query.planned, streams)
                gone, new = {*query.entries} - {*wanted}, {*wanted} - {*query.entries}
                past = (*query.past, self._read(query, tuple(gone))) if gone else query.past
                self._session.remove(query.written(gone))
                self._session.write(query.written(new))
                self._known[name] = replace(query, entries=wanted, past=past)

    @in_turn
    def stop(self, name: str) -> None:
        """Stops counting and keeps what was counted."""
        query = self._find(name)
        if query.counts:
            self._known[name] = replace(query, stopped=self._now(query))
            self._session.remove(query.written(query.entries))

    @in_turn
    def read(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """See `TargetQueries`."""
        query = self._find(name)
        if query.lost:
            raise TargetError(
                f"query {name!r}: the switch was reached again while it counted, and what it had counted is "
                "lost; start it anew"
            )
        if keys is not None and len(keys) != query.key_bytes:
            raise PlanError(f'query "{name}": keys of {len(keys)} bytes; its own have {query.key_bytes}')
        counted = query.stopped or self._now(query)
        summary = QuerySummary(
            counters=_counters(query, counted),
            keys=len(counted.frames),
            started_ns=query.started_ns,
            read_ns=counted.read_ns,
            unread=counted.apart[Counts.UNREAD],
        )
        return summary, iter(_chosen(_rows(query, counted), top, keys))

    @in_turn
    def forget(self, name: str) -> None:
        """Stops a query and deletes what it has counted."""
        query = self._find(name)
        if query.counts:
            self._session.remove(query.written(query.entries))
        del self._known[name]

    def counters(self) -> tuple[QueryCounters, ...]:
        """The counters of all queries but lost ones, by name."""
        return tuple(
            _counters(query, query.stopped or self._now(query))
            for _, query in sorted(self._known.items())
            if not query.lost
        )

    def lose(self) -> None:
        """Takes note that the switch has lost all of its entries."""
        self._known = {
            name: replace(query, lost=query.stopped is None) for name, query in self._known.items()
        }

    def _entries(self, planned: PlannedQuery, streams: Mapping[str, Sequence[int]]) -> tuple[QueryEntry, ...]:
        numbers = sorted(number for name in planned.query.streams for number in streams.get(name, ()))
        return query_entries(planned, self._session.numbers, self._order, numbers)

    def _free(self, planned: PlannedQuery, direction: Direction) -> int:
        """A table that no query has. PlanError if there is none."""
        counting = {
            query.tables[direction]: name
            for name, query in self._known.items()
            if query.counts and direction in query.tables
        }
        for number in range(QUERIES):
            if number not in counting:
                return number
        raise planned.query.refused(
            f"not on a switch: queries of {direction.name.lower()} packets at once: {len(counting) + 1} "
            f"needed, {QUERIES} there, 1 too many: {', '.join(counting.values())} count; stop one of them, "
            "or use a testerd"
        )

    def _find(self, name: str) -> _Running:
        if name not in self._known:
            raise PlanError(f'there is no query "{name}"; there are {", ".join(self._known) or "none"}')
        return self._known[name]

    def _now(self, query: _Running) -> _Counted:
        """All that it has counted so far."""
        return sum(query.past, self._read(query, query.entries))

    def _read(self, query: _Running, entries: Sequence[QueryEntry]) -> _Counted:
        """The counters of some of its entries."""
        counted = _Counted(self._now_ns())
        readings = self._session.read([Asked(entry.table, entry.key) for entry in query.written(entries)])
        for entry, reading in zip(entries, readings, strict=True):
            packets, size = number_of(reading, _PACKETS), number_of(reading, _OCTETS)
            if entry.counts is not Counts.ROW:
                counted.apart[entry.counts] += packets
            elif packets:
                counted.frames[entry.keys] += packets
                counted.octets[entry.keys] += size - entry.worn * packets
        return counted


def _counters(query: _Running, counted: _Counted) -> QueryCounters:
    matched = counted.frames.total()
    return QueryCounters(
        name=query.planned.name,
        running=query.stopped is None,
        seen=matched + counted.apart.total(),
        matched=matched,
        memory_bytes=_COUNTER_BYTES * len(query.entries),
    )


def _rows(query: _Running, counted: _Counted) -> list[RawRow]:
    """Rows by ascending keys."""
    return [
        RawRow(keys, frames, counted.octets[keys] if query.planned.value else None)
        for keys, frames in sorted(counted.frames.items())
    ]


def _chosen(rows: list[RawRow], top: int | None, keys: bytes | None) -> list[RawRow]:
    if keys is not None:
        return [row for row in rows if row.keys == keys]
    if top is None:
        return rows
    return sorted(rows, key=lambda row: row.frames if row.value is None else row.value, reverse=True)[:top]
