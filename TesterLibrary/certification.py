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
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from robot.api import TestSuite

from .errors import TesterLibraryError
from .paths import data_root, resource
from .reporting import agenda
from .reporting.rebuild import ALLURE_RESULTS, EVIDENCE, ROBOT
from .reporting.recorder import RUN_VARIABLE, start_run
from .settings import read_settings
from .testbeds import load_testbed, shipped_testbeds

TITLE = "RFC 2544 certification"
EMBEDDED = ("embedded/l2-bridge", "embedded/l3-router")
_RFC2544 = ("__init__.robot", "throughput.robot", "latency.robot", "frame_loss.robot")  # in the RFC's order
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


@dataclass(frozen=True)
class Bed:
    """A testbed of a certification, with the criteria for its device."""

    testbed: str  # as the library takes it: a name or an absolute path
    name: str  # as the file says
    criteria: Path

    @property
    def label(self) -> str:
        """What its tests are called in the reports: `l2-bridge`."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True)
class Certification:
    """What is run, on what, against which bounds, and where its files go."""

    beds: tuple[Bed, ...]
    profile: Path
    suites: tuple[Path, ...]
    output: Path

    @cached_property
    def profile_values(self) -> Mapping[str, Any]:
        """The content of the profile."""
        values: Mapping[str, Any] = read_settings(self.profile, "profile")
        return values

    def items(self) -> Iterator[agenda.Item]:
        """Every test, in the order of the run."""
        expected = self.profile_values.get("expected", {})
        for bed in self.beds:
            suite = TestSuite.from_file_system(*map(str, self.suites))
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
            read_settings(bed.criteria, "criteria")
        if len({bed.label for bed in self.beds}) < len(self.beds):
            raise TesterLibraryError("two testbeds have the same name; the report could not tell them apart")
        items = tuple(self.items())
        if not items:
            raise TesterLibraryError(f"there is no test in {', '.join(map(str, self.suites))}")
        if self.output.exists() and any(self.output.iterdir()):
            raise TesterLibraryError(f"{self.output} is not empty; give another --output")
        evidence = self.output / EVIDENCE
        start_run(evidence, uuid4().hex, profile=self.profile_values)
        agenda.write(evidence, TITLE, items)
        return items

    def run(self) -> bool:
        """Runs Robot on one testbed after the other. False if it was interrupted."""
        (self.output / ROBOT).mkdir()
        run_id = json.loads((self.output / EVIDENCE / "run.json").read_text(encoding="utf-8"))["id"]
        environment = {**os.environ, RUN_VARIABLE: run_id}
        for number, bed in enumerate(self.beds, 1):
            arguments = [sys.executable, "-m", "robot", *self._options(number, bed), *map(str, self.suites)]
            with (
                subprocess.Popen(
                    arguments, env=environment, start_new_session=True, preexec_fn=_end_with_parent
                ) as robot,
                _signals_to(robot) as interrupted,
            ):
                robot.wait()
            if interrupted:
                return False
        return True

    def _options(self, number: int, bed: Bed) -> list[str]:
        options = {
            "name": bed.label,
            "outputdir": str(self.output),
            "output": f"{ROBOT}/{number}-{bed.label}.xml",
            "log": "NONE",
            "report": "NONE",
            "console": "quiet",
        }
        variables = {"TESTBED": bed.testbed, "PROFILE_FILE": self.profile, "CRITERIA_FILE": bed.criteria}
        listeners = []
        if find_spec("allure_robotframework"):
            listeners = ["--listener", f"allure_robotframework;{self.output / ALLURE_RESULTS}"]
        return [
            *(text for name, value in options.items() for text in (f"--{name}", value)),
            *(text for name, value in variables.items() for text in ("--variable", f"{name}:{value}")),
            *listeners,
        ]


def certification(
    *, profile: str, testbeds: Sequence[str], criteria: str | None, suites: Sequence[str], output: Path
) -> Certification:
    """A certification from what a person types.

    Raises:
        TesterLibraryError: a file is not there; the message names those that are.
    """
    return Certification(
        beds=tuple(_bed(name, criteria) for name in testbeds or EMBEDDED),
        profile=resource("criteria/profiles", profile),
        suites=tuple(_suite(name) for name in suites) or _shipped_suites(),
        output=output.absolute(),
    )


def _bed(name: str, criteria: str | None) -> Bed:
    found = load_testbed(name)
    shipped = {path: known for known, path in shipped_testbeds().items()}
    assert found.source is not None, "it was read from a file"
    testbed = shipped.get(found.source) or str(found.source)
    if criteria is not None:
        return Bed(testbed, found.name, resource("criteria", criteria))
    own = data_root() / "resources" / "criteria" / f"{testbed}.yaml"
    if not own.is_file():
        raise TesterLibraryError(
            f"there are no criteria for the testbed {name!r}; give a file with --criteria. "
            f"Shipped are those of {', '.join(EMBEDDED)}, to be copied"
        )
    return Bed(testbed, found.name, own)


def _suite(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        raise TesterLibraryError(f"there is no suite {path} (from {Path.cwd()})")
    return path.absolute()


def _shipped_suites() -> tuple[Path, ...]:
    return tuple(data_root() / "suites" / "rfc2544" / name for name in _RFC2544)


def _end_with_parent() -> None:
    """Traffic does not go on when the command that asked for it was killed."""
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
