# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification that goes on where it was interrupted, run for real on suites whose device is simulated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from TesterLibrary.campaign.run_lock import alone
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read
from TesterLibrary.testbeds.load import find_testbed
from tests.unit.service.served import until

from ..commands.test_main import certify, suite


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def interrupt(folder: Path, *names: str) -> Path:
    """A run that is interrupted while its second test waits. Returns its folder."""
    command = [sys.executable, "-m", "TesterLibrary.commands.main", "certify"]
    path = str(suite(folder, *names))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(
        [*command, "--testbed", "l2-bridge", "--suite", path],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    evidence = folder / "results" / "latest" / EVIDENCE
    until((evidence / "tests.jsonl").exists, 60)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert "Go on: tester certify --resume " in out
    return (folder / "results" / "latest").resolve()


def test_finished_tests_are_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = interrupt(tmp_path, "Passes", "Waits", "Fails")
    before = read(output / EVIDENCE)
    (tmp_path / "go").touch()
    assert cli.main(["certify", "--resume", "results/latest"]) == 1
    assert "2 of 3 tests are left on embedded/l2-bridge" in capsys.readouterr().out
    after = read(output / EVIDENCE)
    assert {test.test: test.outcome for test in after.tests} == {
        "Passes": "PASS",
        "Waits": "PASS",
        "Fails": "FAIL",
    }
    assert after.tests[0] == before.tests[0]
    assert after.trials[0] == before.trials[0]
    assert [record.place.test for record in after.trials] == ["Passes", "Waits", "Fails"]
    assert not after.not_run
    (aside,) = (output / EVIDENCE).glob("interrupted-*")
    moved = [json.loads(line) for line in (aside / "tests.jsonl").read_text().splitlines()]
    assert {record["outcome"] for record in moved} == {"ERROR"}
    assert moved[0]["test"] == "Waits"
    whole = (output / "output.xml").read_text()
    assert whole.count('<test id="') == 3
    assert (output / "certificate.html").exists()
    assert cli.main(["certify", "--resume", str(output)]) == 1
    assert "0 of 3 tests are left" in capsys.readouterr().out
    assert read(output / EVIDENCE).tests == after.tests


def test_a_test_with_an_error_is_run_again(tmp_path: Path) -> None:
    assert certify(tmp_path, "Needs A File", "Passes") == 3
    (tmp_path / "go").touch()
    assert cli.main(["certify", "--resume", "results/latest"]) == 0
    tests = read(tmp_path / "results" / "latest" / EVIDENCE).tests
    assert [(test.test, test.outcome) for test in tests] == [("Passes", "PASS"), ("Needs A File", "PASS")]


def test_what_was_inconclusive_stands_unless_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert certify(tmp_path, "Is Inconclusive", "Passes") == 2
    output = tmp_path / "results" / "latest"
    capsys.readouterr()
    assert cli.main(["certify", "--resume", str(output)]) == 2
    assert "(1 was INCONCLUSIVE; --resume --inconclusive runs them again)" in capsys.readouterr().out
    assert cli.main(["certify", "--resume", str(output), "--inconclusive"]) == 2
    assert "1 of 2 tests are left on" in capsys.readouterr().out
    records = read(output / EVIDENCE)
    assert [(test.test, test.outcome) for test in records.tests] == [
        ("Passes", "PASS"),
        ("Is Inconclusive", "INCONCLUSIVE"),
    ]
    (attempt,) = records.earlier_attempts(records.tests[1])
    assert attempt.facts["outcome"] == "INCONCLUSIVE"
    assert (output / EVIDENCE / "repeated-1" / "tests.jsonl").exists()
    assert "the earlier ones were 1 INCONCLUSIVE" in (output / "certificate.html").read_text()
    assert cli.main(["certify", "--inconclusive", "--output", str(tmp_path / "other")]) == 64


_NAMES_A_JOB = """
*** Variables ***
${JOBS}    ${CURDIR}

*** Keywords ***
It Is Sent
    Create Job    file=${JOBS}/job.yaml
"""


def test_a_run_does_not_go_on_with_another_device_or_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its certificate would have the results of both under the name of the second one."""
    bed = tmp_path / "mine.yaml"
    shipped = find_testbed("embedded/l2-bridge").read_text()
    bed.write_text(shipped)
    path = suite(tmp_path, "Needs A File", "Passes")
    (tmp_path / "folder").mkdir()
    path = path.rename(tmp_path / "folder" / path.name)
    resource = path.with_name("bounds.resource")
    resource.write_text("*** Variables ***\n${BOUND}    1 %\n")
    beside, values, job = (tmp_path / name for name in ("beside.resource", "values.yaml", "job.yaml"))
    path.write_text(path.read_text() + "\n*** Settings ***\nResource    ${CURDIR}/../beside.resource\n")
    beside.write_text("*** Settings ***\nVariables    values.yaml\nLibrary    rates.py\n" + _NAMES_A_JOB)
    module = tmp_path / "package" / "module.py"
    module.parent.mkdir()
    module.write_text("NUMBER = 1\n")
    (tmp_path / "rates.py").write_text(
        "from package.module import NUMBER\n\n\ndef rate():\n    return NUMBER\n"
    )
    job.write_text("version: 1\n")
    values.write_text("LOAD: 20 %\n")
    arguments = ["certify", "--testbed", str(bed), "--suite", str(path.parent)]
    assert cli.main(arguments) == 3
    (tmp_path / "go").touch()
    files = {"suite": path, "testbed": bed, "resource": resource, "beside": beside}
    files |= {"values": values, "job": job, "module": module}
    names = {
        "testbed": "testbed mine.yaml",
        "beside": "import beside.resource",
        "values": "import values.yaml",
        "job": "file job.yaml",
        "module": "import package/module.py",
    }
    capsys.readouterr()
    before = (tmp_path / "results" / "latest" / EVIDENCE / "tests.jsonl").read_bytes()
    for changed, edited in files.items():
        text = edited.read_text()
        edited.write_text(text + "\n# another\n")
        assert cli.main(["certify", "--resume", "results/latest"]) == 3
        edited.write_text(text)
        name = names.get(changed, "suite folder")
        assert f"the {name} has changed since" in capsys.readouterr().err, changed
        assert (tmp_path / "results" / "latest" / EVIDENCE / "tests.jsonl").read_bytes() == before
    assert cli.main(["certify", "--resume", "results/latest"]) == 0, "nothing is changed any more"


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    """Its last line is not finished, and Robot's output neither."""
    assert certify(tmp_path, "Passes", "Fails") == 1
    output = (tmp_path / "results" / "latest").resolve()
    records = output / EVIDENCE / "tests.jsonl"
    first, second = records.read_text().splitlines()
    records.write_text(f"{first}\n{second[:40]}")
    (robot,) = (output / "robot").glob("*.xml")
    robot.write_text(robot.read_text()[:500])
    assert cli.main(["certify", "--resume", str(output)]) == 1
    assert [test.outcome for test in read(output / EVIDENCE).tests] == ["PASS", "FAIL"]
    assert [record.trial.number for record in read(output / EVIDENCE).trials] == [1, 1]


@pytest.mark.long
def test_a_run_whose_robot_still_ends_a_test_is_waited_for(tmp_path: Path) -> None:
    """Its last records would otherwise be added to those of the run that goes on."""
    path = suite(tmp_path, "Passes", "Waits", "Fails")
    path.write_text(path.read_text().replace("\nWaits\n", "\nWaits\n    [Teardown]    Sleep    3 s\n"))
    command = [
        sys.executable,
        "-m",
        "TesterLibrary.commands.main",
        "certify",
        "--testbed",
        "embedded/l2-bridge",
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    head = subprocess.Popen([*command, "--suite", str(path)], env=environment, stdout=subprocess.DEVNULL)
    tests = tmp_path / "results" / "latest" / EVIDENCE / "tests.jsonl"
    until(tests.exists, 60)
    head.kill()
    head.wait()
    (tmp_path / "go").touch()
    assert cli.main(["certify", "--resume", "results/latest"]) == 1
    recorded = [json.loads(line) for line in tests.read_text().splitlines()]
    assert [(record["test"], record["outcome"]) for record in recorded] == [
        ("Passes", "PASS"),
        ("Waits", "PASS"),
        ("Fails", "FAIL"),
    ]


def test_names_that_look_like_patterns_are_names(tmp_path: Path) -> None:
    path = suite(tmp_path, "Needs A File", "Passes")
    path.write_text(path.read_text().replace("Needs A File", "Size [64] *?"))
    arguments = ["certify", "--testbed", "embedded/l2-bridge", "--suite", str(path)]
    assert cli.main(arguments) == 3
    (tmp_path / "go").touch()
    assert cli.main(["certify", "--resume", "results/latest"]) == 0


def test_what_cannot_go_on_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["certify", "--resume", "nowhere"]) == 64
    assert "nowhere is no run of tester certify" in capsys.readouterr().err
    certify(tmp_path, "Passes", "Has An Error")
    capsys.readouterr()
    assert cli.main(["certify", "--resume", "results/latest", "--profile", "full"]) == 64
    assert "give no other option" in capsys.readouterr().err
    suite(tmp_path, "Passes", "Fails")
    assert cli.main(["certify", "--resume", "results/latest"]) == 3
    assert "the tests are no longer those of" in capsys.readouterr().err
    assert len(read(tmp_path / "results" / "latest" / EVIDENCE).tests) == 2


def test_a_run_that_goes_on_is_not_taken_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(tmp_path, "Passes", "Has An Error") == 3
    output = (tmp_path / "results" / "latest").resolve()
    capsys.readouterr()
    with alone(output):
        assert cli.main(["certify", "--resume", str(output)]) == 3
    assert "goes on in another process; wait until that has ended" in capsys.readouterr().err
    assert [test.outcome for test in read(output / EVIDENCE).tests] == ["PASS", "ERROR"]
