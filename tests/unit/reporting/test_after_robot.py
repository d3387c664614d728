# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot alone makes the certificate, tells a fault of the testbed, and is disturbed by nothing of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from TesterLibrary.reporting.pages.rebuild import NO_REPORTS, after_robot
from TesterLibrary.reporting.record.recorder import RUN_VARIABLE

from .golden import record_run

MADE = {"certificate.html", "certificate.json", "junit.xml", "summary.md", "events.csv"}
SUITE = """
*** Settings ***
Library    TesterLibrary    testbed=none.yaml

*** Test Cases ***
No Testbed
    Open Tester
"""


GONE = """
version: 1
name: gone
description: A tester that does not run
tester: {address: "unix:/nowhere/testerd.sock"}
ports:
  - {name: p1, speed: 1 Gbps, interface: "iface:none1"}
  - {name: p2, speed: 1 Gbps, interface: "iface:none2"}
dut: {name: Device, kind: physical, layer: 2}
"""


def made(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_robot_alone_makes_the_certificate_and_names_the_fault_of_the_testbed(tmp_path: Path) -> None:
    (tmp_path / "none.robot").write_text(SUITE)
    command = [sys.executable, "-m", "robot", "--outputdir", str(tmp_path / "run"), "none.robot"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert made(tmp_path / "run") >= MADE
    events = (tmp_path / "run" / "evidence" / "events.jsonl").read_text().splitlines()
    (fault,) = [event for event in map(json.loads, events) if event["event"] == "testbed_fault"]
    assert fault["reason"].startswith("there is no testbed 'none.yaml'")
    assert "there is no testbed &#39;none.yaml&#39;" in (tmp_path / "run" / "certificate.html").read_text()


def test_the_record_says_that_the_tester_is_gone(tmp_path: Path) -> None:
    (tmp_path / "none.robot").write_text(SUITE.replace("none.yaml", "gone.yaml"))
    (tmp_path / "gone.yaml").write_text(GONE)
    command = [sys.executable, "-m", "robot", "--outputdir", str(tmp_path / "run"), "none.robot"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr  # INCONCLUSIVE: skipped
    events = (tmp_path / "run" / "evidence" / "events.jsonl").read_text().splitlines()
    (fault,) = map(json.loads, events)
    assert (fault["event"], fault["test"]) == ("tester_fault", "No Testbed")
    assert "no tester answers at unix:/nowhere/testerd.sock" in fault["reason"]


@pytest.mark.parametrize("variable", [RUN_VARIABLE, NO_REPORTS])
def test_it_is_left_to_those_who_make_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    record_run(tmp_path / "evidence")
    monkeypatch.setenv(variable, "1")
    after_robot(tmp_path)
    assert made(tmp_path) == set()
    monkeypatch.delenv(variable)
    after_robot(tmp_path)
    assert made(tmp_path) == MADE


def test_what_cannot_be_made_is_said_and_nothing_else_happens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after_robot(tmp_path)
    assert capsys.readouterr().err == "", "there was no run"
    record_run(tmp_path / "evidence")
    (tmp_path / "certificate.html").mkdir()
    after_robot(tmp_path)
    said = capsys.readouterr().err
    assert "certificate.html could not be written" in said
    assert f"tester report {tmp_path} makes it" in said
