# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that a suite works out from results of queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._query_getter import QueryStatistic
from TesterLibrary.keywords.tester.value import Value
from TesterLibrary.keywords.trials.query import Queries
from TesterLibrary.measurement.query import QueryResult
from TesterLibrary.model.query import Query, QueryKeys
from TesterLibrary.running.sending import send
from TesterLibrary.running.suite import Suite
from TesterLibrary.verdict import Outcome

from ...running.test_queries import Counting
from ...running.testers import SECOND, opened, stream

AT_MOST = AssertionOperator["<="]
STALLED = "largest burst: while it counted, a worker did not run for 200.0 ms"


def counting(directory: Path, stalls: list[int]) -> Suite:
    """A test in which a query has counted while a stream was sent."""
    suite = opened(directory, target=Counting(stalls=stalls))
    suite.queries.start(Query(name="q", keys=QueryKeys.parse("IP.src")))
    send(suite.tester, [stream()], packets=10, timeout=SECOND)
    return suite


@pytest.mark.parametrize("reads", ["rows", "table", "value", "object"])
def test_a_value_from_a_query_of_a_tester_that_fell_short_is_open(tmp_path: Path, reads: str) -> None:
    """The burst may be the tester's own: what waited in its rings came all at once."""
    suite = counting(tmp_path, [1])
    queries, value = Queries(suite), Value(suite)
    with pytest.raises(VerdictFailed):
        value.verify_value(30, AT_MOST, 20, of="something else")
    match reads:
        case "rows":
            queries.get_query_result("q", top=1)
        case "table":
            queries.get_query_result("q", QueryStatistic.TABLE)
        case "value":
            queries.get_query_result("q", QueryStatistic.VALUE, key="10.0.0.1")
        case _:
            queries.get_query_result("q")
    with pytest.raises(Inconclusive, match=STALLED):
        value.verify_value(30, AT_MOST, 20, of="largest burst")
    suite.scopes.enter(["s1", "s1-t2"])
    assert value.verify_value(10, AT_MOST, 20, of="largest burst").outcome is Outcome.PASS


def test_a_value_may_be_said_to_come_from_a_query(tmp_path: Path) -> None:
    suite = counting(tmp_path, [1])
    queries, value = Queries(suite), Value(suite)
    result = queries.get_query_result("q")
    assert isinstance(result, QueryResult)
    with pytest.raises(Inconclusive, match=STALLED):
        value.verify_value(30, AT_MOST, 20, result, of="largest burst")


def test_a_value_from_a_sound_query_is_judged(tmp_path: Path) -> None:
    suite = counting(tmp_path, [])
    Queries(suite).get_query_result("q", top=1)
    assert Value(suite).verify_value(10, AT_MOST, 20, of="largest burst").outcome is Outcome.PASS
