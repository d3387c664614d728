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
_SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=simulated/planted    {setting}
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
One
    Create Stream    north    tx=p1    rx=p2    frame_size=64:7 570:4 1100:2 1518:1
    ...    rate=10 kpps    {stream}
    Measure Loss    north    duration=1 s
    Verify Loss Below    {bound}
"""


@pytest.mark.parametrize(
    ("setting", "stream", "bound", "status", "warning"),
    [
        ("diagnose=on-failure", "signature=True", "0", "FAIL", _CAUSE),
        ("", "signature=True", "0", "FAIL", ""),
        ("diagnose=on-failure", "signature=True", "90 %", "PASS", ""),
        ("diagnose=on-failure", "signature=False", "0", "FAIL", "The failure is not diagnosed: "),
    ],
    ids=["a failure", "off by default", "no failure", "a stream that is not varied"],
)
def test_a_diagnosis(
    setting: str, stream: str, bound: str, status: str, warning: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.robot"
    path.write_text(_SUITE.format(setting=setting, stream=stream, bound=bound), encoding="utf-8")
    command = [sys.executable, "-m", "robot", "--log", "NONE", "--report", "NONE", str(path)]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    result = ExecutionResult(tmp_path / "output.xml")
    (test,) = result.suite.tests
    assert test.status == status
    assert f"verdict-{status.lower()}" in test.tags
    assert _CAUSE not in test.message
    diagnoses = [message.message for message in result.errors if "diagnos" in message.message.lower()]
    assert bool(diagnoses) == bool(warning)
    assert all(warning in message for message in diagnoses)
