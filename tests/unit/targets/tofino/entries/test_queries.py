# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of queries in the driver; tests/contract has the counting of all targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.plan.planned_query import PlannedQuery
from TesterLibrary.planning.switch.resources import QUERIES
from TesterLibrary.targets.tofino.entries.queries import TABLES

from ....planning.test_query import planned
from ..driver.test_target import Driven


def named(name: str, keys: str = "", filter: str = "", **more: Any) -> PlannedQuery:  # noqa: A002
    query = planned(keys, filter, **more)
    return replace(query, query=replace(query.query, name=name))


def held(driven: Driven, direction: Direction = Direction.RECEIVED) -> list[int]:
    return [driven.matched().get(table, 0) for table in TABLES[direction]]


def test_each_query_has_a_table_which_is_empty_when_it_stops() -> None:
    driven = Driven()
    for number in range(QUERIES):
        driven.target.queries.start(named(f"q{number}", "IP.ttl", "IP.ttl == 1-4"))
    full = 2 * (4 + 3 + 1)  # of two ports: rows, packets behind other tags, all others
    assert held(driven) == [full] * QUERIES
    with pytest.raises(
        PlanError,
        match="'more': not on a switch: queries of received packets at once: 5 needed, 4 there, 1 too many",
    ):
        driven.target.queries.start(named("more"))
    driven.target.queries.stop("q2")
    driven.target.queries.forget("q0")
    assert held(driven) == [0, full, 0, full]
    driven.target.queries.start(named("more"))
    everything = 2 * (1 + 1)  # of two ports: its row, and all others
    assert held(driven) == [everything, full, 0, full]
    driven.target.queries.forget("q2")
    assert held(driven) == [everything, full, 0, full], "what is stopped has no table that another could have"
    driven.target.close()
    assert held(driven) == [0] * QUERIES


def test_what_leaves_has_tables_of_its_own_and_both_directions_have_one_of_each() -> None:
    driven, out = Driven(), Direction.TRANSMITTED
    driven.target.queries.start(named("in", port="p2"))
    driven.target.queries.start(named("both", port="p2", direction=Direction.BOTH))
    for number in range(QUERIES - 1):
        driven.target.queries.start(named(f"q{number}", port="p2", direction=out))
    assert (held(driven), held(driven, out)) == ([2, 2, 0, 0], [2] * QUERIES)
    for direction in (out, Direction.BOTH):
        with pytest.raises(
            PlanError, match="queries of transmitted packets at once: 5 needed, 4 there, 1 too many: both, q0"
        ):
            driven.target.queries.start(named("more", port="p2", direction=direction))
    assert (held(driven), held(driven, out)) == ([2, 2, 0, 0], [2] * QUERIES), "nothing has changed"
    driven.target.queries.stop("both")
    assert (held(driven), held(driven, out)) == ([2, 0, 0, 0], [0, 2, 2, 2])


def test_streams_of_a_query_come_and_go_and_what_they_sent_is_kept() -> None:
    driven = Driven()
    driven.target.queries.start(named("q", "IP.ttl", "IP.ttl == 1-64", port="p2", streams=("north", "south")))
    assert held(driven)[0] == 1, "that of all others"
    driven.target.load(driven.plan())
    driven.target.load(driven.plan("south", first=2))
    driven.target.load(driven.plan("else", first=3))
    assert held(driven)[0] == 1 + 2 * (64 + 3), "rows, and packets behind other tags"
    for job, packets in (("north", 5), ("south", 7), ("else", 9)):
        driven.run(job, packets)
    driven.target.unload(["north"])
    assert held(driven)[0] == 1 + 64 + 3
    driven.target.load(driven.plan())
    driven.run("north", 4)
    summary, rows = driven.target.queries.read("q")
    assert (summary.counters.seen, [row.frames for row in rows]) == (25, [16])


def test_a_job_whose_streams_a_query_has_no_entries_for_is_refused() -> None:
    driven = Driven()
    driven.target.queries.start(named("q", "UDP.dport", "UDP.dport == 1-300", streams=("north",), port="p2"))
    driven.target.load(driven.plan())
    before = driven.matched()
    with pytest.raises(
        PlanError, match="query 'q': not on a switch: entries of a query: 619 needed, 512 there"
    ):
        driven.target.load(replace(driven.plan(first=2), job="again"))
    assert driven.matched() == before
    assert [stream.id for stream in driven.target.snapshot().streams] == [1]


def test_what_a_query_had_counted_before_a_restart_is_inconclusive() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    for name in ("stopped", "q"):
        driven.target.queries.start(named(name))
    driven.run("north", 5)
    driven.target.queries.stop("stopped")
    driven.daemon.stop()
    driven.daemon.start()
    with pytest.raises(TargetError, match="it was reached again"):
        driven.target.queries.read("q")
    with pytest.raises(
        TargetError, match="query 'q': the switch was reached again while it counted, and what"
    ):
        driven.target.queries.read("q")
    driven.target.queries.stop("q")
    assert driven.target.queries.read("stopped")[0].counters.seen == 5
    assert [query.name for query in driven.target.snapshot().queries] == ["stopped"]
    driven.target.queries.forget("q")
    driven.target.queries.start(named("q"))
    driven.run("north", 7)
    assert driven.target.queries.read("q")[0].counters.seen == 7
