# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester run` measures again each value that stands out, and alarms, refutes or leaves it for later."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from TesterLibrary.campaign import trend_gate as _trend_gate
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}    testbed=l2-bridge
*** Variables ***
${{DELAYS}}    1 ms
*** Test Cases ***
Delay
    ${{again}} =    Evaluate    __import__("pathlib").Path("night-again").exists()
    ${{delay}} =    Evaluate    $DELAYS.split(",")[-1 if $again else 0]
    Delay Is    ${{delay}}
Other
    Delay Is    3 ms
"""
CAMPAIGN = """
version: 1
suites: [delay.robot]
testbeds: [embedded/l2-bridge]
output: night
database: trend.duckdb
repetitions: 2
"""


@pytest.fixture(autouse=True)
def _six_nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database in which the delay was 1 ms for six nights."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "delay.robot").write_text(SUITE)
    place = {"kind": "verdict", "schema": 2, "testbed": "l2-bridge", "suite": "l2-bridge.Delay"}
    known = {"outcome": "PASS", "subject": "delay of north", "bound": "<= 5 ms", "reason": ""}
    for night in range(6):
        at = (datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=night)).isoformat()
        evidence = tmp_path / "before" / str(night) / EVIDENCE
        evidence.mkdir(parents=True)
        run = {"kind": "run", "schema": 2, "id": f"{night}", "started_at": at, "testers": []}
        (evidence / "run.json").write_text(json.dumps({**run, "profile": {"name": "quick"}}))
        lines = [
            {**place, **known, "at": at, "test": test, "number": n, "measured": f"{ms} ms"}
            | {"least": f"{ms}000000", "most": f"{ms}000000"}
            for n, (test, ms) in enumerate((("Delay", 1), ("Other", 3)), 1)
        ]
        (evidence / "verdicts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        cli.main(["trend", str(evidence.parent), "--database", "trend.duckdb"])


def night(more: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    Path("night.yaml").write_text(CAMPAIGN + more)
    capsys.readouterr()
    return cli.main(["run", "night.yaml"]), capsys.readouterr().out


def test_a_value_that_is_as_bad_again_is_alarmed_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = night("variables: {DELAYS: 2 ms}\n", capsys)
    assert status == 1, said
    assert "2 of the tests have values that stand out; they are measured again" in said  # in both repetitions
    alarmed = [line for line in said.splitlines() if line.startswith("alarmed")]
    assert len(alarmed) == 1
    assert "Delay · Delay: delay of north is 2 ms (1 ms before, +100.00 % since " in alarmed[0]
    tests = read(Path("night-again", EVIDENCE)).tests
    assert [(test.suite, test.test) for test in tests] == [
        ("l2-bridge.Delay", "Delay"),
        ("l2-bridge (2).Delay", "Delay"),
    ]


def test_a_value_that_is_back_was_noise(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = night('variables: {DELAYS: "2 ms,1 ms"}\n', capsys)
    assert status == 0, said
    assert "measured again" in said
    assert "alarmed" not in said


def test_nothing_is_measured_again_without_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_trend_gate, "time", SimpleNamespace(monotonic=lambda: float("inf")))
    status, said = night("variables: {DELAYS: 2 ms}\ntime_budget: 1 h\n", capsys)
    assert status == 2, said
    assert "No time is left to measure again what stands out" in said
    assert [line for line in said.splitlines() if line.startswith("candidate")]
    assert not Path("night-again").exists()


def test_a_usual_night_is_measured_once(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = night("", capsys)
    assert (status, "measured again" in said) == (0, False), said
    assert not Path("night-again").exists()
