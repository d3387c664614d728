# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries and triggers, which a tester refuses that does not look into each packet for them."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import PlanError
from ...measurement.query import QuerySummary, RawRow
from ...model.plan.plan import Plan
from ...model.plan.planned_query import PlannedQuery


def refuse_triggers(plan: Plan, tester: str) -> None:
    """Raises PlanError if a plan has a trigger. `tester` is its kind with its article: `a switch`."""
    for end in plan.ends:
        if end.is_trigger:
            raise PlanError(
                f"trigger {end.name!r}: {tester} sends nothing because a packet has arrived, but for its "
                "responders; use a testerd"
            )


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
