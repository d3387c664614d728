# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the verdicts of a run, and where its reports are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ..reporting.pages import markdown
from ..reporting.pages.certificate import attempts_beside
from ..reporting.pages.rebuild import Reports
from ..reporting.record.outcome import (
    ERROR,
    EXIT_STATUS,
    INCONCLUSIVE,
    PASS,
    WORST_FIRST,
    one_line,
    overall,
)
from ..reporting.record.records import Records

RESULTS = Path("results")


def show(reports: Reports, directory: Path, *, took: str = "", most: int | None = None) -> None:
    """Prints the verdict of each test, and the report's place.

    With `most`, it prints so many tests that did not pass, the worst first, and no other: that fits a screen.
    """
    records = reports.records
    rows = list(_rows(records))
    print()
    if most is not None:
        rows = sorted((row for row in rows if row[0] != PASS), key=lambda row: WORST_FIRST.index(row[0]))
    for outcome, text in rows[:most]:
        print(f"{outcome:<12} {text}")
    if most is not None and len(rows) > most:
        print(f"and {len(rows) - most} more that did not pass, which {markdown.FILE} names")
    for problem in reports.problems:
        print(f"tester: {problem}", file=sys.stderr)
    outcomes = records.outcomes()
    for text in attempts_beside(records):
        print(f"{text}.")
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in EXIT_STATUS if name in outcomes)
    print(f"\n{overall(outcomes)} ({counts or 'no test was run'}{took})")
    for path in reports.made:
        if path.suffix == ".html":
            print(f"  {_shown(directory, path)}")


def _rows(records: Records) -> Iterator[tuple[str, str]]:
    """The outcome of each test, and what is said of it."""
    for test in records.tests:
        said = one_line(test.outcome, test.message).removeprefix(test.outcome)
        yield test.outcome, f"{test.suite} · {test.test}{said}"
    for event in records.left_out:
        place = event.place
        yield INCONCLUSIVE, f"{place.suite} · {place.test}: not run, because {event.facts['reason']}"
    for suite, tests in records.not_run.items():
        why = records.why_not_run(suite) or "the run ended before"
        yield ERROR, f"{suite}: no record of {', '.join(tests)}; {why}"
    for fault in records.faults:
        yield ERROR, fault


def _shown(directory: Path, path: Path) -> Path:
    latest = RESULTS / "latest"
    if latest.is_symlink() and latest.resolve() == directory.resolve():
        return latest / path.relative_to(directory)
    return path
