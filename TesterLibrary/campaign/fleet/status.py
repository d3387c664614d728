# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a campaign on several testers, cell by cell, as its files say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...reporting.merge.cells import Attempt, PlannedCell, attempts, cell_outcome, left, read_plan
from ...reporting.record.folder_lock import is_locked

_WAITS, _RUNS, _OVER = "waiting", "running", "over"


def status(run: Path) -> str:
    """A line for each cell, and how many wait, are run and are over.

    TesterLibraryError if the folder is no campaign on several testers.
    """
    plan = read_plan(run)
    going_on = is_locked(run)
    rows = list(_rows(run, plan, going_on=going_on))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    counts = Counter(row[1].split()[0].rstrip(",") for row in rows)
    counts_text = ", ".join(f"{counts[state]} {state}" for state in (_OVER, _RUNS, _WAITS))
    if not going_on and counts[_OVER] < len(rows):
        counts_text += "; no process goes on with it now: start it again with --resume"
    return "".join(f"{line}\n" for line in (*lines, counts_text))


def _rows(run: Path, plan: Sequence[PlannedCell], *, going_on: bool) -> Iterator[tuple[str, str, str]]:
    for cell in plan:
        tried = attempts(run, cell)
        faults = "; ".join(
            f"{attempt.tester} had not finished it: {attempt.fault}" for attempt in tried if attempt.fault
        )
        yield cell.suite, _state(run, cell, tried, going_on=going_on), faults


def _state(run: Path, cell: PlannedCell, tried: tuple[Attempt, ...], *, going_on: bool) -> str:
    if tried and not tried[-1].ended_at:
        on = f"on {tried[-1].tester} since {tried[-1].started_at}"
        return f"{_RUNS} {on}" if going_on else f"{_WAITS}, cut off {on}"
    if left(run, cell):
        return _WAITS
    return f"{_OVER}, {cell_outcome(run, cell)} on {tried[-1].tester}"
