# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification that is killed in the middle of a test goes on behind its last finished trial."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from robot import run as run_robot

from TesterLibrary.campaign.interrupted_run import set_aside
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.recorder import RUN_VARIABLE
from TesterLibrary.reporting.record.records import TestRecord, read

TRIALS = 10
SUITE = """
*** Settings ***
Library    TesterLibrary    testbed=simulated/breakpoint
Library    OperatingSystem
Suite Setup    Open Tester

*** Test Cases ***
Soak
    Create Stream    north    tx=p1    rx=p2    frame_size=64
    Measure Soak    north    rate=50 %    trials=TRIALS    duration=1 s
    Verify Exceed Probability Below    50 %
    LAST
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def given(folder: Path, last: str = "No Operation") -> Path:
    path = folder / "soak.robot"
    path.write_text(SUITE.replace("TRIALS", str(TRIALS)).replace("LAST", last))
    return path


def trials(evidence: Path) -> list[dict[str, object]]:
    """The trials of the attempt that is under way, as far as they are on the disk."""
    path = evidence / "trials.jsonl"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def killed(evidence: Path, arguments: list[str], number: signal.Signals, *, after: int) -> int:
    """Kills the command when so many trials are finished. Returns how many were, in the end."""
    command = [sys.executable, "-m", "TesterLibrary.commands.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    give_up = time.monotonic() + 60
    while len(trials(evidence)) < after and time.monotonic() < give_up:
        time.sleep(0.01)
    if number is signal.SIGKILL:  # of Robot, too: it would end cleanly otherwise
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
        for child in children:
            os.kill(int(child), number)
    else:
        process.send_signal(number)
    process.communicate(timeout=60)
    return len(trials(evidence))


@pytest.mark.long
def test_no_signal_loses_a_finished_trial(tmp_path: Path) -> None:
    command = ["certify", "--testbed", "simulated/breakpoint", "--suite", str(given(tmp_path))]
    evidence, finished = tmp_path / "results" / "latest" / EVIDENCE, 0
    for number in (signal.SIGKILL, signal.SIGTERM):
        done = killed(evidence, command, number, after=finished + 2)
        assert finished + 2 <= done < TRIALS
        finished, command = done, ["certify", "--resume", "results/latest"]
    assert cli.main(command) == 0
    found = trials(evidence)
    assert [trial["number"] for trial in found] == [*range(1, TRIALS + 1)]
    assert [trial.get("taken_over") for trial in found] == ["interrupted-2"] * finished + [None] * (
        TRIALS - finished
    )
    assert len({trial["started_at"] for trial in found}) == TRIALS, "none was measured twice"
    (test,) = read(evidence).tests
    assert test.outcome == "PASS"
    assert f"{finished} of its trials taken over" in Path("results/latest/output.xml").read_text()


def test_what_looks_at_the_device_wants_it_to_have_seen_the_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counters of the device, say, would lack the frames of trials that were taken over."""
    monkeypatch.setenv(RUN_VARIABLE, "one")
    suite, evidence = given(tmp_path, "File Should Exist    go"), tmp_path / EVIDENCE

    def attempt() -> TestRecord:
        options = {"outputdir": str(tmp_path), "console": "none", "log": None, "report": None}
        run_robot(str(suite), **options)  # type: ignore[no-untyped-call]
        (test,) = read(evidence).tests
        if test.outcome == "ERROR":
            set_aside(evidence, [Item("breakpoint", test.suite, test.test)])
        return test

    assert attempt().outcome == "ERROR"
    Path("go").touch()
    test = attempt()
    assert test.outcome == "ERROR"
    assert f"{TRIALS} of its trials were taken over" in test.message
    assert "OperatingSystem.File Should Exist may look at a device that has not seen them" in test.message
    assert attempt().outcome == "PASS"
    assert not any("taken_over" in trial for trial in trials(evidence))
