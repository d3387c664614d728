# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries of an engine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ..._generated.tester.v1 import query_pb2
from ...measurement.query import QuerySummary, RawRow
from ...model.plan.planned_query import PlannedQuery
from . import convert_query
from .calls import EngineCalls

_QUERY_S = 300.0  # for millions of keys


class EngineQueries:
    """The queries of an engine, which outlive this process unless they are forgotten."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls
        self._started: set[str] = set()

    def start(self, query: PlannedQuery) -> None:
        """See `TargetQueries`."""
        request = query_pb2.StartQueryRequest(query=convert_query.query_message(query))
        self._calls.ask(self._calls.stub.StartQuery, request)
        self._started.add(query.name)

    def stop(self, name: str) -> None:
        """See `TargetQueries`."""
        self._calls.ask(self._calls.stub.StopQuery, query_pb2.StopQueryRequest(name=name))

    def read(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """See `TargetQueries`."""
        request = query_pb2.ReadQueryRequest(name=name, top=top, keys=keys)
        with self._calls.errors("ReadQuery"):
            call = self._calls.stub.ReadQuery(request, timeout=_QUERY_S, metadata=self._calls.metadata)
            first = next(call)

        def rows() -> Iterator[RawRow]:
            with self._calls.errors("ReadQuery"):
                try:
                    for chunk in chain([first], call):
                        yield from map(convert_query.row_value, chunk.rows)
                finally:
                    call.cancel()

        return convert_query.summary_value(first.summary), rows()

    def forget(self, name: str) -> None:
        """See `TargetQueries`."""
        self._calls.ask(self._calls.stub.ForgetQuery, query_pb2.ForgetQueryRequest(name=name))
        self._started.discard(name)

    def forget_all(self) -> None:
        """Forgets what this session has started. Raises as `forget`."""
        for name in sorted(self._started):
            self.forget(name)
