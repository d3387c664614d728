# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The texts of assertions on queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, TesterLibraryError, VerdictFailed
from TesterLibrary.keywords._query_getter import QueryStatistic
from TesterLibrary.keywords.trials.query import Queries
from TesterLibrary.measurement.query import QueryResult, QueryRow
from TesterLibrary.model.query import LENGTH, Fact, Function, Query, QueryField, QueryKeys
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved

ROWS = tuple(QueryRow((f"10.0.0.{n}",), n, 64 * n) for n in range(1, 26))
RESULT = QueryResult("q", ("IP.src",), 25, 25, 325, 400, 0, 65_536, 10**9, ROWS)
BY_SOURCE = Query(name="q", keys=QueryKeys.parse("IP.src"))


class Known:
    """Queries that have counted this."""

    def __init__(self, query: Query, result: QueryResult) -> None:
        self._query, self._result = query, result

    def query(self, _: str) -> Query:
        return self._query

    def result(self, _: str, *, top: int | None = 0) -> QueryResult:
        rows = self._result.rows
        if top is not None:
            rows = tuple(sorted(rows, key=lambda row: row.value or 0, reverse=True)[:top])
        return replace(self._result, rows=rows)

    def row(self, _: str, key: str | Sequence[Any] = ()) -> QueryResult:
        return replace(self._result, rows=tuple(row for row in self._result.rows if row.key == key))

    def canonical(self, _: str, keys: Sequence[str]) -> list[str]:
        return sorted(keys, key=lambda key: int(key.rpartition(".")[2]))


def asked(query: Query, result: QueryResult, *words: Any, **more: Any) -> str:
    """The text of an asserting `Get Query Result`, or of the suite's mistake."""
    recorded: list[Verdict] = []

    def conclude(verdict: Verdict, message: str | None = None) -> Verdict:
        recorded.append(verdict)
        return verdict.enforce(message)

    scopes = SimpleNamespace(current=SimpleNamespace(doubts={}))
    suite: Any = SimpleNamespace(queries=Known(query, result), conclude=conclude, scopes=scopes)
    keywords = Queries(suite)
    try:
        keywords.get_query_result("q", *words, **more)
    except (VerdictFailed, Inconclusive):
        return str(recorded[0])
    except TesterLibraryError as mistake:
        return f"ERROR: {mistake}"
    return str(recorded[0]) if recorded else "nothing is judged"


def test_every_assertion_says_what_was_approved(approved: Approved) -> None:
    equal, contains = AssertionOperator["=="], AssertionOperator["contains"]
    statistic = QueryStatistic
    summed = replace(BY_SOURCE, value=LENGTH)
    by_time = replace(BY_SOURCE, interval=Duration(10**6))
    gaps = replace(BY_SOURCE, value=QueryField(Fact.GAP), function=Function.MAX, port="p1")
    all_keys = [row.key for row in ROWS]
    lines = []
    for name, result in {
        "sound": RESULT,
        "without room": replace(RESULT, missed=45, capacity=25),
        "not looked into": replace(RESULT, unread=3),
        "with frames lost": replace(RESULT, objections=("5 frames were lost in the tester's own rings",)),
    }.items():
        for label, words in {
            "count": (statistic.COUNT, equal, "25"),
            "count in vain": (statistic.COUNT, equal, "1,000"),
            "packets": (statistic.PACKETS, AssertionOperator["<="], "300"),
            "keys": (statistic.KEYS, equal, all_keys[::-1]),
            "keys in vain": (statistic.KEYS, equal, "10.0.0.2, 10.0.0.1"),
            "one key": (statistic.KEYS, contains, "10.0.0.7"),
            "one key in vain": (statistic.KEYS, contains, "10.0.0.77"),
        }.items():
            lines.append(f"{name}, {label}: {asked(BY_SOURCE, result, *words)}")
    for label, query, words, more in (
        ("packets of a key", BY_SOURCE, (statistic.VALUE, equal, 7), {"key": "10.0.0.7"}),
        ("sum of a key", summed, (statistic.VALUE, equal, 64), {"key": "10.0.0.7"}),
        ("sum of a key that was not seen", summed, (statistic.VALUE, equal, 0), {"key": "10.0.0.77"}),
        ("gap of a key", gaps, (statistic.VALUE, AssertionOperator["<"], "1 us"), {"key": "10.0.0.20"}),
        ("gap of a key that was not seen", gaps, (statistic.VALUE, equal, "0 s"), {"key": "10.0.0.77"}),
        ("value of which key", BY_SOURCE, (statistic.VALUE,), {}),
        ("key of a count", BY_SOURCE, (statistic.COUNT,), {"key": "10.0.0.7"}),
        ("table that is compared", BY_SOURCE, (statistic.TABLE, equal, 5), {}),
        ("top that is compared", BY_SOURCE, (statistic.COUNT, equal, 5), {"top": 3}),
        ("top of nothing", BY_SOURCE, (), {"top": 0}),
        ("greatest key", BY_SOURCE, (statistic.KEYS, equal, ROWS[-1].key), {"top": 1}),
        ("greatest key in vain", BY_SOURCE, (statistic.KEYS, equal, ROWS[-2].key), {"top": 1}),
        ("greatest keys, in any order", BY_SOURCE, (statistic.KEYS, equal, all_keys[-2:]), {"top": 2}),
        ("greatest key of intervals", by_time, (statistic.KEYS,), {"top": 1}),
        ("all of it", BY_SOURCE, (), {}),
        ("a count that contains", BY_SOURCE, (statistic.COUNT, contains, "1"), {}),
        ("a count with a unit", BY_SOURCE, (statistic.COUNT, equal, "1 MB"), {}),
        ("sum of a key in its unit", summed, (statistic.VALUE, equal, "1 MB"), {"key": "10.0.0.7"}),
        ("a count in words", BY_SOURCE, (statistic.COUNT, equal, "many"), {}),
    ):
        lines.append(f"{label}: {asked(query, RESULT, *words, **more)}")
    tied = replace(RESULT, rows=(*ROWS, QueryRow(("10.0.0.99",), 25, ROWS[-1].value)))
    greatest = asked(BY_SOURCE, tied, statistic.KEYS, equal, ROWS[-1].key, top=1)
    lines.append(f"greatest key of two that are as great: {greatest}")
    sending = replace(RESULT, unfinished="north is sending, so packets may come yet; call Stop Traffic first")
    at_least, below = AssertionOperator[">="], AssertionOperator["<"]
    largest, least = (replace(summed, function=function) for function in (Function.MAX, Function.MIN))
    one, other = {"key": "10.0.0.7"}, {"key": "10.0.0.77"}
    for label, query, words, more in (
        ("count that is there", BY_SOURCE, (statistic.COUNT, equal, 25), {}),
        ("count that may come", BY_SOURCE, (statistic.COUNT, equal, 26), {}),
        ("count that is exceeded", BY_SOURCE, (statistic.COUNT, equal, 24), {}),
        ("count that is reached", BY_SOURCE, (statistic.COUNT, at_least, 25), {}),
        (
            "packets that may become too many",
            BY_SOURCE,
            (statistic.PACKETS, AssertionOperator["<="], 400),
            {},
        ),
        ("all keys", BY_SOURCE, (statistic.KEYS, equal, all_keys), {}),
        ("key that is there", BY_SOURCE, (statistic.KEYS, contains, "10.0.0.7"), {}),
        ("key that may come", BY_SOURCE, (statistic.KEYS, contains, "10.0.0.77"), {}),
        ("sum that may rise", summed, (statistic.VALUE, equal, 64 * 8), one),
        ("sum of a key that may come", summed, (statistic.VALUE, AssertionOperator[">"], 0), other),
        ("greatest value that may rise", largest, (statistic.VALUE, below, 1000), one),
        ("greatest value that is reached", largest, (statistic.VALUE, at_least, 64), one),
        ("least value that may fall", least, (statistic.VALUE, at_least, 64), one),
        ("least value that is low", least, (statistic.VALUE, below, 1000), one),
        ("least value of a key that may come", least, (statistic.VALUE, below, 1000), other),
    ):
        lines.append(f"while it counts, {label}: {asked(query, sending, *words, **more)}")
    approved("query", "\n".join(lines))
