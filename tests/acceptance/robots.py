# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot on a suite, as a user starts it, and what is left of it.

A test that was INCONCLUSIVE though it should not have been is repeated with its suite, `ATTEMPTS` times in
all; then it fails, unless numbers of the machine explain it (`machine.py`, `tests/excuses.py`).
"""

from __future__ import annotations

import json
import os
from collections import UserDict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from robot.api import ExecutionResult

from TesterLibrary.reporting.pages.rebuild import NO_REPORTS
from tests import forked
from tests.excuses import Excused

from .machine import explanation

SUITES = Path(__file__).with_name("suites")
ATTEMPTS = 3
_SECONDS = 240  # of one attempt, unless a test says how many
_RANK = ("SKIP", "PASS", "FAIL")  # of two attempts at a test the higher one counts: no FAIL is outvoted
_FILES = ("output.xml", "log.html", "report.html", "evidence")


def quick_or_long(*given: object, long: bool) -> object:
    """A set of parameters for `parametrize`."""
    return pytest.param(*given, marks=pytest.mark.long if long else ())


def planted(folder: Path, shipped: Path, option: str, value: object) -> str:
    """A variable for a copy of a shipped testbed with another value of one of its options."""
    lines = shipped.read_text(encoding="utf-8").splitlines()
    starts = f"{option}:"
    changed = [
        f"{line[: -len(line.lstrip())]}{starts} {value}" if line.strip().startswith(starts) else line
        for line in lines
    ]
    assert changed != lines
    file = folder / "planted.yaml"
    file.write_text("\n".join([*changed, ""]), encoding="utf-8")
    return f"TESTBED:{file}"


class SuiteTests(UserDict[str, Any]):
    """The tests of a suite by name, as Robot's output has them. `again` runs the suite another time.

    `blamed` are those that a check has found wrong, or the one that was looked at last: whose fault it is if
    a test fails now.
    """

    def __init__(self, output: Path, again: Callable[[], None]) -> None:
        super().__init__()
        self.blamed: Collection[str] = ()
        self._output, self._again, self.attempts = output, again, 0
        self._attempt()
        _runs.append(self)

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        self.blamed = (name,)
        return found

    def _attempt(self) -> None:
        if self.attempts:
            _put_aside(self._output, f"attempt-{self.attempts}")
        self._again()
        self.attempts += 1
        for test in ExecutionResult(self._output / "output.xml").suite.all_tests:
            known = self.get(test.name)
            if known is None or _RANK.index(test.status) >= _RANK.index(known.status):
                self[test.name] = test
        self.blamed = ()

    def settled(self, names: Collection[str] = ()) -> SuiteTests:
        """Repeats the suite until none of these tests, or of all, is INCONCLUSIVE, or one has failed."""
        while self.attempts < ATTEMPTS and (unsettled := self._inconclusive(names)):
            for name in unsettled:
                print(f"attempt {self.attempts} of {ATTEMPTS}: {name}: {self[name].message}")
            self._attempt()
        return self

    def excuse(self, names: Collection[str]) -> None:
        """Raises Excused if the machine explains by number why each of these tests is INCONCLUSIVE."""
        rest = self._inconclusive(names)
        numbers = {name: explanation(self[name].message, self._trials(name)) for name in rest}
        self.blamed = rest
        if rest and all(numbers.values()):
            raise Excused(
                "; ".join(f"{name}: {self[name].message}" for name in rest),
                "; ".join(f"{name}: {said}" for name, said in numbers.items())
                + f"; {self.attempts} attempts",
            )

    def _inconclusive(self, names: Collection[str]) -> list[str]:
        chosen = names or self.keys()
        return [name for name in chosen if self[name].status == "SKIP"]

    def _trials(self, name: str) -> list[dict[str, Any]]:
        recorded = self._output / "evidence" / "trials.jsonl"
        return [t for t in lines(recorded) if t["test"] == name] if recorded.exists() else []


_runs: list[SuiteTests] = []  # of the test that runs


def forget_runs() -> None:
    """A test begins."""
    _runs.clear()


def blamed() -> set[str] | None:
    """Tests of Robot that the test which runs has found wrong so far; None if it has run none."""
    return {name for tests in _runs for name in tests.blamed} if _runs else None


def robot(
    suite: Path,
    output: Path,
    *variables: str,
    only: str | None = None,
    listener: Path | None = None,
    gentler: Collection[str] = (),
    seconds: int = _SECONDS,
) -> SuiteTests:
    """Tests of the suite; all that it has, or one. Those repeated have the `gentler` variables as well."""

    def run_once() -> None:
        again = gentler if (output / "attempt-1").exists() else ()
        given = [word for variable in (*variables, *again) for word in ("--variable", variable)]
        given += ["--test", only] if only else []
        given += ["--listener", str(listener)] if listener else []
        arguments = ["--outputdir", str(output), "--nostatusrc", *given, str(suite)]
        environment = {**os.environ, NO_REPORTS: "1"}  # half a second of each run, which few tests look at
        assert forked.run("robot", arguments, environment=environment, timeout=seconds) == 0

    return SuiteTests(output, run_once)


def run(suite: str, output: Path, *variables: str) -> SuiteTests:
    """The same of a suite of this folder."""
    return robot(SUITES / suite, output, *variables)


def check_passed(
    tests: SuiteTests, inconclusive: Mapping[str, str] | None = None, apart_from: Collection[str] = ()
) -> None:
    """Each has passed, in one attempt or another; those to be INCONCLUSIVE have these texts in it."""
    doubts = inconclusive or {}
    others = [name for name in tests if name not in doubts and name not in apart_from]
    if all(tests[name].passed or tests[name].skipped for name in others):
        tests.settled(others)
    rest = {name: tests[name].message for name in others if not tests[name].passed}
    if all(tests[name].skipped for name in rest):
        tests.excuse(rest)
    tests.blamed = [*rest]
    assert rest == {}, rest
    for name, text in doubts.items():
        assert (tests[name].status, text in tests[name].message) == ("SKIP", True), tests[name].message


def check_failed(tests: SuiteTests, name: str, message: str) -> None:
    """It has failed, with this in its message."""
    test = tests.settled([name])[name]
    tests.excuse([name])
    assert (test.status, message in test.message) == ("FAIL", True), test.message


def lines(path: Path) -> list[dict[str, Any]]:
    """A file of one JSON object a line."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def _put_aside(output: Path, name: str) -> None:
    """Moves what an attempt has left into a folder beside, so that the next one begins with none."""
    (output / name).mkdir()
    for file in _FILES:
        if (output / file).exists():
            (output / file).rename(output / name / file)
