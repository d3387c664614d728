# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester compare` on the small run that is kept with the project."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.reporting.record.record_chain import rechained
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.verdict import Outcome, Verdict
from tests.unit.reporting.golden import GOLDEN, SECOND, _Testbed, _Tester
from tests.unit.reporting.simulated import SimulatedBench


@pytest.fixture
def worse(tmp_path: Path) -> Path:
    """The same run, but for a throughput that is 4 % lower."""
    shutil.copytree(GOLDEN / "evidence", tmp_path / "evidence")
    path = tmp_path / "evidence" / "verdicts.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (found,) = (line for line in lines if line["measured"] == "100 %")
    found |= {"measured": "96 %", "least": "24/25", "most": "24/25"}
    path.write_text("".join(f"{line}\n" for line in rechained([json.dumps(line) for line in lines])))
    return tmp_path


def test_what_is_worse_comes_first(worse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(GOLDEN), str(worse)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("before  2026-01-02")
    subject = "throughput of north, 1518 bytes"
    assert lines[3] == f"worse         Throughput · 1518 Bytes: {subject} is 96 %, 100 % before (-4.00 %)"
    assert lines[4].startswith("not compared  ")
    assert lines[-1] == "1 worse, 5 not compared, 5 same"


def test_a_tolerance_makes_a_change_none(worse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(GOLDEN), str(worse), "--tolerance", "5 %", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["tolerance"] == 0.05
    assert {value["change"] for value in told["values"]} == {"same", "not compared"}
    assert told["after"]["devices"]["simulated"]["version"] == "0"


def test_another_testbed_of_the_same_name_is_said(worse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = worse / "evidence" / "run.json"
    run = json.loads(path.read_text())
    run["testers"][0]["testbed"]["ports"][0]["speed"]["bps"] = 10**10
    path.write_text(json.dumps(run))
    main(["compare", str(GOLDEN), str(worse)])
    said = "differs the testbed simulated is not the same: port p1 has 10 Gbps, 1 Gbps before"
    assert said in capsys.readouterr().out.splitlines()
    shutil.copytree(worse / "evidence", worse / "again" / "evidence")
    for folder, digit in ((worse / "again", "0"), (worse, "1")):
        file = {"testbed": "uncounted", "kind": "testbed", "name": "mine.yaml", "sha256": digit * 64}
        (folder / "evidence" / "run.json").write_text(json.dumps({**run, "files": [file]}))
    main(["compare", str(worse / "again"), str(worse), "--json"])
    assert json.loads(capsys.readouterr().out)["differing_testbeds"] == [
        "the testbed uncounted is not the same: its file has another content"
    ]


def test_another_profile_and_longer_trials_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quick run and a full one are `3 same` to nobody."""
    runs = []
    for profile, seconds in (("quick", 1), ("full", 60)):
        runs.append(tmp_path / profile)
        recorder = Recorder(runs[-1] / "evidence", profile)
        recorder.run(testbed=_Testbed(), capabilities=_Tester(), seed=1, profile=profile)
        recorder.begin_test("Suite", "Loss")
        recorder.trial(
            replace(SimulatedBench().measure(Fraction(1, 10), SECOND), duration_ns=seconds * 10**9)
        )
        recorder.verdict(Verdict(Outcome.PASS, "loss", "0 %", "<= 0 %", least=Fraction(0), most=Fraction(0)))
        recorder.end_test(outcome="PASS", status="PASS", message="", started_at="", elapsed_s=1)
    assert main(["compare", *map(str, runs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:4] == [
        "differs the profile of simulated is full, quick before",
        "differs the longest trial of 1 test has another length: Suite · Loss 60 s, 1 s before",
    ]
    assert lines[-1] == "1 same"


def test_the_folder_of_the_records_may_be_named(worse: Path) -> None:
    assert main(["compare", str(worse / "evidence"), str(worse / "evidence")]) == 2


def test_a_folder_without_records_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(GOLDEN), str(tmp_path)]) == 3
    assert "holds no run.json; it is not the evidence of a run" in capsys.readouterr().err


def test_a_run_whose_records_were_edited_is_refused(worse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = worse / "evidence" / "verdicts.jsonl"
    path.write_text(path.read_text().replace("96 %", "99 %"))
    for runs in ([GOLDEN, worse], [worse, GOLDEN]):
        assert main(["compare", *map(str, runs)]) == 3
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.endswith("values of such a run are not used\n")


@pytest.mark.parametrize("lines", [0, 1])
def test_a_run_with_tests_that_never_ended_is_refused(
    worse: Path, capsys: pytest.CaptureFixture[str], lines: int
) -> None:
    path = worse / "evidence" / "tests.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))
    assert main(["compare", str(GOLDEN), str(worse)]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert "with verdicts, such as" in told.err
    assert "never ended; 'tester report' says what the run lacks" in told.err
