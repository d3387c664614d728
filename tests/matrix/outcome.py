# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Outcomes of the tests of a suite on a target, as the file beside this one keeps it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from robot.api import TestSuiteBuilder
from robot.result import TestCase

from TesterLibrary.files.paths import data_root

SUITES = data_root() / "suites"
FILE = Path(__file__).with_name("outcomes.json")
_SETUP = re.compile(r"(?:Parent suite setup|Setup) failed:\n(.*?)(?:\n\nAlso .*)?", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


class Kind(Enum):
    """The kinds of outcomes."""

    PASS = "pass"
    REFUSED = "refused"  # by name, before anything was sent
    UNKNOWN = "not measured"  # INCONCLUSIVE: the target does not count what the verdict needs
    FAIL = (
        "FAIL"  # a verdict that was made, and did not pass: right, if the device is not what the suite is for
    )


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test, with the reason where it did not pass."""

    kind: Kind
    reason: str = ""

    @property
    def alike(self) -> tuple[Kind, str]:
        """The part that two runs of a test have in common: the numbers in a reason may differ."""
        return self.kind, _NUMBER.sub("#", self.reason)


Outcomes = dict[str, dict[str, dict[str, Outcome]]]  # by target, suite and test


def outcome_of(test: TestCase) -> Outcome:
    """The outcome of a test, from Robot's output."""
    message = str(test.message)
    if found := _SETUP.fullmatch(message):
        message = found[1]
    message = message.strip().splitlines()[0] if message.strip() else ""
    message = message.replace(f"{data_root()}/", "")  # wherever that is on this machine
    if test.passed:
        return Outcome(Kind.PASS)
    if test.skipped:
        return Outcome(Kind.UNKNOWN, message.removeprefix("INCONCLUSIVE: "))
    if message.startswith("FAIL: "):
        return Outcome(Kind.FAIL, message.removeprefix("FAIL: "))
    return Outcome(Kind.REFUSED, message)


def shipped() -> Iterator[Path]:
    """Each suite that is shipped."""
    return iter(sorted(path for path in SUITES.rglob("*.robot") if path.stem != "__init__"))


def name_of(suite: Path) -> str:
    """The name of a suite in the matrix: `rfc2544/latency`."""
    return suite.relative_to(SUITES).with_suffix("").as_posix()


def tests_of(suite: Path) -> list[str]:
    """The names of its tests."""
    return [test.name for test in TestSuiteBuilder().build(suite).tests]


def load() -> Outcomes:
    """The outcomes of the last runs."""
    if not FILE.exists():
        return {}
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        target: {
            suite: {test: Outcome(Kind(kind), reason) for test, (kind, reason) in tests.items()}
            for suite, tests in suites.items()
        }
        for target, suites in data.items()
    }


def save(outcomes: Mapping[str, Mapping[str, Mapping[str, Outcome]]]) -> None:
    """Keeps what was found."""
    data = {
        target: {
            suite: {test: (one.kind.value, one.reason) for test, one in tests.items()}
            for suite, tests in sorted(suites.items())
        }
        for target, suites in sorted(outcomes.items())
    }
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def folders() -> list[str]:
    """The folders of suites."""
    return sorted({name_of(suite).partition("/")[0] for suite in shipped()})
