# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of queries, asserted where an operator is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from math import inf
from typing import Any

from assertionengine import AssertionOperator

from ..errors import TesterLibraryError
from ..measurement.query import QueryResult, QueryRow
from ..model.query import Fact, Function
from ..running.suite import Suite
from ..verdict import Undecided
from ._assertion import asserted
from ._unit import COUNT, OCTETS, TIME, Unit

_UNITS: dict[Any, Unit] = {Fact.GAP: TIME, Fact.LENGTH: OCTETS}
_EQUALITIES = (AssertionOperator["=="], AssertionOperator["!="])
_CONTAINS = AssertionOperator["contains"]
_MOST_SHOWN = 20  # keys in a message
_FEW = 3  # that are named, not counted


class QueryStatistic(Enum):
    """The part of a query that is read."""

    COUNT = "count"
    KEYS = "keys"
    PACKETS = "packets"
    VALUE = "value"
    TABLE = "table"


class QueryGetter:
    """Reads one query; an assertion on it is a verdict."""

    def __init__(self, suite: Suite, name: str, message: str | None) -> None:
        self._suite, self._name, self._message = suite, name, message

    def result(
        self,
        result: QueryStatistic | None,
        operator: AssertionOperator | None,
        expected: Any,
        *,
        key: str | None,
        top: int | None,
    ) -> QueryResult | list[QueryRow] | list[str] | int | None:
        """The part of a query that is read, or its rows, as `Get Query Result` returns them."""
        if top is not None:
            if top < 1:
                raise TesterLibraryError(f"top={top} rows are too few; give 1 or more")
            if result is QueryStatistic.KEYS:
                return self.keys(operator, expected, top)
            if result is not None or operator is not None:
                raise TesterLibraryError(
                    "top= goes with keys, which it asserts, or with no result, and returns rows"
                )
            return list(self.found(top).rows)
        if key is not None and result is not QueryStatistic.VALUE:
            raise TesterLibraryError("key= names the row of a value; write Get Query Result    NAME    value")
        if result is None:
            return self.found(0)
        if result is QueryStatistic.TABLE:
            if operator is not None:
                raise TesterLibraryError("a table cannot be compared; take count, keys, packets or value")
            return list(self.found(None).rows)
        if result is QueryStatistic.KEYS:
            return self.keys(operator, expected)
        if result is QueryStatistic.VALUE:
            return self.value(key, operator, expected)
        read = self.count if result is QueryStatistic.COUNT else self.packets
        return read(operator, expected)

    def found(self, top: int | None) -> QueryResult:
        """The result with so many rows. Whoever reads it may work out values from it."""
        return self._noted(self._suite.queries.result(self._name, top=top))

    def _noted(self, result: QueryResult) -> QueryResult:
        self._suite.scopes.current.doubts[self._name] = result.open
        return result

    def count(self, operator: AssertionOperator | None, expected: Any) -> int:
        """Different keys of `Count Distinct`, else packets."""
        result = self.found(0)
        return int(self._asserted("count", result.count, result, operator, expected))

    def packets(self, operator: AssertionOperator | None, expected: Any) -> int:
        """Packets that passed the filter."""
        result = self.found(0)
        return int(self._asserted("packets", result.packets, result, operator, expected))

    def keys(self, operator: AssertionOperator | None, expected: Any, top: int | None = None) -> list[str]:
        """All keys, in their order, or so many, and those that are as great as the last of them."""
        result, queries = self.found(None) if top is None else self._greatest(top), self._suite.queries
        keys, what = list(dict.fromkeys(row.key for row in result.rows)), "keys"
        if top is not None:
            keys, what = queries.canonical(self._name, keys), f"top {top} keys"
        if operator is None or expected is None:
            value: list[str] = self._asserted(what, keys, result, operator, expected)
            return value
        wanted = _Keys(queries.canonical(self._name, _texts(expected, several=len(result.keys) > 1)))
        self._asserted(
            what,
            keys,
            result,
            operator,
            wanted,
            is_final=top is None and operator is _CONTAINS and set(wanted) <= set(keys),
            unit=Unit(
                lambda known: known if operator in _EQUALITIES or len(known) != 1 else known[0],
                wanted.compared,
                of_numbers=False,
            ),
        )
        return keys

    def _greatest(self, top: int) -> QueryResult:
        """The result with the greatest rows, so many, and all that are as great as the last one."""
        query = self._suite.queries.query(self._name)
        if query.interval is not None:
            raise query.refused("it counts by intervals, and a key may have several rows; take its table")
        result = self.found(top + 1)
        if len(result.rows) <= top:
            return result
        last = _size(result.rows[top - 1])
        if _size(result.rows[top]) < last:
            return replace(result, rows=result.rows[:top])
        result = self.found(None)
        return replace(result, rows=tuple(row for row in result.rows if _size(row) >= last))

    def value(self, key: str | None, operator: AssertionOperator | None, expected: Any) -> int | None:
        """The value of one key."""
        query, queries = self._suite.queries.query(self._name), self._suite.queries
        if key is None and query.keys.operands:
            raise TesterLibraryError(
                f"query {self._name!r} has a value for each {query.keys}; name one by key=, or take the table"
            )
        result = self._noted(queries.row(self._name, key if key is not None else ()))
        value: int | None = None if query.value and query.function is not Function.SUM else 0
        if result.rows:
            (row,) = result.rows
            value = row.value if query.value else row.packets
        unit = COUNT if query.value is None else _UNITS.get(query.value.operand, COUNT)
        return self._asserted(  # type: ignore[no-any-return]
            f"{query.function.value} of {query.value}" if query.value else "packets",
            value,
            result,
            operator,
            expected,
            of=f" of {key}" if key else "",
            falls=query.value is not None and query.function is Function.MIN,
            unit=unit,
        )

    def _asserted(
        self,
        what: str,
        value: Any,
        result: QueryResult,
        operator: AssertionOperator | None,
        expected: Any,
        *,
        of: str = "",
        falls: bool = False,
        is_final: bool = False,
        unit: Unit = COUNT,
    ) -> Any:
        unfinished = "" if is_final else result.unfinished
        known = None
        if unfinished and isinstance(value, int):
            least, most = (0, value) if falls else (value, inf)
            known = Undecided(least, most, unfinished)
        return asserted(
            self._suite,
            value,
            operator,
            expected,
            subject=f"{what}{of} of query {self._name}",
            unit=unit,
            known=known,
            doubt=result.doubt or ("" if known else unfinished),
            message=self._message,
        )


def _size(row: QueryRow) -> int:
    return row.packets if row.value is None else row.value


class _Keys(list[str]):
    """Keys that a suite asks for. Prints the first ones, where there are many."""

    def __str__(self) -> str:
        more = f" and {len(self) - _MOST_SHOWN:,} more" if len(self) > _MOST_SHOWN else ""
        return f"{', '.join(self[:_MOST_SHOWN]) or 'none'}{more}"

    def compared(self, found: Sequence[str]) -> str:
        """How many were found, with those that are missing and those that nobody asked for."""
        there, asked = set(found), set(self)
        missing = _Keys(key for key in self if key not in there)
        others = _Keys(key for key in found if key not in asked)
        text = ", ".join(found) if 0 < len(found) <= _FEW else f"{len(found):,} keys"
        if missing and len(self) > 1:
            text += f", missing {missing}"
        return f"{text}, besides {others}" if others and len(self) > 1 else text


def _texts(given: Any, *, several: bool) -> Sequence[str]:
    """Keys as a suite writes them: a list, or a text; with commas between keys of one field each."""
    if isinstance(given, (list, tuple)):
        return [str(each) for each in given]
    return [str(given)] if several else [word.strip() for word in str(given).split(",") if word.strip()]
