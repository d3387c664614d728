# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`diagnose=on-failure` follows a FAIL, and leaves its verdict as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from robot.api import ExecutionResult

ROOT = Path(__file__).parents[2]
_CAUSE = "Loses each frame of 1,024 to 1,279 bytes"
_SETTINGS = """
*** Settings ***
Library           TesterLibrary    testbed=simulated/planted    {setting}
Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Template     Loss

*** Keywords ***
Loss
    [Arguments]    ${{bound}}    ${{signature}}
    Create Stream    north    tx=p1    rx=p2    frame_size=64:7 570:4 1100:2 1518:1    rate=10 kpps
    ...    signature=${{signature}}
    Measure Loss    north    duration=1 s
    Verify Loss Below    ${{bound}}

*** Test Cases ***
"""
_SUITES = {
    "on": _SETTINGS.format(setting="diagnose=on-failure")
    + "A Failure    0    True\nNo Failure    90 %    True\nA Stream That Is Not Varied    0    False\n",
    "off": _SETTINGS.format(setting="") + "Off By Default    0    True\n",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ExecutionResult:
    folder = tmp_path_factory.mktemp("run")
    for name, text in _SUITES.items():
        (folder / f"{name}.robot").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "robot", "--log", "NONE", "--report", "NONE", "--name", "All"]
    command += [str(folder / f"{name}.robot") for name in _SUITES]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    return ExecutionResult(folder / "output.xml")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("A Failure", "FAIL"),
        ("No Failure", "PASS"),
        ("A Stream That Is Not Varied", "FAIL"),
        ("Off By Default", "FAIL"),
    ],
)
def test_the_verdict_stays(run: ExecutionResult, name: str, status: str) -> None:
    (test,) = (test for suite in run.suite.suites for test in suite.tests if test.name == name)
    assert test.status == status
    assert f"verdict-{status.lower()}" in test.tags
    assert _CAUSE not in test.message


def test_a_failure_is_diagnosed_once(run: ExecutionResult) -> None:
    cause, refusal = (error.message for error in run.errors if "diagnos" in error.message.lower())
    assert _CAUSE in cause
    assert refusal.startswith("The failure is not diagnosed: ")
