# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of tests that only Robot knows: of variables and escapes, and of tests that a listener makes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from TesterLibrary.commands import main as cli
from TesterLibrary.files.paths import report_file
from TesterLibrary.reporting.record import agenda
from TesterLibrary.reporting.record.agenda import Agenda, Item
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read

from .fleets import LIBRARY, TESTBED

DRIVER = """
class driver:
    ROBOT_LIBRARY_SCOPE = "SUITE"
    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self):
        self.ROBOT_LIBRARY_LISTENER = self

    def start_suite(self, data, result):
        for template in [test for test in data.tests if test.name == "Template"]:
            for number, size in enumerate((64, 512)):
                made = template.deepcopy()
                made.name = f"Loss At {size} ${{UNIT}}"
                data.tests.insert(data.tests.index(template), made)
            data.tests.remove(template)
"""
SUITE = rf"""
*** Settings ***
Library    {LIBRARY}
Library    driver.py
*** Variables ***
${{RATE}}    10 %
${{UNIT}}    Bytes
${{TAG}}     robot:exclude
*** Test Cases ***
At ${{RATE}}
    Judge    PASS
Template
    Judge    PASS
    ${{again}} =    Evaluate    __import__('os').path.exists('again')
    IF    not $again and '512' in $TEST_NAME    Fail    not yet
A \\ And\tB
    Judge    PASS
Excluded
    [Tags]    robot:exclude
    Judge    FAIL
Excluded By A Variable
    [Tags]    ${{TAG}}
    Judge    FAIL
"""
NAMES = ["At 10 %", "Loss At 64 Bytes", "Loss At 512 Bytes", "A \\ And\tB"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.robot").write_text(SUITE)
    Path("driver.py").write_text(DRIVER)


def outcomes(run: str) -> list[tuple[str, str]]:
    """Each test with its outcome, and nothing that is missing."""
    records = read(Path(run, EVIDENCE))
    assert (records.not_run, records.contradictions) == ({}, ())
    assert records.agenda
    assert [item.test for item in records.agenda.items] == NAMES
    schema = json.loads(report_file("schemas/agenda.schema.json").read_text())
    jsonschema.validate(json.loads(Path(run, EVIDENCE, agenda.FILE).read_text()), schema)
    return [(test.test, test.outcome) for test in records.tests]


def test_the_agenda_has_what_robot_ran_and_nothing_is_run_twice(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["certify", "--suite", "mine.robot", "--testbed", "simulated/breakpoint", "--output", "run"]
    assert cli.main(given) == 3
    assert outcomes("run") == [(name, "ERROR" if "512" in name else "PASS") for name in NAMES]
    Path("again").touch()
    capsys.readouterr()
    assert cli.main(["certify", "--resume", "run"]) == 0
    assert "2 of 4 tests are left" in capsys.readouterr().out  # all of the template
    assert sorted(outcomes("run")) == sorted((name, "PASS") for name in NAMES)
    assert cli.main(["certify", "--resume", "run"]) == 0
    assert len(outcomes("run")) == len(NAMES)


def test_a_campaign_on_testers_has_what_robot_ran() -> None:
    Path("again").touch()
    Path("bed.yaml").write_text(TESTBED)
    Path("fleet.yaml").write_text(
        "version: 1\nsuites: [mine.robot]\noutput: run\ntesters:\n  t1: {testbeds: [bed.yaml]}\n"
    )
    assert cli.main(["run", "fleet.yaml"]) == 0
    assert outcomes("run") == [(name, "PASS") for name in NAMES]
    assert cli.main(["run", "fleet.yaml", "--resume"]) == 0
    assert len(outcomes("run")) == len(NAMES)


A, B, C = (Item("bed", "bed.S", name) for name in "ABC")


def test_what_a_listener_only_takes_out_stays_on_the_agenda() -> None:
    plan = Agenda("Night", (A, B, C))
    assert plan.following("bed.S", ["A", "C"]) is plan
    assert plan.following("bed.S", ["C", "B", "A"]) is plan
    assert plan.following("bed.T", ["D"]) is plan


def test_tests_that_are_made_stand_in_the_place_of_their_template() -> None:
    plan = Agenda("Night", (A, B, C))
    changed = plan.following("bed.S", ["A", "B1", "B2", "C"])
    assert [(item.test, item.chosen) for item in changed.items] == [
        ("A", "A"),
        ("B1", "B"),
        ("B2", "B"),
        ("C", "C"),
    ]
    assert changed.plan == plan.items
    assert changed.made_of(B) == changed.items[1:3]
    assert changed.following("bed.S", ["B1", "B2"]) is changed
    more = plan.following("bed.S", ["A", "B", "C", "D"])  # nothing was taken out
    assert [(item.test, item.chosen) for item in more.items][-1] == ("D", "A")


def test_an_excluded_test_is_made_of_nothing_and_one_of_elsewhere_of_itself() -> None:
    changed = Agenda("Night", (A, B)).without("bed.S", {"B"})
    assert changed.items == (A,)
    assert changed.made_of(B) == ()
    assert changed.made_of(C) == (C,)
