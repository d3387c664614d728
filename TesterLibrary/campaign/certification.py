# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification: suites on one testbed after another, with one set of reports at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from robot.api import TestSuite

from ..errors import ChoiceError
from ..files.criteria import check_criteria, load_criteria
from ..files.paths import data_root
from ..files.profile import profile_values, section
from ..reporting.record import agenda
from ..reporting.record.digests import digest_of
from ..reporting.record.record_place import ALLURE_RESULTS, EVIDENCE, ROBOT
from ..reporting.record.recorder import Recorder, read_run, start_run
from ..reporting.record.records import read_verdicts
from ..reporting.record.run_files import RunFile, RunFiles, RunFilesListener, write_run_files
from ..testbeds.load import check_interfaces
from .bed import Bed, BedFiles
from .child_status import UNHEARD, StatusWriter
from .criteria_bounds import check_bounds
from .frame_sizes import sizes_of_tests
from .interrupted_run import merge
from .robot_command import literal, run_robot
from .robot_process import record_fault
from .selection import Selection
from .suite_files import check_testbeds
from .suite_names import OwnNames
from .time_budget import ENDED, TimeBudget, TimeLimit, latest_end, record_not_run, spent

_OWN_NAMES = f"{OwnNames.__module__}.{OwnNames.__name__}"
_NAMED = 3  # suites, in a title
_FILES_LISTENER = f"{RunFilesListener.__module__}.{RunFilesListener.__name__}"
_LIMIT_LISTENER = f"{TimeLimit.__module__}.{TimeLimit.__name__}"
_BUDGET_LISTENER = f"{TimeBudget.__module__}.{TimeBudget.__name__}"


class Runner(Protocol):
    """Who runs the tests of a certification elsewhere: the testers of a fleet."""

    def begin(self, run: Certification) -> None:
        """Makes the folder of a certification ready, before its first test."""

    def left(self, run: Certification) -> tuple[agenda.Item, ...]:
        """The tests that have no verdict yet, of a certification that goes on."""

    def run(self, run: Certification) -> bool:
        """Runs the tests. False if it was interrupted."""


@dataclass(frozen=True)
class Placed:
    """A test with its testbed, and the file of its suite."""

    bed: Bed
    suite: Path
    item: agenda.Item


@dataclass(frozen=True)
class Certification:
    """The suites, testbeds, profile and bounds of a certification, and the folder of its files."""

    beds: tuple[Bed, ...]
    profile: Path
    output: Path
    selection: Selection = field(default_factory=Selection)
    time_budget_s: float | None = None
    named: str = ""  # the title of the reports; empty: that of the profile
    given: Mapping[str, Any] = field(default_factory=dict)  # what it was made from, for `resumed`
    again: tuple[agenda.Item, ...] | None = None  # the tests that are left of an interrupted run; None: all
    status: StatusWriter = UNHEARD  # is told how far it is
    by: Runner | None = None  # who runs the tests; None: this machine, one testbed after the other

    @cached_property
    def profile_values(self) -> Mapping[str, Any]:
        """The content of the profile."""
        return profile_values(self.profile)

    @property
    def title(self) -> str:
        """The title of the reports: as given, or that of the profile where its own suites are run.

        Others are not by the standard that it names, so they are named themselves.
        """
        if self.named:
            return self.named
        runs = section(self.profile_values, "runs")
        known = {(data_root() / "suites" / suite).resolve() for run in runs for suite in run["suites"]}
        known |= {suite.parent for suite in known}
        suites = dict.fromkeys(suite.resolve() for bed in self.beds for suite in bed.suites)
        others = [suite.name.removesuffix(".robot") for suite in suites if suite not in known]
        if not others:
            return str(section(self.profile_values, "title"))
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        return f"Certification by {', '.join(others[:_NAMED])}{more}"

    @property
    def suite_s(self) -> float:
        """Seconds that it takes to open the tester for a suite and to close it, as the profile says."""
        return float(self.profile_values.get("expected", {}).get(agenda.SUITE, 0))

    def items(self) -> Iterator[agenda.Item]:
        """Every test, in the order of the run."""
        return (placed.item for placed in self.placed())

    def known_items(self) -> tuple[agenda.Item, ...]:
        """Every test as Robot has named it so far, of a certification that has begun."""
        agenda_of_run = agenda.read(self.output / EVIDENCE)
        return agenda_of_run.items if agenda_of_run else tuple(self.items())

    def placed(self) -> Iterator[Placed]:
        """Every test with its testbed, in the order of the run."""
        expected = self.profile_values.get("expected", {})
        for bed in self.beds:
            for test in self._suite(bed).all_tests:
                if test.tags.robot("exclude"):
                    continue
                tags = {str(tag) for tag in test.tags}
                seconds = next((expected[tag] for tag in expected if tag in tags and tag != agenda.SUITE), 0)
                suite = test.full_name.removesuffix(f".{test.name}")
                item = agenda.Item(bed.name, suite, test.name, float(seconds))
                yield Placed(bed, Path(str(test.source)), item)

    def _suite(self, bed: Bed, *, chosen: bool = True) -> TestSuite:
        """The chosen tests of a testbed, or all of them, named as Robot will name them."""
        suite = TestSuite.from_file_system(*map(str, bed.suites))
        suite.visit(OwnNames())
        self.selection.extend(suite)
        suite.name = bed.label
        if chosen:
            self.selection.apply(suite)
        return suite

    def _check_choice(self) -> None:
        """ChoiceError for a name or tag of the selection that no test has: the others would hide it."""
        parts = tuple(self.selection.parts())
        if not parts:
            return
        suites = [self._suite(bed, chosen=False) for bed in self.beds]
        unmatched = (part for part in parts if not any(map(part.matches, suites)))
        for part in unmatched:
            names = [test.name for suite in suites for test in suite.all_tests]
            if asked := sizes_of_tests(part.tests):
                sizes = ", ".join(map(str, sizes_of_tests(names))) or "no frame size"
                raise ChoiceError(f"there is no test of {asked[0]} bytes; there are tests of {sizes}")
            tags = [str(tag) for suite in suites for test in suite.all_tests for tag in test.tags]
            kind, there = ("names", names) if part.tests else ("tags", sorted(tags))
            given = dict.fromkeys(str(path) for bed in self.beds for path in bed.suites)
            raise ChoiceError(
                f"there is no test{part} in {', '.join(given)}; "
                f"the {kind} there are {', '.join(dict.fromkeys(there)) or 'none'}"
            )

    def _check_suites(self) -> None:
        """ChoiceError for two suites that Robot gives one name: records could not tell their tests apart."""
        for bed in self.beds:
            files: dict[str, dict[int, Path]] = {}
            for test in self._suite(bed).all_tests:
                suite_name = test.full_name.removesuffix(f".{test.name}")
                files.setdefault(suite_name, {})[id(test.parent)] = Path(str(test.source))
            for name, suites in files.items():
                if len(suites) > 1:
                    paths = " and ".join(map(str, suites.values()))
                    short = name.removeprefix(f"{bed.label}.")
                    raise ChoiceError(
                        f"two suites have the name {short!r}: {paths}; give each file once, and its own name"
                    )

    def check_interfaces(self) -> None:
        """TesterLibraryError names the line of an interface that this machine, which has the tester, has not.

        Those of a fleet may be on other machines.
        """
        for testbed in dict.fromkeys(bed.testbed for bed in self.beds) if self.by is None else ():
            check_interfaces(testbed)

    def check(self) -> tuple[agenda.Item, ...]:
        """Checks everything that can be checked before. Returns every test, in the order of the run.

        Raises:
            TesterLibraryError: a file is missing or wrong, or there is no test.
        """
        for bed in self.beds:
            if bed.criteria:
                check_criteria(bed.criteria, testbed=bed.name, layer=bed.layer)
        self.check_interfaces()
        if len({bed.label for bed in self.beds}) < len(self.beds):
            raise ChoiceError("two testbeds have the same name; the report could not tell them apart")
        self._check_choice()
        self._check_suites()
        items = tuple(self.items())
        if not items:
            given = dict.fromkeys(str(path) for bed in self.beds for path in bed.suites)
            raise ChoiceError(f"there is no test{self.selection} in {', '.join(given)}")
        for bed in self.beds:
            check_testbeds(bed.suites, self._variables(bed), bed.testbed)
            if bed.criteria:
                check_bounds(bed.criteria, self._suite(bed))
        return items

    def begin(self) -> tuple[agenda.Item, ...]:
        """Checks everything that can be checked before, then makes the output directory with the agenda.

        Raises:
            TesterLibraryError: a file is missing or wrong, or the output directory holds something.
        """
        criteria = {
            bed.name: {"file": bed.criteria.name, "content": load_criteria(bed.criteria)}
            for bed in self.beds
            if bed.criteria
        }
        items = self.check()
        if self.output.exists() and any(self.output.iterdir()):
            there = (self.output / EVIDENCE).is_dir()
            more = "; --resume goes on with the run that is there" if there else ""
            raise ChoiceError(f"{self.output} is not empty; give another --output{more}")
        evidence = self.output / EVIDENCE
        start_run(
            evidence,
            uuid4().hex,
            profile=self.profile_values,
            criteria=criteria,
            certification=self.given,
            files=self.deciding_files(),
        )
        self.write_run_files()
        agenda.write(evidence, self.title, items, self.suite_s)
        if self.by:
            self.by.begin(self)
        return items

    def run(self) -> bool:
        """Runs Robot on one testbed after the other. False if it was interrupted.

        Tests for which the time budget has no room are recorded as such, and the run ends. A test that does
        not end is ended some time after that.
        """
        if self.by:
            return self.by.run(self)
        run_id = str(read_run(self.output / EVIDENCE)["id"])
        ends_at = latest = None
        if self.time_budget_s is not None:
            ends_at = time.monotonic() + self.time_budget_s
            latest = latest_end(ends_at, self.time_budget_s)
        # Suites are read once: they may be edited meanwhile.
        items = self.known_items() if self.again is None else self.again
        files = RunFiles(self.output)
        for number, bed in enumerate(self.beds, 1):
            chosen = [item for item in items if item.testbed == bed.name and _is_of(item, bed)]
            if reason := self._too_late(ends_at):
                recorder = Recorder(self.output / EVIDENCE, run_id)
                for item in chosen:
                    record_not_run(recorder, item, reason)
            elif chosen and (change := files.change()):
                record_fault(self.output, run_id, bed.label, change)
            elif chosen:
                options = [*self._options(number, bed, ends_at), *self._choice(chosen)]
                if latest is not None:
                    options += ["--listener", f"{_LIMIT_LISTENER};{latest}"]
                interrupted, why = run_robot(
                    [*options, *map(str, bed.suites)], self.output, run_id, bed.testbed, latest, self.status
                )
                if self.again is not None:
                    merge(*(self._robot_output(number, bed, again=again) for again in (False, True)))
                if interrupted:
                    return False
                self._say_why_not_run(bed, run_id, why)
        return True

    def _say_why_not_run(self, bed: Bed, run_id: str, reason: str) -> None:
        """Records why tests of a testbed have no record, unless Robot has said so itself."""
        records = read_verdicts(self.output / EVIDENCE)
        for suite in records.not_run:
            if suite.startswith(f"{bed.label}.") and not records.why_not_run(suite):
                record_fault(self.output, run_id, suite, reason)

    def robot_arguments(
        self, bed: Bed, items: Sequence[agenda.Item], suites: Sequence[Path], ends_at: str | None
    ) -> list[str]:
        """The arguments with which Robot runs some tests of one testbed; its output goes to `output`."""
        return [*self._options(1, bed, ends_at), *_by_name(items), *map(str, suites)]

    def files(self, bed: Bed) -> BedFiles:
        """The files that a testbed is run with."""
        return BedFiles(bed, self.profile, self._variables(bed))

    def write_run_files(self) -> None:
        """Notes the files that must not change while the certification runs."""
        files = {
            path: text for bed in self._different_beds for path, text in self.files(bed).watched().items()
        }
        noted = [RunFile(str(path), text, digest_of(path)) for path, text in files.items()]
        write_run_files(self.output, noted)

    def deciding_files(self) -> list[Mapping[str, str]]:
        """The files that decide what is measured and required, by name and SHA-256."""
        return [file for bed in self._different_beds for file in self.files(bed).deciding()]

    @property
    def _different_beds(self) -> Iterable[Bed]:
        return dict.fromkeys(replace(bed, repetition=1) for bed in self.beds)

    def _variables(self, bed: Bed) -> dict[str, str]:
        """The variables with which the suites run on a testbed, by name."""
        criteria = {"CRITERIA_FILE": str(bed.criteria)} if bed.criteria else {}
        given = {"TESTBED": bed.testbed, "PROFILE_FILE": str(self.profile), **criteria}
        return {**self.selection.variables, **given}

    def _too_late(self, ends_at: float | None) -> str:
        """Why no further testbed is begun; empty if it may be."""
        if ends_at is None:
            return ""
        left_out = read_verdicts(self.output / EVIDENCE).left_out
        return ENDED if left_out else spent(ends_at - time.monotonic())

    def _choice(self, left: Sequence[agenda.Item]) -> list[str]:
        """Options of Robot that choose the tests of a testbed: by name, if only these are left."""
        if self.again is None:
            return list(self.selection.options())
        return _by_name(left)

    def _robot_output(self, number: int, bed: Bed, *, again: bool) -> Path:
        return self.output / ROBOT / f"{number}-{bed.label}{'.again' if again else ''}.xml"

    def _options(self, number: int, bed: Bed, ends_at: float | str | None) -> list[str]:
        options = {
            "name": bed.label,
            "outputdir": str(self.output),
            "output": str(self._robot_output(number, bed, again=self.again is not None)),
            "log": "NONE",
            "report": "NONE",
            "console": "quiet",
            "prerunmodifier": _OWN_NAMES,
        }
        files = [self.profile, bed.criteria] if bed.criteria else [self.profile]
        listeners = ["--listener", f"{_FILES_LISTENER};{self.output};{self.output / EVIDENCE}"]
        if find_spec("allure_robotframework"):
            listeners += ["--listener", f"allure_robotframework;{self.output / ALLURE_RESULTS}"]
        if ends_at is not None:
            listeners += ["--listener", f"{_BUDGET_LISTENER};{ends_at};{self.output / EVIDENCE}"]
        return [
            *(text for name, value in options.items() for text in (f"--{name}", value)),
            *self.selection.modifiers(),
            *(
                text
                for name, value in self._variables(bed).items()
                for text in ("--variable", f"{name}:{value}")
            ),
            # Variables of the command line replace those that a suite imports itself.
            *(text for file in files for text in ("--variablefile", str(file))),
            *listeners,
        ]


def _by_name(items: Sequence[agenda.Item]) -> list[str]:
    """Options of Robot that choose these tests."""
    names = dict.fromkeys(f"{item.suite}.{item.chosen}" for item in items)
    return [text for name in names for text in ("--test", literal(name))]


def _is_of(item: agenda.Item, bed: Bed) -> bool:
    """Whether a test is run on this testbed in this repetition."""
    return item.suite.startswith(f"{bed.label}.")
