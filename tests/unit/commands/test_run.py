# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns, run for real on suites whose device is simulated."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import Records, read

LIBRARY = Path(__file__).parents[1] / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}
*** Variables ***
${{OUTCOME}}    PASS
*** Test Cases ***
First
    Judge    PASS
Second
    [Tags]    slow
    Judge    ${{OUTCOME}}
Third
    Judge    PASS
"""
PROFILE = "PROFILE: {version: 1, name: mine, expected: {slow: 36000}}\n"
ALL = ["First", "Second", "Third"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judging.robot").write_text(SUITE)
    (tmp_path / "mine.yaml").write_text(PROFILE)


def campaign(text: str = "") -> str:
    given = "version: 1\nsuites: [judging.robot]\ntestbeds: [embedded/l2-bridge]\noutput: night\n"
    Path("nightly.yaml").write_text(f"{given}profile: mine.yaml\n{text}")
    return "nightly.yaml"


def night() -> Records:
    return read(Path("night", EVIDENCE))


def names(records: Records) -> list[str]:
    return [f"{test.suite}/{test.test}" for test in records.tests]


def test_each_repetition_is_there_and_the_output_says_so_beforehand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["run", campaign("repetitions: 2\ntitle: Lab of the north\n")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "Lab of the north, profile mine: 1 suite × 1 testbed × 2 repetitions, 6 tests on embedded/l2-bridge, "
        "about 20 hours and 4 tests of unknown length."
    )
    assert "PASS (6 PASS, " in said
    assert "Second" not in said  # what passed does not fill the screen
    expected = [f"{label}/{test}" for label in ("l2-bridge.Judging", "l2-bridge (2).Judging") for test in ALL]
    assert names(night()) == expected
    assert {"junit.xml", "summary.md", "certificate.html"} <= {path.name for path in Path("night").iterdir()}
    page = Path("night", "certificate.html").read_text()
    assert "<h1>Lab of the north</h1>" in page
    assert '<th scope="col">l2-bridge (2).Judging</th>' in page


@pytest.mark.parametrize("check", [["--check"], []])
def test_an_interface_that_is_not_there_is_said_once_before_anything_runs(
    check: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lab.yaml").write_text(
        "version: 1\nname: lab\nports:\n  - {name: p1, interface: 'iface:nowhere9', speed: 1 Gbps}\n"
        "dut: {name: Device, kind: physical}\n"
    )
    file = Path(campaign())
    file.write_text(file.read_text().replace("embedded/l2-bridge", "lab.yaml"))
    assert cli.main(["run", str(file), *check]) == 3
    said = capsys.readouterr().err
    assert "lab.yaml:4: ports[0].interface: this machine has no interface 'nowhere9'; it has " in said
    assert not Path("night").exists()


@pytest.mark.parametrize("check", [["--check"], []])
def test_a_test_that_is_not_there_is_said_before_anything_runs(
    check: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", campaign("tests: [Frist]\n"), *check]) == 3
    assert "there is no test with test Frist in " in capsys.readouterr().err
    assert not Path("night").exists()


@pytest.mark.parametrize(("outcome", "status"), [("FAIL", 1), ("MISTAKE", 3)])
def test_the_status_is_one_for_gates(outcome: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", campaign(f"variables: {{OUTCOME: {outcome}}}\n")]) == status
    shown = "ERROR" if status == 3 else outcome
    assert f"{shown:<12} l2-bridge.Judging · Second" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("include: [slow]", ["Second"]),
        ("exclude: [slow]", ["First", "Third"]),
        ("tests: [First, '*ird']", ["First", "Third"]),
        ("tests: [S*, First]\nexclude: [slow]", ["First"]),
    ],
)
def test_tests_are_chosen(text: str, expected: list[str]) -> None:
    given = load_campaign(Path(campaign(text)))
    chosen = {key: getattr(given, key) for key in ("variables", "include", "exclude", "tests")}
    run = certification(
        profile="quick",
        testbeds=given.testbeds,
        criteria=None,
        suites=["judging.robot"],
        output=Path("night"),
        **chosen,
    )
    assert [item.test for item in run.items()] == expected


def test_a_test_that_does_not_fit_is_not_begun_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", campaign("time_budget: 1 h\nrepetitions: 2\n")]) == 2
    records, said = night(), capsys.readouterr().out
    assert names(records) == ["l2-bridge.Judging/First"]
    assert not records.not_run
    assert [(event.place.suite, event.place.test) for event in records.left_out] == [
        ("l2-bridge.Judging", "Second"),
        ("l2-bridge.Judging", "Third"),
        *(("l2-bridge (2).Judging", test) for test in ALL),
    ]
    reason = "Second: not run, because it takes about 36000 s, and 3"
    assert f"INCONCLUSIVE l2-bridge.Judging · {reason}" in said
    assert "INCONCLUSIVE (1 PASS, 5 INCONCLUSIVE, " in said
    assert reason in Path("night", "certificate.html").read_text()
    assert "not run, because it takes about" in Path("night", "summary.md").read_text()
    junit = ElementTree.parse(Path("night", "junit.xml")).getroot()
    assert (junit.get("tests"), junit.get("skipped"), junit.get("errors")) == ("6", "5", "0")
    assert '<test id="' in Path("night", "output.xml").read_text()


def test_no_time_is_enough_for_nothing() -> None:
    assert cli.main(["run", campaign("time_budget: 1 us\n")]) == 2
    assert [event.facts["reason"] for event in night().left_out] == ["the time budget is spent"] * 3
    assert night().tests == ()


def test_what_was_left_out_is_run_when_the_campaign_goes_on() -> None:
    assert cli.main(["run", campaign("time_budget: 1 h\n")]) == 2
    assert cli.main(["run", campaign("time_budget: 100 h\n"), "--resume"]) == 0
    assert names(night()) == [f"l2-bridge.Judging/{test}" for test in ALL]
    assert night().left_out == ()


def test_a_killed_campaign_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", campaign("repetitions: 2\n"), "--resume"]) == 0  # there is none yet
    before, tests = night(), Path("night", EVIDENCE, "tests.jsonl")
    lines = tests.read_text().splitlines()
    tests.write_text("\n".join([*lines[:4], lines[4][:30]]))
    capsys.readouterr()
    assert cli.main(["run", campaign("repetitions: 2\n"), "--resume"]) == 0
    assert ", of which 2 of 6 tests are left, on embedded/l2-bridge" in capsys.readouterr().out
    assert night().tests[:4] == before.tests[:4]
    assert sorted(names(night())) == sorted(names(before))
    assert cli.main(["run", campaign("repetitions: 3\n"), "--resume"]) == 3
    assert "the tests are no longer those of" in capsys.readouterr().err


def test_a_database_of_trends_gets_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    assert cli.main(["run", campaign("database: trend.duckdb\n")]) == 0
    assert "trend.duckdb: the run is added; tester trend --database trend.duckdb" in capsys.readouterr().out
    assert cli.main(["trend", "--database", "trend.duckdb", "--json"]) == 2
    Path("trend.duckdb").write_text("mine")
    assert cli.main(["run", campaign("database: trend.duckdb\n"), "--output", "again"]) == 3
    assert (
        "the run is whole, and is not in the database: the database trend.duckdb cannot be used"
        in capsys.readouterr().err
    )
    assert Path("again", "certificate.html").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("testbeds: [l2-bride]\n", "nightly.yaml:2: testbeds[0]: "),
        ("profile: quickest\n", "nightly.yaml:2: profile: criteria/profiles: 'quickest' does not come with"),
        ("criteria: nowhere.yaml\n", "nightly.yaml:2: criteria: criteria: there is no file nowhere.yaml"),
        ("repetitions: many\n", "nightly.yaml:2: repetitions: 'many' is not allowed; give how often"),
        ("database: mysql://lab@db/runs\n", "nightly.yaml:2: database: a database of runs is a"),
        ("suites: [judging.robot]\ntests: [Fourth]\n", "there is no test with test Fourth in "),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    Path("nightly.yaml").write_text(f"version: 1\n{text}")
    before = sorted(tmp_path.iterdir())
    assert cli.main(["run", "nightly.yaml"]) == 3
    assert message in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_with_something_in_it_or_that_cannot_be_made_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("night").mkdir()
    Path("night", "notes.txt").touch()
    assert cli.main(["run", campaign()]) == 3
    said = capsys.readouterr().err
    assert "night is not empty, and output: of " in said
    assert "signs of strftime, such as output: results/night-%Y%m%d-%H%M, or give another --output" in said
    assert cli.main(["run", campaign(), "--output", "mine.yaml/night"]) == 3
    assert "could not be written: Not a directory" in capsys.readouterr().err
    assert [path.name for path in Path("night").iterdir()] == ["notes.txt"]


def test_certify_chooses_tests_too(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "certify",
        "--suite",
        "judging.robot",
        "--testbed",
        "embedded/l2-bridge",
        "--output",
        "night",
    ]
    more = ["--include", "slow", "--test", "S*", "--variable", "OUTCOME:FAIL"]
    assert cli.main([*arguments, *more]) == 1
    assert names(night()) == ["l2-bridge.Judging/Second"]
    with pytest.raises(SystemExit):
        cli.main([*arguments, "--variable", "OUTCOME"])
    assert "'OUTCOME' is not NAME:VALUE" in capsys.readouterr().err
