# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One run of the cells of a campaign: records, outputs of Robot, results of Allure, in the order of its file.

It is made from files alone, so it can be made at any time, also while the campaign goes on, and the order in
which cells ended does not show. Of a test that was run again, what counts is its last attempt.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from robot import rebot
from robot.api import ExecutionResult
from robot.errors import DataError

from ...errors import TesterLibraryError
from ..record import earlier_runs
from ..record.agenda import FILE as AGENDA
from ..record.agenda import Item, write_agenda
from ..record.agenda import read as read_agenda
from ..record.durable import json_line, make_directory, write_file, write_json
from ..record.record_chain import CHAIN, chain_fault, rechained
from ..record.record_place import ALLURE_RESULTS, EVIDENCE, ROBOT
from ..record.recorder import (
    EARLIER_ATTEMPT,
    KINDS,
    NOT_RUN,
    RECORDS_CHANGED,
    RUN_AGAIN,
    SCHEMA,
    TRIAL_SCHEMA,
    earlier_attempt,
    new_run,
    read_run,
)
from .cells import Attempt, PlannedCell, attempts, read_plan
from .robot_results import ResultLinks, apart_name, graft, link, renamed

_OUTPUT = re.compile(rb'<robot [^>]*generated="([^"]+)"')
_Place = tuple[str, str]  # suite and test


@dataclass
class _Part:
    """The records of one attempt, and the places of which they are the last ones."""

    attempt: Attempt
    evidence: Path
    name: str  # of its files, where another attempt has some of the same name
    run: Mapping[str, Any]
    lines: dict[str, list[str]]  # by kind
    moved: dict[str, str] = field(
        default_factory=dict
    )  # files whose name another cell has, with their new one
    places: set[_Place] = field(default_factory=set)
    faults: tuple[str, ...] = ()  # lines that were changed since they were recorded

    @classmethod
    def of(cls, attempt: Attempt, evidence: Path, name: str) -> _Part | None:
        if not (evidence / "run.json").is_file():
            return None
        lines: dict[str, list[str]] = {}
        faults: list[str] = []
        run = read_run(evidence)
        for kind in KINDS:
            path = evidence / f"{kind}s.jsonl"
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            lines[kind] = text.split("\n")[:-1]  # a last line without its end was cut off
            faults += filter(None, [chain_fault(path.name, lines[kind], required=CHAIN in run)])
        return cls(attempt, evidence, name, run, lines, faults=tuple(faults))

    @property
    def ended(self) -> dict[_Place, dict[str, Any]]:
        """The records of its tests."""
        return {_place(record): record for record in self.records("test")}

    def records(self, kind: str) -> Iterator[dict[str, Any]]:
        """The records of a kind."""
        return map(json.loads, self.lines[kind])


def assemble(run: Path) -> tuple[Path, ...]:
    """Makes evidence, outputs of Robot and results of Allure of a campaign from the folders of its cells.

    Returns:
        Outputs of Robot that are not in it: a killed run has not finished them.

    Raises:
        TesterLibraryError: a file of a cell cannot be read, or one of the run cannot be written.
    """
    whole = _Whole(run)
    for cell in read_plan(run):
        parts = [part for attempt in attempts(run, cell) if (part := _part(cell, attempt))]
        _choose(parts)
        whole.add(cell, parts)
    whole.write()
    return tuple(whole.cut)


def _part(cell: PlannedCell, attempt: Attempt) -> _Part | None:
    return _Part.of(attempt, attempt.evidence, f"{cell.name}-{attempt.folder.name}")


def merge(runs: Sequence[Path], output: Path) -> None:
    """Makes the evidence of one run of those of several runs of Robot: of each test its last attempt counts.

    Args:
        runs: Folders of runs, or of evidence, the first one first.
        output: A new or empty folder.

    Raises:
        TesterLibraryError: there is no evidence, the testbeds differ, or the folder is not empty.
    """
    if output.exists() and any(output.iterdir()):
        raise TesterLibraryError(f"{output} is not empty; give a new folder by --output")
    parts = [_part_of(run, f"{number}") for number, run in enumerate(runs, 1)]
    for part in parts[1:]:
        _check_alike(parts[0], part)
    tests = [record for part in parts for record in part.records("test")]
    items = dict.fromkeys(Item(record["testbed"], *_place(record)) for record in tests)
    if not items:
        raise TesterLibraryError(f"{' and '.join(map(str, runs))} have no record of a test")
    make_directory(output / EVIDENCE)
    first, last = parts[0].run, parts[-1].run
    run = {**new_run(str(last["id"])), **last, "started_at": first["started_at"]}
    run.pop(earlier_runs.KEY, None)  # they are in it
    write_json(output / EVIDENCE / "run.json", run)
    _choose(parts)
    whole = _Whole(output)
    whole.add(PlannedCell("", "", tuple(items)), parts)
    whole.write()
    outputs = {path: begun for part in parts for path, begun in _outputs(part.evidence.parent)}
    if len(outputs) == len(parts):  # an output that another run has overwritten cannot be merged
        merge_outputs(sorted(outputs, key=lambda path: outputs[path]), output / "output.xml")


def _outputs(folder: Path) -> Iterator[tuple[Path, str]]:
    """The outputs of Robot in a folder, with the time at which each was made."""
    for path in sorted(folder.glob("*.xml")):
        with path.open("rb") as file:
            if found := _OUTPUT.search(file.read(1000)):
                yield path, found[1].decode()


def merge_outputs(outputs: Sequence[Path], merged: Path) -> int:
    """Writes one output of Robot, in which tests of later outputs replace earlier ones. Rebot's status."""
    messages = io.StringIO()
    status: int = rebot(  # type: ignore[no-untyped-call]
        *map(str, outputs),
        merge=True,
        output=str(merged),
        log="NONE",
        report="NONE",
        stdout=messages,
        stderr=messages,
    )
    return status


def _part_of(run: Path, name: str) -> _Part:
    """The records of a run of Robot. `run` is its folder, or that of its records."""
    evidence = run / EVIDENCE if (run / EVIDENCE).is_dir() else run
    if (evidence / AGENDA).exists():
        raise TesterLibraryError(
            f"{run} was made by tester certify or tester run; --resume goes on with it, and merges by itself"
        )
    part = _Part.of(Attempt(run, "", ""), evidence.absolute(), name)
    if part is None:
        raise TesterLibraryError(f"{run} has no evidence of a run; give the folder of one, or of its records")
    return part


def _check_alike(part: _Part, other: _Part) -> None:
    """TesterLibraryError for runs whose tests cannot stand in one certificate."""
    testers = {tester["testbed"]["name"]: tester for tester in part.run["testers"]}
    for tester in other.run["testers"]:
        name = tester["testbed"]["name"]
        same = testers.get(name, tester)
        for what in ("testbed", "profile"):
            if same.get(what) != tester.get(what):
                raise TesterLibraryError(
                    f"the {what} of {name} is another one in {other.evidence} than in {part.evidence}; both "
                    "cannot stand in one certificate"
                )
    for place, test in other.ended.items():
        testbeds = [part.ended.get(place, test)["testbed"], test["testbed"]]
        if all(testbeds) and len(set(testbeds)) > 1:
            raise TesterLibraryError(
                f"{'.'.join(place)} was run on {' and on '.join(testbeds)}; only attempts on one testbed are "
                "merged"
            )


def _choose(parts: Sequence[_Part]) -> None:
    """Gives each test to the last attempt that has ended it, or has begun it if none has ended it."""
    owners: dict[_Place, int] = {}
    ended: set[_Place] = set()
    for number, part in enumerate(parts):
        tests = {_place(record) for record in part.records("test")}
        tests |= {_place(record) for record in part.records("event") if record["event"] == NOT_RUN}
        begun = {_place(record) for kind in KINDS if kind != "withdrawal" for record in part.records(kind)}
        for place in begun:
            if place in tests or place not in ended:
                owners[place] = number
        ended |= tests
    for place, number in owners.items():
        parts[number].places.add(place)


def _place(record: Mapping[str, Any]) -> _Place:
    return record.get("suite", ""), record.get("test", "")


class _Whole:
    """The files of the whole run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._lines: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self._verdicts = 0
        self._made: dict[Item, tuple[Item, ...]] = {}  # tests that Robot has made, by that in a suite's file
        self._testers: dict[str, dict[str, Any]] = {}  # as they were opened, by testbed
        self._names: dict[str, list[str]] = {}  # of testers, by testbed
        self._files: dict[str, Path] = {}  # of the evidence beside records
        self._schema: Path | None = None
        self._robot: dict[str, Any] = {}  # results by the label of their testbed
        self._allure: list[Path] = []
        self.cut: list[Path] = []  # outputs of Robot that a killed run has not finished

    def add(self, cell: PlannedCell, parts: Sequence[_Part]) -> None:
        """Adds the records and files of all attempts at a cell."""
        order = {(item.suite, item.test): number for number, item in enumerate(cell.items)}
        begin = len(self._lines["test"])
        for part in parts:
            self._add_agenda(cell, part)
            self._add_files(part)
            self._add_records(part)
            self._add_tester(cell, part)
            self._add_robot(cell, part)
        if len(parts) > 1:
            ended = self._lines["test"][begin:]
            self._lines["test"][begin:] = sorted(
                ended, key=lambda line: order.get(_place(json.loads(line)), len(order))
            )

    def _add_agenda(self, cell: PlannedCell, part: _Part) -> None:
        """Adds the tests that Robot has made of those in the suites' files."""
        agenda = read_agenda(part.evidence)
        for item in cell.items if agenda and agenda.planned else ():
            made = agenda.made_of(item) if agenda else ()
            if not made or any((i.suite, i.test) in part.places for i in made):
                self._made[item] = made

    def _add_records(self, part: _Part) -> None:
        numbers: dict[int, int] = {}
        for kind in KINDS:
            for line in part.lines[kind]:
                record = json.loads(line)
                if kind == "withdrawal":
                    if record["verdict"] in numbers:
                        self._append(kind, {**record, "verdict": numbers[record["verdict"]]})
                    continue
                if _place(record) not in part.places:
                    if kind == "test":
                        self._append("event", earlier_attempt(record))
                    if kind != "event" or record["event"] != EARLIER_ATTEMPT:
                        continue
                if kind == "verdict":
                    self._verdicts += 1
                    numbers[record["number"]] = self._verdicts
                    record["number"] = self._verdicts
                    self._append(kind, record)
                elif part.moved:
                    self._append(kind, renamed(record, part.moved))
                else:
                    self._lines[kind].append(line)

    def _append(self, kind: str, record: Mapping[str, Any]) -> None:
        self._lines[kind].append(json_line(record))

    def _add_tester(self, cell: PlannedCell, part: _Part) -> None:
        """The testbed as it was opened last, the names of all testers that were used, and their faults."""
        for opened in part.run["testers"]:
            self._testers[opened["testbed"]["name"]] = dict(opened)
        names = self._names.setdefault(cell.items[0].testbed, [])
        if part.places and part.attempt.tester not in ("", *names):
            names.append(part.attempt.tester)
        if part.attempt.fault:
            self._event(cell, part, RUN_AGAIN, part.attempt.fault)
        for fault in part.faults:
            self._event(cell, part, RECORDS_CHANGED, f"{part.name}: {fault}")

    def _event(self, cell: PlannedCell, part: _Part, name: str, reason: str) -> None:
        place = {"testbed": cell.items[0].testbed, "suite": cell.suite, "test": ""}
        facts = {"event": name, "tester": part.attempt.tester, "reason": reason}
        at = part.attempt.ended_at
        self._append("event", {"kind": "event", "schema": SCHEMA, "at": at, **place, **facts})

    def _add_files(self, part: _Part) -> None:
        """Captures and the like; where another cell has one of that name, all files of the folder move."""
        evidence = part.evidence
        self._schema = self._schema or next(evidence.glob(TRIAL_SCHEMA), None)
        found = [
            path.relative_to(evidence).as_posix()
            for path in sorted(evidence.glob("*/**/*"))  # what lies flat are records, and how far the cell is
            if path.is_file()
        ]
        crowded = {name.partition("/")[0] for name in found if name in self._files}
        for name in found:
            new = apart_name(name, part.name) if name.partition("/")[0] in crowded else name
            if new != name:
                part.moved[name] = new
            self._files[new] = evidence / name
        allure = part.attempt.folder / ALLURE_RESULTS
        self._allure += sorted(allure.glob("*")) if allure.is_dir() else []

    def _add_robot(self, cell: PlannedCell, part: _Part) -> None:
        """Adds what Robot wrote to that of the same testbed."""
        order = {item.test: number for number, item in enumerate(cell.items)}
        for path in sorted((part.attempt.folder / ROBOT).glob("*.xml")):
            try:
                result = ExecutionResult(str(path))
            except DataError:  # a killed run has not finished it
                self.cut.append(path)
                continue
            if part.moved:
                result.visit(ResultLinks(part.moved))
            if cell.label in self._robot:
                graft(self._robot[cell.label].suite, result.suite, order)
                self._robot[cell.label].errors.messages.extend(result.errors.messages)
            else:
                self._robot[cell.label] = result

    def write(self) -> None:
        """Writes everything, each file as a whole or not at all."""
        evidence = self._run / EVIDENCE
        agenda = read_agenda(evidence)
        if agenda and self._made:
            items = tuple(made for item in agenda.plan for made in self._made.get(item, (item,)))
            write_agenda(evidence, replace(agenda, items=items, planned=agenda.plan))
        run = read_run(evidence)
        run["testers"] = [
            {**opened, "notes": [*opened.get("notes", ()), *self._note(name)]}
            for name, opened in self._testers.items()
        ]
        for kind, lines in self._lines.items():
            if lines or (evidence / f"{kind}s.jsonl").exists():
                write_file(evidence / f"{kind}s.jsonl", "".join(f"{line}\n" for line in rechained(lines)))
        for name, path in self._files.items():
            link(path, evidence / name)
        if self._schema:
            link(self._schema, evidence / TRIAL_SCHEMA)
        for path in self._allure:
            link(path, self._run / ALLURE_RESULTS / path.name)
        write_json(evidence / "run.json", run)
        if self._robot:
            (self._run / ROBOT).mkdir(exist_ok=True)
        for number, (label, result) in enumerate(self._robot.items(), 1):
            result.save(str(self._run / ROBOT / f"{number}-{label}.xml"))

    def _note(self, testbed: str) -> list[str]:
        names = self._names.get(testbed, [])
        return [f"tested by {' and '.join(sorted(names))}"] if names else []
