# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cells of a campaign on several testers, as folders: `cells/CELL/1` and so on, one for each attempt.

All that is known of a campaign is in these files, so it goes on after whoever ran it was killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import TesterLibraryError
from ..record.agenda import Item
from ..record.codec import decode, encode, parse
from ..record.durable import make_directory, write_json
from ..record.machine import wall_clock
from ..record.outcome import ERROR, FAIL, INCONCLUSIVE, overall
from ..record.record_place import EVIDENCE
from ..record.recorder import TESTBED_FAULT, TESTER_FAULT
from ..record.records import Records, read_verdicts

CELLS = "cells"  # the folder, in that of a run
_PLAN = "plan.json"
_ATTEMPT = "attempt.json"
_SCHEMA = 1


@dataclass(frozen=True)
class PlannedCell:
    """A suite on a testbed in one repetition, which one tester runs at a time."""

    name: str  # of its folder
    label: str  # of the testbed in this repetition: Robot's outermost suite
    items: tuple[Item, ...]

    @property
    def suite(self) -> str:
        """The suite, as Robot names it."""
        return self.items[0].suite


@dataclass(frozen=True)
class Attempt:
    """A tester's attempt at a cell."""

    folder: Path
    tester: str
    started_at: str
    ended_at: str = ""  # empty: it goes on, or whoever ran the campaign was killed
    fault: str = ""  # why the rest was run elsewhere; empty: there is no rest

    @property
    def evidence(self) -> Path:
        """The folder of its records."""
        return self.folder / EVIDENCE


def write_plan(run: Path, cells: Sequence[PlannedCell]) -> None:
    """Puts the cells of a campaign into its folder, in the order of its file."""
    make_directory(run / CELLS)
    content = {"schema": _SCHEMA, "cells": encode(cells)}
    write_json(run / CELLS / _PLAN, content)


def read_plan(run: Path) -> tuple[PlannedCell, ...]:
    """The cells of a campaign. TesterLibraryError if the folder has none that can be read."""
    path = run / CELLS / _PLAN
    if not path.is_file():
        why = "has no run of a campaign on several testers" if run.is_dir() else "is no folder"
        raise TesterLibraryError(f"{run} {why} (from {Path.cwd()}); give the folder of such a run")
    try:
        content = parse(path.read_text(encoding="utf-8"))
        if content["schema"] != _SCHEMA:
            raise ValueError(f"schema {content['schema']}, this version reads {_SCHEMA}")
        return tuple(decode(PlannedCell, cell) for cell in content["cells"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise TesterLibraryError(
            f"{path} is not the plan of a campaign on several testers: {problem}"
        ) from None


def attempts(run: Path, cell: PlannedCell) -> tuple[Attempt, ...]:
    """The attempts at a cell, the first one first."""
    return tuple(_attempts(run / CELLS / cell.name))


def _numbers(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.glob("[0-9]*") if path.name.isdecimal())


def _attempts(folder: Path) -> Iterator[Attempt]:
    for number in _numbers(folder):
        path = folder / str(number)
        try:
            content = parse((path / _ATTEMPT).read_text(encoding="utf-8"))
            yield Attempt(path, **content)
        except FileNotFoundError:
            continue  # it begins just now, or whoever began it was killed
        except (OSError, ValueError, TypeError) as problem:
            raise TesterLibraryError(f"{path / _ATTEMPT} cannot be read: {problem}") from None


def begin_attempt(run: Path, cell: PlannedCell, tester: str) -> Attempt:
    """A new attempt at a cell, with its folder."""
    folder = run / CELLS / cell.name
    attempt = Attempt(folder / str(max(_numbers(folder), default=0) + 1), tester, wall_clock())
    make_directory(attempt.folder)
    _write(attempt)
    return attempt


def end_attempt(attempt: Attempt, fault: str = "") -> None:
    """Notes that an attempt is over, and why the rest of the cell is run elsewhere."""
    _write(replace(attempt, ended_at=wall_clock(), fault=fault))


def _write(attempt: Attempt) -> None:
    content = {key: value for key, value in encode(attempt).items() if key != "folder"}
    write_json(attempt.folder / _ATTEMPT, content)


def records_of(attempt: Attempt) -> Records | None:
    """The verdicts and events of an attempt; None where nothing was recorded."""
    return read_verdicts(attempt.evidence) if (attempt.evidence / "run.json").is_file() else None


def unsettled(
    records: Records | None, items: Sequence[Item], *, interrupted: str
) -> tuple[tuple[Item, ...], str]:
    """The tests of an attempt that are run again elsewhere, and why; none where the tester did its part.

    A verdict is never measured again: neither FAIL nor PASS, nor what the tester could not tell though it was
    sound. Only these are: a test that was cut off, and one of which the record says that its tester broke.

    Args:
        records: Of the attempt.
        items: The tests that it was to run.
        interrupted: Why the attempt was cut off; empty: it came to its end.
    """
    if records is None:
        return (tuple(items), interrupted) if interrupted else ((), "")
    if any(record.verdict.outcome.value == FAIL for record in records.outside_tests):
        return (), ""
    attempt = _AttemptRecord(records, interrupted)
    again = []
    for item in items:
        made = records.agenda.made_of(item) if records.agenda else (item,)
        again += [(item, reason) for reason in filter(None, map(attempt.fault_of, made))][:1]
    return tuple(item for item, _ in again), again[0][1] if again else ""


class _AttemptRecord:
    """The tests of an attempt, and the faults of its tester."""

    def __init__(self, records: Records, interrupted: str) -> None:
        self._interrupted = interrupted
        faults = [event for event in records.events if event.event in (TESTER_FAULT, TESTBED_FAULT)]
        self._faults = {(event.place.suite, event.place.test): str(event.facts["reason"]) for event in faults}
        self._outcomes = {(test.suite, test.test): test.outcome for test in records.tests}
        self._left_out = {(event.place.suite, event.place.test) for event in records.left_out}

    def fault_of(self, item: Item) -> str:
        """Why a test is run again; empty if it has a verdict."""
        place = (item.suite, item.test)
        outcome = self._outcomes.get(place)
        if place in self._left_out or outcome not in (None, INCONCLUSIVE, ERROR):
            return ""
        if place in self._faults:
            return self._faults[place]
        setups = [(suite, fault) for (suite, test), fault in self._faults.items() if not test]
        above = [fault for suite, fault in setups if f"{item.suite}.".startswith(f"{suite}.")]
        if above:
            return above[0]
        return self._interrupted if outcome in (None, ERROR) else ""


def cell_outcome(run: Path, cell: PlannedCell) -> str:
    """The worst outcome of the tests of a cell, each of its last attempt."""
    known: dict[str, str] = {}
    for attempt in attempts(run, cell):
        if records := records_of(attempt):
            known |= {test.test: test.outcome for test in records.tests}
    return overall(list(known.values()))


def left(run: Path, cell: PlannedCell) -> tuple[Item, ...]:
    """The tests of a cell that a campaign that goes on has to run: those that have no verdict yet."""
    done: set[tuple[str, str]] = set()
    for attempt in attempts(run, cell):
        records = records_of(attempt)
        if records is None:
            continue
        rest = set(unsettled(records, cell.items, interrupted="it was cut off")[0])
        ended = {(test.suite, test.test) for test in records.tests if test.outcome != ERROR}
        for item in cell.items:
            made = records.agenda.made_of(item) if records.agenda else (item,)
            if item not in rest and {(i.suite, i.test) for i in made} <= ended:
                done.add((item.suite, item.test))
    return tuple(item for item in cell.items if (item.suite, item.test) not in done)
