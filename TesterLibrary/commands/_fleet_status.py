# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a campaign on several testers, cell by cell, as its files say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..reporting.cells import Attempt, PlannedCell, attempts, cell_outcome, left, read_plan

_WAITS, _RUNS, _OVER = "waiting", "running", "over"


def status(run: Path) -> str:
    """A line for each cell, and how many wait, are run and are over.

    TesterLibraryError if the folder is no campaign on several testers.
    """
    rows = list(_rows(run))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    counts = Counter(row[1].split()[0].rstrip(",") for row in rows)
    counts_text = ", ".join(f"{counts[state]} {state}" for state in (_OVER, _RUNS, _WAITS))
    return "".join(f"{line}\n" for line in (*lines, counts_text))


def _rows(run: Path) -> Iterator[tuple[str, str, str]]:
    for cell in read_plan(run):
        tried = attempts(run, cell)
        faults = "; ".join(
            f"{attempt.tester} had not finished it: {attempt.fault}" for attempt in tried if attempt.fault
        )
        yield cell.suite, _state(run, cell, tried), faults


def _state(run: Path, cell: PlannedCell, tried: tuple[Attempt, ...]) -> str:
    if tried and not tried[-1].ended_at:
        return f"{_RUNS} on {tried[-1].tester} since {tried[-1].started_at}"
    if left(run, cell):
        return _WAITS
    return f"{_OVER}, {cell_outcome(run, cell)} on {tried[-1].tester}"
