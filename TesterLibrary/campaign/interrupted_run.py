# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The finished part of an interrupted certification, and its records made ready for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import TesterLibraryError
from ..reporting.merge.assembly import merge_outputs
from ..reporting.record import agenda
from ..reporting.record.codec import parse
from ..reporting.record.durable import json_line, make_directory, write_file
from ..reporting.record.finished_trials import ASIDE
from ..reporting.record.outcome import ERROR, INCONCLUSIVE
from ..reporting.record.record_chain import CHAIN, FIELD, rechained
from ..reporting.record.recorder import EARLIER_ATTEMPT, earlier_attempt, read_run

NAMED = "file"  # the kind of a file that a suite names, and the run may read
REPEATED = "repeated"  # folders of the evidence with tests that run again, of which no trial is taken over
Record: TypeAlias = Mapping[str, Any]

_KINDS = ("trial", "result", "verdict", "withdrawal", "test", "event")
_REBOT_FAILED = 251  # up to 250 it is the number of failed tests


def unfinished(
    evidence: Path, items: Sequence[agenda.Item], *, inconclusive: bool = False
) -> tuple[agenda.Item, ...]:
    """The tests that have to run: those without a record, and those that ended with an error.

    An interrupted test is such an error. Whatever ended with a verdict, or judged nothing, is finished;
    with `inconclusive` without those of which the tester could not tell.
    """
    again = (ERROR, INCONCLUSIVE) if inconclusive else (ERROR,)
    done = {
        (record["suite"], record["test"])
        for record in _read(evidence / "tests.jsonl")
        if record["outcome"] not in again
    }
    whole = agenda.read(evidence)
    run = whole.items if whole else tuple(items)
    chosen = {(item.suite, item.chosen) for item in run if (item.suite, item.test) not in done}
    # A template runs all of its own.
    return tuple(item for item in run if (item.suite, item.chosen) in chosen)


def set_aside(evidence: Path, again: Sequence[agenda.Item], name: str = ASIDE) -> Path | None:
    """Moves the records of tests that run again, and of the setups of their suites, to a folder beside them.

    Otherwise the report would take trials of the one attempt for those of the other: they have the same
    numbers. A line that a killed run has not finished is moved, too. How they had ended stays, as events.

    Returns:
        The folder; None if there was nothing to be moved.
    """
    division = _Division(again, evidence)
    moved: dict[str, list[str]] = {}
    for kind in _KINDS:
        path = evidence / f"{kind}s.jsonl"
        events = division.attempts if kind == "event" else []
        if not path.exists() and not events:
            continue
        *lines, torn = path.read_text(encoding="utf-8").split("\n") if path.exists() else [""]
        stay, gone = division.of(kind, lines)
        gone = list(filter(None, (torn, *gone)))
        stay += events
        if gone:
            moved[path.name] = gone
        if gone or stay != lines:
            is_chained = division.is_chained or any(f'"{FIELD}"' in line for line in stay)
            _write(path, rechained(stay) if is_chained else stay)
    if not moved:
        return None
    folder = _free(evidence, name)
    make_directory(folder)
    for name, lines in moved.items():
        _write(folder / name, lines)
    return folder


class _Division:
    """The records of a run in two parts: those of tests that run again are moved, and the others stay."""

    def __init__(self, again: Sequence[agenda.Item], evidence: Path) -> None:
        self._again = again
        self._tests = {(item.suite, item.test) for item in again}
        records = _read(evidence / "verdicts.jsonl")
        self._verdicts = {record["number"] for record in records if self._moves(record)}
        self._numbers: dict[int, int] = {}  # of the verdicts that stay, without gaps
        self.is_chained = (evidence / "run.json").is_file() and CHAIN in read_run(evidence)
        self.attempts: list[str] = []  # events that say how the tests that move had ended

    def of(self, kind: str, lines: Sequence[str]) -> tuple[list[str], list[str]]:
        """The lines that stay, with their new numbers, and those that are moved."""
        stay, gone = [], []
        for line in lines:
            record = json.loads(line)
            if record["verdict"] in self._verdicts if kind == "withdrawal" else self._moves(record):
                gone.append(line)
                if kind == "test":
                    self.attempts.append(json_line(earlier_attempt(record)))
            else:
                stay.append(self._renumbered(kind, record) or line)
        return stay, gone

    def _moves(self, record: Record) -> bool:
        suite, test = record.get("suite", ""), record.get("test", "")
        if record.get("event") == EARLIER_ATTEMPT:
            return False
        if test:
            return (suite, test) in self._tests
        return any(f"{item.suite}.".startswith(f"{suite}.") for item in self._again)

    def _renumbered(self, kind: str, record: Record) -> str:
        """The line of a verdict, or of its withdrawal, with its new number; empty for other records."""
        if kind == "verdict":
            number = self._numbers[record["number"]] = len(self._numbers) + 1
            return json_line({**record, "number": number})
        if kind == "withdrawal":
            return json_line({**record, "verdict": self._numbers[record["verdict"]]})
        return ""


def merge(first: Path, second: Path) -> None:
    """Puts the tests of the second output of Robot into the first one, in place of their earlier results."""
    if not second.exists():
        return
    if not first.exists():
        second.replace(first)
        return
    merged = first.with_suffix(".merged")
    status = merge_outputs((first, second), merged)
    if status >= _REBOT_FAILED:  # a killed run has not finished its output
        second.replace(first)
        return
    merged.replace(first)
    second.unlink()


def _read(path: Path) -> list[Record]:
    """The records of a file, without a last line that was not finished."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    try:
        return [parse(line) for line in lines]
    except ValueError as problem:
        raise TesterLibraryError(f"{path} has a line that is no record: {problem}") from None


def _write(path: Path, lines: Sequence[str]) -> None:
    write_file(path, "".join(f"{line}\n" for line in lines))


def _free(evidence: Path, name: str) -> Path:
    number = 1
    while (folder := evidence / f"{name}-{number}").exists():
        number += 1
    return folder
