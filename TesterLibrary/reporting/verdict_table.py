# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of a testbed as a table for the certificate: a row for each name, a column for each suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..verdict import Verdict
from .records import Records, TestRecord


@dataclass(frozen=True)
class Cell:
    """One run of a test, with all its verdicts that count."""

    outcome: str
    verdicts: tuple[Verdict, ...]
    message: str


@dataclass(frozen=True)
class VerdictRow:
    """Tests of one name. Each suite has a tuple of cells, which is empty where it has no such test."""

    name: str
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class VerdictTable:
    """All tests of a testbed."""

    columns: tuple[str, ...]
    rows: tuple[VerdictRow, ...]

    @classmethod
    def of(cls, records: Records, tests: Sequence[TestRecord]) -> VerdictTable:
        """Suites and names in the order in which they ran. A test that ran twice has two cells."""
        suites = tuple(dict.fromkeys(test.suite for test in tests))
        cells: dict[tuple[str, str], tuple[Cell, ...]] = {}
        for test in tests:
            place = (test.suite, test.test)
            cell = Cell(test.outcome, records.verdicts_of(test), test.message)
            cells[place] = (*cells.get(place, ()), cell)
        names = dict.fromkeys(test.test for test in tests)
        rows = (VerdictRow(name, tuple(cells.get((suite, name), ()) for suite in suites)) for name in names)
        return cls(short_names(suites), tuple(rows))


def short_names(suites: Sequence[str]) -> tuple[str, ...]:
    """The shortest ends of long names that tell suites apart: `Throughput`, or `Router.Throughput`."""
    return tuple(_short(suite, [other for other in suites if other != suite]) for suite in suites)


def _short(suite: str, others: Sequence[str]) -> str:
    parts = suite.split(".")
    for count in range(1, len(parts)):
        end = ".".join(parts[-count:])
        if not any(f".{other}".endswith(f".{end}") for other in others):
            return end
    return suite
