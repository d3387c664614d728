# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs suites with Robot on embedded devices, as a user does, and reads what is left of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from robot.api import ExecutionResult

from TesterLibrary.testbeds import list_testbeds

from .robots import SuiteTests, check_passed, lines, run

VERDICTS = [
    ("Passes", "PASS", ""),
    ("Is Inconclusive Beyond The Tester", "SKIP", "the tester sent"),
    ("Is Inconclusive Where The Tester Stood Still", "SKIP", "query silences: a worker did not run for"),
    ("Fails", "FAIL", "FAIL: throughput of north, 1024 bytes is"),
    ("Fails When Nothing Arrives", "FAIL", "100 % (200 of 200 frames; nothing arrived at all)"),
    ("Is Inconclusive Without A Link", "SKIP", "the link of p2 was down"),
    ("Is Inconclusive Without An Engine", "SKIP", "testerd was killed by SIGKILL"),
    ("Goes On Being Inconclusive", "SKIP", "testerd was killed by SIGKILL"),
    ("Opens Again", "PASS", ""),
]


def engines() -> set[str]:
    """Processes of engines on this machine."""
    found = subprocess.run(["pgrep", "-x", "testerd"], capture_output=True, text=True, check=False)
    return set(found.stdout.split())


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> tuple[SuiteTests, Path]:
    output = tmp_path_factory.mktemp("verdicts")
    meant = [name for name, status, _ in VERDICTS if status != "SKIP"]
    return run("verdicts.robot", output).settled(meant), output


@pytest.mark.parametrize(("test", "status", "message"), VERDICTS)
def test_verdicts(verdicts: tuple[SuiteTests, Path], test: str, status: str, message: str) -> None:
    found = verdicts[0][test]
    if status != "SKIP":
        verdicts[0].excuse([test])
    assert (found.status, message in found.message) == (status, True), found.message
    assert found.message.startswith("INCONCLUSIVE: ") == (status == "SKIP")


def test_finished_trials_and_the_one_cut_short_are_recorded(verdicts: tuple[SuiteTests, Path]) -> None:
    evidence = verdicts[1] / "evidence"
    trials = lines(evidence / "trials.jsonl")
    assert {trial["test"] for trial in trials} >= {
        "Passes",
        "Fails",
        "Fails When Nothing Arrives",
        "Is Inconclusive Without A Link",
        "Opens Again",
    }
    assert all(trial["test"] != "Is Inconclusive Without An Engine" for trial in trials)
    cut = [event for event in lines(evidence / "events.jsonl") if event["event"] == "trial_cut_short"]
    assert cut[0]["test"] == "Is Inconclusive Without An Engine"
    last = {verdict["test"]: verdict["outcome"] for verdict in lines(evidence / "verdicts.jsonl")}
    shown = {test.name: test.status for test in ExecutionResult(verdicts[1] / "output.xml").suite.all_tests}
    outcomes = {"PASS": "PASS", "FAIL": "FAIL", "SKIP": "INCONCLUSIVE"}
    assert {test: outcomes[shown[test]] for test in last} == last
    assert last.keys() >= {"Passes", "Fails", "Is Inconclusive Beyond The Tester"}


def test_each_mistake_has_its_message_and_nothing_is_left_behind(tmp_path: Path) -> None:
    before = engines()
    tests = run("bad_input.robot", tmp_path)
    check_passed(tests)
    assert not list_testbeds()
    assert engines() <= before
