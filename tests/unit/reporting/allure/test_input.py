# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a run for Allure: outcomes apart, parameters, environment, executor, values and history."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.methodology.frame_loss import FrameLossResult, FrameLossSweep
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.allure import input as allure_input
from TesterLibrary.reporting.allure.history import FILE, MOST, AllureHistory
from TesterLibrary.reporting.record.machine import executor
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import (
    EventRecord,
    Records,
    ResultRecord,
    TestRecord,
    TrialRecord,
    VerdictRecord,
)
from TesterLibrary.verdict import Outcome, assess

from ..simulated import SimulatedBench

PLACE = RecordPlace("lab", "Loss", "Lossless")
STARTED = "2026-01-02T03:04:05+00:00"
FAULT = "port p1: no such interface"
OUTCOMES = {
    "Lossless": ("PASS", "passed", "PASS", ""),
    "Lossy": ("FAIL", "failed", "FAIL", "FAIL: frame loss is 80 %"),
    "Late": ("INCONCLUSIVE", "skipped", "INCONCLUSIVE", "INCONCLUSIVE: the tester was late"),
    "Mistake": ("ERROR", "broken", "ERROR", "No keyword with name 'Mesure'"),
    "No Testbed": (
        "ERROR",
        "broken",
        "TESTBED FAULT",
        "Parent suite setup failed:\nport p1: no such interface",
    ),
    "Unjudged": ("NOT JUDGED", "unknown", "NOT JUDGED", ""),
}


@pytest.fixture
def records() -> Records:
    trial = SimulatedBench().measure(Fraction(1, 10), Duration(10**9))
    loss = assess(
        0, AssertionOperator["<="], Fraction(1, 100), subject="frame loss of north, 64 bytes", measured="0 %"
    )
    doubtful = replace(loss, outcome=Outcome.INCONCLUSIVE, reason="late")
    late = VerdictRecord(replace(PLACE, test="Late"), doubtful, 2, at="2026-01-02T03:04:06+00:00")
    device = {"name": "router", "version": "1.0", "kind": "physical"}
    tester = {"testbed": {"name": "lab", "dut": device}, "tester": {"target": "engine", "version": "1"}}
    return Records(
        run={
            "id": "7",
            "started_at": "2026-01-02T03:04:05+00:00",
            "testers": [tester],
            "versions": {"python": "3"},
        },
        trials=(TrialRecord(PLACE, 1, trial),),
        verdicts=(VerdictRecord(PLACE, loss, 1, at="2026-01-02T03:04:05+00:00"), late),
        tests=tuple(
            TestRecord("lab", "Loss", name, outcome, "PASS", message)
            for name, (outcome, _, _, message) in OUTCOMES.items()
        ),
        events=(EventRecord(PLACE, "testbed_fault", {"reason": FAULT}),),
    )


@pytest.fixture
def told(tmp_path: Path, records: Records) -> Path:
    results = tmp_path / "results"
    results.mkdir()
    for name in OUTCOMES:
        tags = [{"name": "tag", "value": "severity:critical"}] if name == "Lossy" else []
        result = {"name": name, "fullName": f"Loss.{name}", "status": "failed", "labels": tags}
        (results / f"{name}-result.json").write_text(json.dumps(result))
    (results / "1-attachment.svg").write_text("<svg/>")
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    allure_input.write(results, tmp_path / "told", records)
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before
    return tmp_path / "told"


def labels(result: dict[str, Any]) -> dict[str, str]:
    return {label["name"]: label["value"] for label in result["labels"]}


def test_what_did_not_pass_is_told_apart(told: Path, records: Records) -> None:
    for name, (_, status, label, message) in OUTCOMES.items():
        result = json.loads((told / f"{name}-result.json").read_text())
        assert (result["status"], labels(result)["outcome"]) == (status, label), name
        assert result["statusDetails"].get("message", "") == ("" if label == "PASS" else message)
    rules = allure_input.configuration(records)["categories"]["rules"]
    names = {rule["matchers"]["labels"]["outcome"].strip("^$"): rule["name"] for rule in rules}
    assert names == {
        "FAIL": "DUT out of bounds",
        "INCONCLUSIVE": "Tester limited (INCONCLUSIVE)",
        "TESTBED FAULT": "Testbed fault",
        "ERROR": "Suite mistake",
        "NOT JUDGED": "Nothing was judged",
    }


def test_a_test_has_testbed_size_rate_and_severity(told: Path) -> None:
    lossless, lossy = (
        json.loads((told / f"{name}-result.json").read_text()) for name in ("Lossless", "Lossy")
    )
    values = {parameter["name"]: parameter["value"] for parameter in lossless["parameters"]}
    assert values == {"testbed": "lab", "suite": "Loss", "size": "64 bytes", "rate": "10 % of line rate"}
    assert all(parameter["excluded"] for parameter in lossless["parameters"]), "the history knows it again"
    assert (labels(lossless)["severity"], labels(lossy)["severity"]) == ("normal", "critical")


def test_what_deviates_from_a_standard_is_a_parameter(tmp_path: Path, records: Records) -> None:
    (trial,) = records.trials
    at = "2026-01-02T03:00:00+00:00"
    sweep = FrameLossSweep(trial_duration=Duration(10**9))
    result = ResultRecord(PLACE, "frame_loss", FrameLossResult("north", (trial.trial,), sweep))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "1-result.json").write_text(json.dumps({"fullName": "Loss.Lossless"}))
    taken = replace(trial, taken_over="interrupted-1", measured_at=at)
    given = replace(records, trials=(taken,), results=(result, result))
    allure_input.write(tmp_path / "results", tmp_path / "told", given)
    told = json.loads((tmp_path / "told" / "1-result.json").read_text())
    values = {parameter["name"]: parameter["value"] for parameter in told["parameters"]}
    assert values["deviations"] == "trials of 1 s: RFC 2544 §24 asks for at least 60 s"
    assert values["taken over"] == (f"1 of its trials taken over from an interrupted attempt, measured {at}")


def test_environment_and_executor_are_those_of_the_run(told: Path) -> None:
    environment = dict(line.split("=") for line in (told / "environment.properties").read_text().splitlines())
    assert environment == {
        "testbed": "lab",
        "device": "router",
        "version": "1.0",
        "tester": "engine 1",
        "python": "3",
    }
    assert json.loads((told / "executor.json").read_text()) == {"type": "local", "name": "command line"}


def test_values_of_a_fit_tester_have_titles_and_units(told: Path, records: Records) -> None:
    (sample,) = json.loads((told / "performance.json").read_text())
    assert (sample["value"], sample["start"]) == (0.0, 1767323045000)
    described = allure_input.configuration(records)["performance"]["metrics"][sample["key"]]
    assert described == {
        "title": "Lossless: frame loss of north, 64 bytes",
        "unit": "%",
        "better": "lower",
        "group": "lab: Loss",
    }


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, {}),
        (
            {
                "GITLAB_CI": "true",
                "CI_JOB_NAME": "certify",
                "CI_PIPELINE_ID": "7",
                "CI_JOB_URL": "https://x/7",
            },
            {"type": "gitlab", "name": "certify", "build": "7", "url": "https://x/7"},
        ),
        (
            {
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKFLOW": "night",
                "GITHUB_RUN_NUMBER": "3",
                "GITHUB_SERVER_URL": "https://x",
                "GITHUB_REPOSITORY": "a/b",
                "GITHUB_RUN_ID": "9",
            },
            {"type": "github", "name": "night", "build": "3", "url": "https://x/a/b/actions/runs/9"},
        ),
        ({"JENKINS_URL": "https://x", "JOB_NAME": "night"}, {"type": "jenkins", "name": "night"}),
    ],
)
def test_a_service_is_known_by_its_variables(environment: dict[str, str], expected: dict[str, str]) -> None:
    assert executor(environment) == expected


def night(number: int) -> Records:
    return Records(
        {"id": f"night-{number}", "started_at": f"2026-01-{number:02}T02:00:00+00:00", "testers": []}
    )


def reported(folder: Path, number: int) -> list[str]:
    """Makes the history of a night as Allure does. Returns the runs that it was told."""
    history, handed = AllureHistory(folder / f"night-{number}", night(number)), folder / f"handed-{number}"
    history.hand_over(handed)
    earlier = [json.loads(line)["uuid"] for line in handed.read_text().splitlines()]
    with handed.open("a") as file:
        file.write(json.dumps({"uuid": "random", "timestamp": 1, "metrics": {"x": number}}) + "\n")
    history.take_back(handed)
    return earlier


def kept(folder: Path) -> list[str]:
    return [json.loads(line)["uuid"] for line in (folder / FILE).read_text().splitlines()]


def test_a_run_has_the_runs_before_it_and_is_there_once(tmp_path: Path) -> None:
    assert [reported(tmp_path, number) for number in (1, 3, 2, 3)] == [
        [],
        ["night-1"],
        ["night-1"],
        ["night-1", "night-2"],
    ]
    assert kept(tmp_path) == ["night-1", "night-2", "night-3"]


def test_a_line_that_is_none_is_left_out(tmp_path: Path) -> None:
    reported(tmp_path, 1)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"uuid": "x"}\n[]\n\xff\n{"uuid": "cut')
    assert reported(tmp_path, 2) == ["night-1"]


def test_runs_that_end_together_are_all_kept_and_the_oldest_are_left_out(tmp_path: Path) -> None:
    points = [{"uuid": f"old-{n}", "timestamp": n} for n in range(MOST - 3)]
    (tmp_path / FILE).write_text("".join(json.dumps(point) + "\n" for point in points))
    with ThreadPoolExecutor() as several:
        list(several.map(lambda number: reported(tmp_path, number), range(1, 7)))
    assert kept(tmp_path) == [f"old-{n}" for n in range(3, MOST - 3)] + [f"night-{n}" for n in range(1, 7)]
