# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of suites, and plans of job files, before they run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from robot.api import ExecutionResult

from ..errors import TesterLibraryError
from ..testbeds.python_process import python_command

COMMANDS = "TesterLibrary.commands.main"  # the module of the command tester
_TIMEOUT_S = 120.0


def problems_of(suite: str) -> list[str]:
    """The problems that Robot's dry run has with the text of a suite: its errors, and tests that fail."""
    with TemporaryDirectory() as folder:
        path, output = Path(folder) / "suite.robot", Path(folder) / "output.xml"
        path.write_text(suite, encoding="utf-8")
        options = ["--dryrun", "--output", str(output), "--log", "NONE", "--report", "NONE"]
        done = _run("robot", *options, "--variable", "TESTBED:embedded/l2-bridge", str(path))
        if not output.is_file():
            return [
                line.replace(f"{folder}/", "") for line in (done.stdout + done.stderr).splitlines() if line
            ]
        result = ExecutionResult(output)
        problems = [message.message.replace(f"{folder}/", "") for message in result.errors]
        problems += [f"{test.name}: {test.message}" for test in result.suite.all_tests if test.failed]
        return problems


def planned(job: str, target: str) -> str:
    """The plan of the text of a job file by `tester plan`. TesterLibraryError: the job is refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "job.yaml"
        path.write_text(job, encoding="utf-8")
        done = _run(COMMANDS, "plan", str(path), "--target", target)
    if done.returncode:
        problem = (done.stderr or done.stdout).strip().removeprefix("tester: ")
        raise TesterLibraryError(problem.replace(f"{folder}/", ""))
    return done.stdout


def _run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        python_command(module, *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
