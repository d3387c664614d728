# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries that count until they are stopped, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..errors import TargetError, TesterLibraryError
from ..measurement.query import (
    QueryResult,
    QueryRow,
    QuerySummary,
    RawRow,
    query_objections,
    time_objections,
)
from ..measurement.snapshot import Snapshot
from ..model.capture import Direction
from ..model.plan.planned_query import PlannedQuery
from ..model.query import Counted, Query
from ..planning.query import key_octets, plan_query
from ..reporting.captures.query_files import write_query
from ..reporting.record.durable import RecordError
from ..targets.base import part_of
from .connections import Connections
from .named import Named
from .tester import Tester

_INTERVAL_BYTES = 8


@dataclass
class _QueryState:
    """A query that was started; it may have been stopped."""

    planned: PlannedQuery
    before: Snapshot
    faults: int  # of the tester, before it began
    pace: int  # trials with another rate, before it began
    sent: int  # frames of its streams in trials that were recorded before it began
    after: Snapshot | None = None  # once it is stopped
    objections: tuple[str, ...] = ()  # once it is stopped


class Queries:
    """The queries of one tester, by name. They end with the test or the suite that started them."""

    def __init__(self, tester: Tester, ends: Connections) -> None:
        """`ends`: of the same tester; what they do not send is missing in a query."""
        self._tester, self._ends = tester, ends
        self._queries = Named[str, _QueryState]("query", "Count Packets, Count Distinct or Sum By")

    def start(self, query: Query) -> None:
        """Counts packets from now on.

        Raises:
            PlanError: it can never be right, one of that name counts, or the tester refuses it; nothing has
                changed.
        """
        state = self._queries.get(query.name)
        if state and state.after is None:
            raise query.refused("it counts already; stop it first, or give another name")
        capabilities = self._tester.capabilities
        order = [port.name for port in capabilities.ports]
        planned = plan_query(query, self._tester.ports, order, capabilities.matcher)
        target = self._tester.target
        if state:
            part_of(target, "queries").forget(query.name)
            del self._queries[query.name]
        before = target.snapshot()
        part_of(target, "queries").start(planned)
        faults, off_pace = len(self._tester.evidence.faults), len(self._tester.evidence.pace)
        started = _QueryState(planned, before, faults, off_pace, self._sent(query))
        self._queries.begin(query.name, started, self._tester.scopes, self._end_left)

    def query(self, name: str) -> Query:
        """A query as it was started. TesterLibraryError if there is none of that name."""
        return self._queries[name].planned.query

    def result(self, name: str, *, top: int | None = 0) -> QueryResult:
        """The result of a query with so many rows, the greatest first; None: with all, by their keys."""
        state = self._queries[name]
        unfinished = self._unfinished(state)
        summary, rows = part_of(self._tester.target, "queries").read(name, top=top)
        return self._result(state, summary, rows, unfinished)

    def row(self, name: str, key: str | Sequence[Any] = ()) -> QueryResult:
        """The result of a query for one key: one row, or none."""
        state = self._queries[name]
        query = state.planned.query
        if query.interval is not None:
            raise query.refused("it counts by intervals, each with its own value; take its table")
        unfinished = self._unfinished(state)
        summary, rows = part_of(self._tester.target, "queries").read(
            name, keys=key_octets(state.planned, key)
        )
        return self._result(state, summary, rows, unfinished)

    def canonical(self, name: str, keys: Sequence[str]) -> list[str]:
        """Keys as a result has them, in its order. PlanError for what can be no key of the query."""
        planned = self._queries[name].planned
        octets = sorted({key_octets(planned, key) for key in keys})
        return [_row(planned, RawRow(key, 0, None), without_interval=True).key for key in octets]

    def stop(self, names: Sequence[str] = ()) -> None:
        """Ends queries, all if none is named, and writes their results. Stopped ones stay as they are."""
        for name in names or list(self._queries):
            state = self._queries[name]
            if state.after is not None:
                continue
            target = self._tester.target
            part_of(target, "queries").stop(name)
            state.after = target.snapshot()
            state.objections = tuple(self._objections(state, state.after))
            self._write(state)

    def stop_all(self) -> None:
        """Ends all that count."""
        self.stop()

    def close(self) -> None:
        """Writes the results of those that nobody has stopped. Never raises: events say what is missing."""
        for name in tuple(self._queries):
            try:
                self.stop([name])
            except (TesterLibraryError, OSError) as problem:
                with suppress(RecordError):
                    self._tester.recorder.event("query_not_written", query=name, reason=str(problem))
        self._queries.clear()

    def _end_left(self, name: str) -> str:
        """Stops a query that still counts, and forgets it."""
        if name in self._queries:
            try:
                self.stop([name])
            finally:
                del self._queries[name]
                with suppress(TargetError):
                    part_of(self._tester.target, "queries").forget(name)
        return ""

    def _result(
        self, state: _QueryState, summary: QuerySummary, rows: Iterator[RawRow], unfinished: str
    ) -> QueryResult:
        planned, counters = state.planned, summary.counters
        query = planned.query
        return QueryResult(
            name=query.name,
            keys=tuple(key.name for key in planned.keys),
            count=summary.keys if query.counts is Counted.KEYS else counters.matched,
            distinct=summary.keys,
            packets=counters.matched,
            seen=counters.seen,
            missed=counters.missed,
            unread=summary.unread,
            capacity=query.capacity,
            duration_ns=summary.read_ns - summary.started_ns,
            rows=tuple(_row(planned, row) for row in rows),
            objections=state.objections if state.after else tuple(self._objections(state)),
            unfinished=unfinished,
        )

    def _objections(self, state: _QueryState, after: Snapshot | None = None) -> Iterator[str]:
        """Why packets may have escaped a query until now, came late to it, or were never sent."""
        planned, tester = state.planned, self._tester
        names = planned.ports or tuple(tester.ports)
        hears = () if planned.query.direction is Direction.TRANSMITTED else names
        now = after or tester.target.snapshot()
        yield from query_objections(state.before, now, hears, tester.rules.limits)
        if planned.tells_of_times:
            yield from time_objections(planned.name, state.before, now, tester.rules.limits)
        if planned.tells_of_tags:
            yield from filter(None, map(tester.lost_tags, hears))
        yield from self._untried(state)
        faults = [*tester.evidence.faults[state.faults :], *self._ends.faults_since(state.before)]
        if planned.tells_of_times:
            faults += tester.evidence.pace[state.pace :]
        if faults:
            more = f"; so in {len(faults) - 1} more" if len(faults) > 1 else ""
            yield f"while it counted, {faults[0]}{more}"

    def _untried(self, state: _QueryState) -> Iterator[str]:
        """Why the device was not tried, where all that is counted is of streams, and none of them was sent.

        Packets of no stream a device may send by itself, so a query that counts them, too, is judged.
        """
        query = state.planned.query
        names = ", ".join(query.streams)
        on_air = any(name in run for name in query.streams for run in self._tester.air.runs if run.is_started)
        if names and not on_air and self._sent(query) == state.sent:
            yield f"no frame of {names} was sent while it counted; send what is to be counted, then assert"

    def _sent(self, query: Query) -> int:
        """Frames of its streams in recorded trials."""
        return sum(self._tester.evidence.sent[name] for name in query.streams)

    def _unfinished(self, state: _QueryState) -> str:
        """Why more packets may come that a query counts; empty if none is sent.

        Asked before the query is read: who ends meanwhile has sent packets that were not counted then.
        """
        if state.after:
            return ""
        query = state.planned.query
        sending = [stream.name for run in self._tester.air.runs if run.is_started for stream in run.streams]
        if query.streams:
            sending = [name for name in sending if name in query.streams]
        opening = [] if query.streams else self._ends.opening
        verb = "is" if len(sending) + len(opening) == 1 else "are"
        ways = ("Stop Traffic", sending), ("Wait For Clients or Stop Clients", opening)
        stops = [way for way, names in ways if names]
        return (
            f"{', '.join((*sending, *opening))} {verb} sending, so packets may come yet; call "
            f"{' and '.join(stops)} first"
            if stops
            else ""
        )

    def _write(self, state: _QueryState) -> None:
        """The result in the evidence of the run, as files and in its events."""
        planned, recorder = state.planned, self._tester.recorder
        result = self.result(planned.name)
        _, rows = part_of(self._tester.target, "queries").read(planned.name)
        directory = recorder.directory / "queries"
        path = write_query(directory, planned.query, result, (_row(planned, row) for row in rows))
        recorder.event(
            "query",
            query=planned.name,
            file=str(path.relative_to(recorder.directory)),
            packets=result.packets,
            distinct=result.distinct,
            missed=result.missed,
            doubt=result.doubt,
        )


def _row(planned: PlannedQuery, row: RawRow, *, without_interval: bool = False) -> QueryRow:
    """A row as people read it."""
    octets, begin = row.keys, None
    if planned.interval_ns and not without_interval:
        begin = int.from_bytes(octets[:_INTERVAL_BYTES], "big") * planned.interval_ns
        octets = octets[_INTERVAL_BYTES:]
    texts = []
    for key in planned.keys:
        width = len(key.operand.mask)
        texts.append(key.text(octets[:width]))
        octets = octets[width:]
    return QueryRow(tuple(texts), row.frames, row.value, begin)
