# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries, which a tester refuses that does not count packets by keys."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import PlanError
from ...measurement.query import QuerySummary, RawRow
from ...model.planned_query import PlannedQuery


class WithoutQueries:
    """The calls of a `Target` that has no queries: each refuses, and names the query."""

    tester_kind = "this tester"  # with its article: `a switch`

    def start_query(self, query: PlannedQuery) -> None:
        """Refuses a query."""
        raise self._refused(query.name)

    def stop_query(self, name: str) -> None:
        """There is none."""
        raise self._refused(name)

    def read_query(
        self,
        name: str,
        *,
        top: int | None = None,  # noqa: ARG002 - as `Target` has it
        keys: bytes | None = None,  # noqa: ARG002
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """There is none."""
        raise self._refused(name)

    def forget_query(self, name: str) -> None:
        """There is none."""
        raise self._refused(name)

    def _refused(self, name: str) -> PlanError:
        return PlanError(f"query {name!r}: {self.tester_kind} does not count packets by keys; use a testerd")
