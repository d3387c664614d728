# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot on a suite, as a user starts it, and what is left of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from robot.api import ExecutionResult

SUITES = Path(__file__).with_name("suites")
# Of what makes a trial invalid, that which the machine does to a tester that is right.
MACHINE = re.compile(
    "INCONCLUSIVE: .*(the hypervisor took|a worker did not run for|with a rate error of|kernel dropped)"
)


def robot(
    suite: Path, output: Path, *variables: str, only: str | None = None, listener: Path | None = None
) -> dict[str, Any]:
    """Tests of the suite by name, as Robot's output has them; all that it has, or one."""
    given = [word for variable in variables for word in ("--variable", variable)]
    given += ["--test", only] if only else []
    given += ["--listener", str(listener)] if listener else []
    command = [sys.executable, "-m", "robot", "--outputdir", str(output), "--nostatusrc", *given, str(suite)]
    subprocess.run(command, check=True, timeout=240)
    return {test.name: test for test in ExecutionResult(output / "output.xml").suite.all_tests}


def run(suite: str, output: Path, *variables: str) -> dict[str, Any]:
    """The same of a suite of this folder."""
    return robot(SUITES / suite, output, *variables)


def check_passed(tests: dict[str, Any]) -> None:
    """Each has passed. Skips where all that did not was INCONCLUSIVE as others had taken the machine."""
    rest = {name: test.message for name, test in tests.items() if not test.passed}
    assert {name: message for name, message in rest.items() if not MACHINE.match(message)} == {}
    if rest:
        pytest.skip("; ".join(f"{name}: {message}" for name, message in rest.items()))


def check_failed(test: Any, message: str) -> None:
    """It has failed, with this in its message. Skips where others had taken the machine."""
    if MACHINE.match(test.message):
        pytest.skip(test.message)
    assert (test.status, message in test.message) == ("FAIL", True), test.message


def lines(path: Path) -> list[dict[str, Any]]:
    """A file of one JSON object a line."""
    return [json.loads(line) for line in path.read_text().splitlines()]
