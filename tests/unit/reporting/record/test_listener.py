# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Outcomes of tests in real runs of Robot: which verdicts count, and what Robot is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from robot import run as run_robot

from TesterLibrary.reporting.record import listener
from TesterLibrary.reporting.record.records import Records, read

_WRITE = os.write
LIBRARY = Path(__file__).parents[1] / "SimulatedLibrary.py"
KEYWORDS = """
*** Keywords ***
Judges
    Judge    PASS    FAIL

Fails In A Keyword
    Judge    FAIL

Judge In Its Teardown
    No Operation
    [Teardown]    Judge    FAIL
"""


def run_test(
    folder: Path, test: str, settings: str = "", library: str = "", **options: str
) -> tuple[int, Records]:
    """Runs one test; returns Robot's exit status and what was recorded."""
    rows = "".join(f"    {row}\n" for row in test.strip("\n").split("\n"))
    folder.mkdir(exist_ok=True)
    suite = folder / "caught.robot"
    suite.write_text(
        f"*** Settings ***\nLibrary    {LIBRARY}{library}\n{settings}\n"
        f"*** Test Cases ***\nTest\n{rows}{KEYWORDS}"
    )
    nothing = {"console": "none", "log": None, "report": None}
    status = run_robot(  # type: ignore[no-untyped-call]
        str(suite), outputdir=str(folder / "out"), **nothing, **options
    )
    return status, read(folder / "out" / "evidence")


CAUGHT = {
    "retried until it passed": (
        "Wait Until Keyword Succeeds    5x    0s    Judge    FAIL    FAIL    PASS",
        "PASS",
        "Wait Until Keyword Succeeds",
    ),
    "a pass in an attempt that failed": (
        "Wait Until Keyword Succeeds    5x    0s    Run Keywords\n"
        "...    Judge    PASS    FAIL    PASS    PASS    AND    Judge    PASS    FAIL    PASS    PASS",
        "PASS",
        "Wait Until Keyword Succeeds",
    ),
    "status asked for": (
        "Run Keyword And Return Status    Judge    FAIL",
        "NOT JUDGED",
        "Run Keyword And Return Status",
    ),
    "status asked for of a keyword of the suite": (
        "Run Keyword And Return Status    Judges\nRun Keyword And Return Status    Judges",
        "PASS",  # the first one passed
        "Run Keyword And Return Status",
    ),
    "error ignored": (
        "Run Keyword And Ignore Error    Fails In A Keyword",
        "NOT JUDGED",
        "Run Keyword And Ignore Error",
    ),
    "error expected": (
        "Run Keyword And Expect Error    FAIL*    Judge    FAIL",
        "NOT JUDGED",
        "Run Keyword And Expect Error",
    ),
    "warned of": (
        "Run Keyword And Warn On Failure    Judge    FAIL",
        "NOT JUDGED",
        "Run Keyword And Warn On Failure",
    ),
    "tried": (
        "TRY\n    Judge    FAIL\nEXCEPT    FAIL*    type=GLOB\n    No Operation\nEND",
        "NOT JUDGED",
        "TRY/EXCEPT",
    ),
    "tried in a loop": (
        "WHILE    ${True}    limit=3\n    TRY\n        Judge    FAIL    PASS\n    EXCEPT\n        CONTINUE\n"
        "    END\n    BREAK\nEND",
        "PASS",
        "TRY/EXCEPT",
    ),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_what_is_caught_does_not_count(tmp_path: Path, name: str) -> None:
    body, outcome, by = CAUGHT[name]
    status, records = run_test(tmp_path, body)
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (0, "PASS", outcome)
    assert {found.caught_by for found in records.caught} == {by}
    assert all(verdict.outcome.value == "PASS" for verdict in records.verdicts_of(test))


STANDING = {
    "continued after": "Run Keyword And Continue On Failure    Judge    FAIL\nJudge    PASS",
    "continued after in a block": "Run Keyword And Continue On Failure    Run Keywords\n"
    "...    Judge    FAIL    AND    Judge    FAIL",
    "in a keyword": "Fails In A Keyword",
    "in a teardown of a keyword": "Judge In Its Teardown",
    "in a loop": "FOR    ${i}    IN    1    2\n    Judge    PASS    FAIL\nEND",
    "tried, and not excepted": "TRY\n    Judge    FAIL\nEXCEPT    something else\n    No Operation\nEND",
    "tried, with a finally": "TRY\n    Judge    FAIL\nFINALLY\n    Judge    PASS\nEND",
    "not what was expected": "Run Keyword And Expect Error    something else    Judge    FAIL",
    "retried in vain": "Wait Until Keyword Succeeds    3x    0s    Judge    FAIL",
    "after a question": "Run Keyword And Return Status    Judge    FAIL\nJudge    FAIL",
}


@pytest.mark.parametrize("name", STANDING)
def test_what_is_not_caught_counts(tmp_path: Path, name: str) -> None:
    status, records = run_test(tmp_path, STANDING[name])
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (1, "FAIL", "FAIL")
    assert "FAIL" in [verdict.outcome.value for verdict in records.verdicts_of(test)]


def test_of_attempts_in_vain_the_last_counts(tmp_path: Path) -> None:
    _, records = run_test(tmp_path, STANDING["retried in vain"])
    (test,) = records.tests
    assert [verdict.subject for verdict in records.verdicts_of(test)] == ["value 3"]


def test_a_retried_failure_does_not_outweigh_a_tester_that_fell_short(tmp_path: Path) -> None:
    status, records = run_test(
        tmp_path, "Wait Until Keyword Succeeds    2x    0s    Judge    FAIL    INCONCLUSIVE"
    )
    assert (status, records.tests[0].outcome) == (0, "INCONCLUSIVE")


def test_an_attempt_that_could_not_tell_is_repeated(tmp_path: Path) -> None:
    status, records = run_test(
        tmp_path, "Wait Until Keyword Succeeds    3x    0s    Judge    INCONCLUSIVE    FAIL    PASS"
    )
    assert (status, records.tests[0].status, records.tests[0].outcome) == (0, "PASS", "PASS")
    assert [one.verdict.outcome.value for one in records.caught] == ["INCONCLUSIVE", "FAIL"]


@pytest.mark.parametrize(
    "body",
    [
        "Wait Until Keyword Succeeds    3x    0s    Judge    INCONCLUSIVE",
        "Wait Until Keyword Succeeds    1s    0.4s    Judge    INCONCLUSIVE",
        "Wait Until Keyword Succeeds    2x    0s    Wait Until Keyword Succeeds    2x    0s    Judge"
        "    INCONCLUSIVE",
    ],
)
def test_attempts_that_all_could_not_tell_are_a_test_that_could_not(tmp_path: Path, body: str) -> None:
    status, records = run_test(tmp_path, body)
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (0, "SKIP", "INCONCLUSIVE")
    assert [verdict.reason for verdict in records.verdicts_of(test)] == ["the tester was late"]


@pytest.mark.parametrize(
    "body",
    [
        "Run Keyword And Continue On Failure    {}\nNo Such Keyword",
        "Run Keyword And Ignore Error    {}\nNo Such Keyword",
        "{}\n[Teardown]    No Such Keyword",
    ],
)
def test_a_mistake_beside_attempts_in_vain_is_an_error(tmp_path: Path, body: str) -> None:
    attempts = "Wait Until Keyword Succeeds    2x    0s    Judge    INCONCLUSIVE"
    status, records = run_test(tmp_path, body.format(attempts))
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (1, "FAIL", "ERROR")


@pytest.mark.parametrize(
    "body",
    [
        "Run Keyword And Continue On Failure    Judge    FAIL\nJudge    INCONCLUSIVE",
        "Judge    FAIL\n[Teardown]    Judge    FAIL    INCONCLUSIVE",
        "Judge    INCONCLUSIVE\n[Teardown]    Judge    INCONCLUSIVE    FAIL",
    ],
)
def test_a_failure_outweighs_what_is_inconclusive(tmp_path: Path, body: str) -> None:
    status, records = run_test(tmp_path, body)
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (1, "FAIL", "FAIL")
    assert "is 1, required 2" in test.message
    assert "the tester was late" in test.message


def test_an_inconclusive_test_is_no_error_of_robot_unless_asked_for(tmp_path: Path) -> None:
    status, records = run_test(tmp_path, "Judge    INCONCLUSIVE")
    assert (status, records.tests[0].status, records.tests[0].outcome) == (0, "SKIP", "INCONCLUSIVE")


def test_asked_for_an_inconclusive_test_fails_in_robot_and_stays_inconclusive(tmp_path: Path) -> None:
    status, records = run_test(tmp_path, "Judge    INCONCLUSIVE", library="    inconclusive=fail")
    assert (status, records.tests[0].status, records.tests[0].outcome) == (1, "FAIL", "INCONCLUSIVE")


def test_a_page_that_cannot_be_drawn_costs_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "trials_html", listener.trials_html)  # as it was, behind this test
    status, records = run_test(tmp_path, "Spoil The Page\nLoss Is Below    100 %    0 %")
    assert (status, [test.outcome for test in records.tests]) == (1, ["FAIL"])


def test_a_listener_asks_for_it_where_the_suite_is_someone_elses(tmp_path: Path) -> None:
    status, records = run_test(tmp_path, "Judge    INCONCLUSIVE", listener="TesterLibrary.InconclusiveFails")
    assert (status, records.tests[0].outcome) == (1, "INCONCLUSIVE")
    assert "verdict-inconclusive" in (tmp_path / "out" / "output.xml").read_text()


def test_a_suite_whose_setup_is_inconclusive_is_an_error_too(tmp_path: Path) -> None:
    setup = "Suite Setup    Judge    INCONCLUSIVE"
    for library, expected in (("", 0), ("    inconclusive=fail", 1)):
        status, records = run_test(tmp_path / library, "Judge    PASS", setup, library)
        assert (status, records.outcomes()) == (expected, ["INCONCLUSIVE", "INCONCLUSIVE"])


def test_a_test_that_was_never_begun_says_so(tmp_path: Path) -> None:
    """As after Ctrl-C, which Robot calls a fatal error."""
    before = "*** Test Cases ***\nFirst\n    Fatal Error    enough\n"
    _, records = run_test(tmp_path, "Judge    PASS", settings=before)
    assert [(test.outcome, test.message) for test in records.tests] == [
        ("ERROR", "enough"),
        ("ERROR", "not run: the run was stopped before it began"),
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [("No Operation", ""), ("Half A Trial", "NOT JUDGED: nothing was judged: a verdict comes from Verify …")],
)
def test_a_test_without_a_verdict_is_not_judged(tmp_path: Path, body: str, message: str) -> None:
    status, records = run_test(tmp_path, body)
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (0, "PASS", "NOT JUDGED")
    assert test.message.startswith(message)
    assert "verdict-not-judged" in (tmp_path / "out" / "output.xml").read_text()


def test_a_failure_in_the_setup_of_a_suite_is_one_of_the_run(tmp_path: Path) -> None:
    _, records = run_test(tmp_path, "Judge    PASS", settings="Suite Setup    Judge    FAIL")
    assert [test.outcome for test in records.tests] == ["ERROR"]  # of itself it has no verdict
    assert [found.place.suite for found in records.outside_tests] == ["Caught"]
    assert records.outcomes() == ["ERROR", "FAIL"]


def test_a_failure_in_the_teardown_of_a_suite_is_one_of_the_run(tmp_path: Path) -> None:
    _, records = run_test(tmp_path, "Judge    PASS", settings="Suite Teardown    Judge    FAIL")
    assert records.outcomes() == ["PASS", "FAIL"]


def test_a_caught_verdict_outside_tests_does_not_count(tmp_path: Path) -> None:
    setup = "Suite Setup    Run Keyword And Return Status    Judge    FAIL"
    _, records = run_test(tmp_path, "Judge    PASS", settings=setup)
    assert records.outcomes() == ["PASS"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("trials", "Half A Trial"),
        ("verdicts", "Judge    PASS"),
        ("trials", "Run Keyword And Return Status    Half A Trial\nJudge    PASS"),  # the suite caught it
        ("verdicts", "Run Keyword And Ignore Error    Judge    PASS\nJudge    PASS"),
        ("withdrawals", "Run Keyword And Return Status    Judge    FAIL    PASS\nJudge    FAIL    PASS"),
        ("tests", "Judge    PASS"),
    ],
)
def test_no_test_passes_whose_record_could_not_be_written(tmp_path: Path, name: str, body: str) -> None:
    rows = f"Half A Trial\nFill The Disk    {name}.jsonl\n{body}"
    try:
        status, records = run_test(tmp_path, rows)
    finally:
        os.write = _WRITE
    output = (tmp_path / "out" / "output.xml").read_text()
    assert status == 1
    assert f"evidence/{name}.jsonl could not be written: No space left on device" in output
    assert "verdict-error" in output or name == "tests"
    assert records.cut == ()
    assert [test.outcome for test in records.tests] == ([] if name == "tests" else ["ERROR"])


@pytest.mark.parametrize(
    ("body", "outcome", "text"),
    [("Judge    FAIL", "FAIL", "FAIL: value 1"), ("Fail    a mistake", "ERROR", "a mistake")],
)
def test_skip_on_failure_hides_no_outcome(tmp_path: Path, body: str, outcome: str, text: str) -> None:
    status, records = run_test(tmp_path, f"[Tags]    robot:skip-on-failure\n{body}")
    (test,) = records.tests
    assert (status, test.status, test.outcome) == (1, "FAIL", outcome)
    assert test.message.startswith(text)
    assert "It is not skipped: robot:skip-on-failure" in test.message
    assert "skipped using" not in test.message
