# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification: suites on one testbed after another, with one set of reports at the end."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from robot.api import TestSuite

from ..errors import TesterLibraryError
from ..files.criteria import check_criteria
from ..files.paths import data_root, resource
from ..files.profile import profile_values, section
from ..reporting import agenda
from ..reporting.rebuild import ALLURE_RESULTS, EVIDENCE, ROBOT
from ..reporting.recorder import RUN_VARIABLE, read_run, start_run
from ..testbeds import load_testbed, shipped_testbeds
from ._resume import check_agenda, merge, set_aside, unfinished

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


@dataclass(frozen=True)
class Bed:
    """A testbed of a certification, with the suites that are run there."""

    testbed: str  # for the library: a name or an absolute path
    name: str  # as the file says
    suites: tuple[Path, ...]
    criteria: Path | None  # for its device; None: its suites have bounds of their own

    @property
    def label(self) -> str:
        """The name of its tests in the reports: `l2-bridge`."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True)
class Certification:
    """The suites, testbeds, profile and bounds of a certification, and the folder of its files."""

    beds: tuple[Bed, ...]
    profile: Path
    output: Path
    given: Mapping[str, Any] = field(default_factory=dict)  # what it was made from, for `resumed`
    again: tuple[agenda.Item, ...] | None = None  # the tests that are left of an interrupted run; None: all

    @cached_property
    def profile_values(self) -> Mapping[str, Any]:
        """The content of the profile."""
        return profile_values(self.profile)

    @property
    def title(self) -> str:
        """The profile's title, or that of the shortest shipped one."""
        return str(section(self.profile_values, "title"))

    def items(self) -> Iterator[agenda.Item]:
        """Every test, in the order of the run."""
        expected = self.profile_values.get("expected", {})
        for bed in self.beds:
            suite = TestSuite.from_file_system(*map(str, bed.suites))
            suite.name = bed.label
            for test in suite.all_tests:
                tags = {str(tag) for tag in test.tags}
                seconds = next((expected[tag] for tag in expected if tag in tags), 0)
                suite_name = test.full_name.removesuffix(f".{test.name}")
                yield agenda.Item(bed.name, suite_name, test.name, float(seconds))

    def begin(self) -> tuple[agenda.Item, ...]:
        """Checks everything that can be checked before, then makes the output directory with the agenda.

        Raises:
            TesterLibraryError: a file is missing or wrong, or the output directory holds something.
        """
        for bed in self.beds:
            if bed.criteria:
                check_criteria(bed.criteria)
        if len({bed.label for bed in self.beds}) < len(self.beds):
            raise TesterLibraryError("two testbeds have the same name; the report could not tell them apart")
        items = tuple(self.items())
        if not items:
            given = dict.fromkeys(str(path) for bed in self.beds for path in bed.suites)
            raise TesterLibraryError(f"there is no test in {', '.join(given)}")
        if self.output.exists() and any(self.output.iterdir()):
            raise TesterLibraryError(f"{self.output} is not empty; give another --output")
        evidence = self.output / EVIDENCE
        start_run(evidence, uuid4().hex, profile=self.profile_values, certification=self.given)
        agenda.write(evidence, self.title, items)
        return items

    def run(self) -> bool:
        """Runs Robot on one testbed after the other. False if it was interrupted."""
        (self.output / ROBOT).mkdir(exist_ok=True)
        run_id = json.loads((self.output / EVIDENCE / "run.json").read_text(encoding="utf-8"))["id"]
        environment = {**os.environ, RUN_VARIABLE: run_id}
        for number, bed in enumerate(self.beds, 1):
            chosen = self._chosen(bed)
            if chosen == []:
                continue
            options = [*self._options(number, bed), *(chosen or ())]
            arguments = [sys.executable, "-m", "robot", *options, *map(str, bed.suites)]
            with (
                subprocess.Popen(
                    arguments, env=environment, start_new_session=True, preexec_fn=_end_with_parent
                ) as robot,
                _signals_to(robot) as interrupted,
            ):
                robot.wait()
            if self.again is not None:
                merge(
                    self._robot_output(number, bed, again=False), self._robot_output(number, bed, again=True)
                )
            if interrupted:
                return False
        return True

    def _chosen(self, bed: Bed) -> list[str] | None:
        """Options of Robot that choose the tests which are left; empty if none is, None for all."""
        if self.again is None:
            return None
        names = [f"{item.suite}.{item.test}" for item in self.again if item.testbed == bed.name]
        return [text for name in names for text in ("--test", _literal(name))]

    def _robot_output(self, number: int, bed: Bed, *, again: bool) -> Path:
        return self.output / ROBOT / f"{number}-{bed.label}{'.again' if again else ''}.xml"

    def _options(self, number: int, bed: Bed) -> list[str]:
        options = {
            "name": bed.label,
            "outputdir": str(self.output),
            "output": str(self._robot_output(number, bed, again=self.again is not None)),
            "log": "NONE",
            "report": "NONE",
            "console": "quiet",
        }
        variables = {"TESTBED": bed.testbed, "PROFILE_FILE": self.profile}
        if bed.criteria:
            variables["CRITERIA_FILE"] = bed.criteria
        files = [self.profile, bed.criteria] if bed.criteria else [self.profile]
        listeners = []
        if find_spec("allure_robotframework"):
            listeners = ["--listener", f"allure_robotframework;{self.output / ALLURE_RESULTS}"]
        return [
            *(text for name, value in options.items() for text in (f"--{name}", value)),
            *(text for name, value in variables.items() for text in ("--variable", f"{name}:{value}")),
            # Variables of the command line replace those that a suite imports itself.
            *(text for file in files for text in ("--variablefile", str(file))),
            *listeners,
        ]


def _literal(name: str) -> str:
    """A pattern of Robot that this name alone matches."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)


def resumed(output: Path) -> Certification:
    """The rest of a certification that was interrupted, or had errors: its records are made ready for it.

    Raises:
        TesterLibraryError: there is no such run, its tests have changed since, or a file is missing.
    """
    evidence = output.absolute() / EVIDENCE
    if not (evidence / "run.json").is_file():
        raise TesterLibraryError(f"{output} is no run of tester certify: it has no {EVIDENCE}/run.json")
    given = read_run(evidence).get("certification")
    if not given:
        raise TesterLibraryError(
            f"{output} cannot be resumed: it was not run by tester certify, or by an older one"
        )
    whole = certification(**given, output=output)
    items = tuple(whole.items())
    check_agenda(output, evidence, items)
    again = unfinished(evidence, items)
    set_aside(evidence, again)
    return replace(whole, again=again)


def certification(
    *, profile: str, testbeds: Sequence[str], criteria: str | None, suites: Sequence[str], output: Path
) -> Certification:
    """A certification from what a person types.

    Raises:
        TesterLibraryError: a file is not there; the message names those that are.
    """
    path = resource("criteria/profiles", profile)
    given = tuple(_suite(name) for name in suites)
    runs = section(profile_values(path), "runs")
    if testbeds:
        shipped = tuple(dict.fromkeys(name for run in runs for name in run["suites"]))
        bounded = any(run.get("criteria") for run in runs)
        runs = [{"testbed": name, "suites": shipped, "criteria": bounded} for name in testbeds]
    return Certification(
        beds=tuple(_bed(run, given, criteria) for run in runs),
        profile=path,
        output=output.absolute(),
        given={
            "profile": _absolute(profile),
            "testbeds": list(map(_absolute, testbeds)),
            "criteria": _absolute(criteria) if criteria else None,
            "suites": list(map(str, given)),
        },
    )


def _absolute(name_or_path: str) -> str:
    """A path from anywhere; a name of something shipped stays."""
    path = Path(name_or_path).expanduser()
    return str(path.absolute()) if path.exists() else name_or_path


def _bed(run: Mapping[str, Any], suites: tuple[Path, ...], criteria: str | None) -> Bed:
    """A testbed of the run with its suites: those given, or else those of the profile."""
    name = run["testbed"]
    found = load_testbed(name)
    shipped = {path: known for known, path in shipped_testbeds().items()}
    assert found.source is not None, "it was read from a file"
    testbed = shipped.get(found.source) or str(found.source)
    chosen = suites or tuple(data_root() / "suites" / suite for suite in run["suites"])
    if criteria is not None:
        return Bed(testbed, found.name, chosen, resource("criteria", criteria))
    if not run.get("criteria"):
        return Bed(testbed, found.name, chosen, None)
    file = data_root() / "resources" / "criteria" / f"{testbed}.yaml"
    if not file.is_file():
        raise TesterLibraryError(
            f"there are no criteria for the testbed {name!r}; give a file with --criteria. "
            f"Shipped are those of {', '.join(_with_criteria())}, to be copied"
        )
    return Bed(testbed, found.name, chosen, file)


def _with_criteria() -> list[str]:
    """Shipped testbeds that have criteria."""
    folder = data_root() / "resources" / "criteria"
    return [name for name in shipped_testbeds() if (folder / f"{name}.yaml").is_file()]


def _suite(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        raise TesterLibraryError(f"there is no suite {path} (from {Path.cwd()})")
    return path.absolute()


def _end_with_parent() -> None:
    """Ends this process with its parent, so that no traffic goes on after the command was killed."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)


@contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Robot ends a run cleanly on the first SIGINT or SIGTERM and at once on the second.

    It has a session of its own, so that it gets each once.
    """
    received: list[int] = []

    def forward(number: int, _: object) -> None:
        received.append(number)
        if process.poll() is None:
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
