# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the verdicts of a run, and where its reports are."""

from __future__ import annotations

import sys
from pathlib import Path

from ..reporting.outcome import EXIT_STATUS, one_line, overall
from ..reporting.rebuild import Reports

RESULTS = Path("results")


def show(reports: Reports, directory: Path, *, took: str = "") -> None:
    """Prints the verdict of each test, and the report's place."""
    records = reports.records
    print()
    for test in records.tests:
        said = one_line(test.outcome, test.message).removeprefix(test.outcome)
        print(f"{test.outcome:<12} {test.suite} · {test.test}{said}")
    for suite, tests in records.not_run.items():
        print(f"{'ERROR':<12} {suite}: no record of {', '.join(tests)}")
    for problem in reports.problems:
        print(f"tester: {problem}", file=sys.stderr)
    outcomes = records.outcomes()
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in EXIT_STATUS if name in outcomes)
    print(f"\n{overall(outcomes)} ({counts or 'no test was run'}{took})")
    for path in reports.made:
        if path.suffix == ".html":
            print(f"  {_shown(directory, path)}")


def _shown(directory: Path, path: Path) -> Path:
    latest = RESULTS / "latest"
    if latest.is_symlink() and latest.resolve() == directory.resolve():
        return latest / path.relative_to(directory)
    return path
