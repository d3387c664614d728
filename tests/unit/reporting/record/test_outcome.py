# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of a test follows from how Robot ended it and from its verdicts."""

from __future__ import annotations

import pytest

from TesterLibrary.reporting.record.outcome import (
    EXIT_STATUS,
    WORST_FIRST,
    WRONG_COMMAND_LINE,
    one_line,
    outcome_of,
    overall,
)
from TesterLibrary.verdict import Outcome, Verdict

PASSED = Verdict(Outcome.PASS, "loss", "0 %", "<= 0 %")
FAILED = Verdict(Outcome.FAIL, "loss", "1 %", "<= 0 %")
UNKNOWN = Verdict(Outcome.INCONCLUSIVE, "loss", "0 %", "<= 0 %", "the tester was late")


@pytest.mark.parametrize(
    ("status", "verdicts", "outcome"),
    [
        ("PASS", (PASSED,), "PASS"),
        ("PASS", (PASSED, UNKNOWN), "INCONCLUSIVE"),
        ("PASS", (), "NOT JUDGED"),  # nothing was required of the device
        ("PASS", (FAILED,), "FAIL"),  # it raised nothing, and is out of bounds all the same
        ("SKIP", (PASSED,), "INCONCLUSIVE"),
        ("SKIP", (), "INCONCLUSIVE"),
        ("SKIP", (FAILED, UNKNOWN), "FAIL"),
        ("FAIL", (FAILED,), "FAIL"),
        ("FAIL", (PASSED,), "ERROR"),  # passed its bound, then failed for another reason
        ("FAIL", (UNKNOWN,), "ERROR"),
        ("FAIL", (), "ERROR"),
    ],
)
def test_the_outcome_of_a_test(status: str, verdicts: tuple[Verdict, ...], outcome: str) -> None:
    assert outcome_of(status, verdicts) == outcome


@pytest.mark.parametrize(
    ("outcome", "message", "line"),
    [
        ("PASS", "PASS: loss is 0 %", "PASS: loss is 0 %"),
        ("ERROR", "", "ERROR"),
        (
            "INCONCLUSIVE",
            "Skipped in parent suite setup:\nINCONCLUSIVE: the tester is gone",
            "INCONCLUSIVE: Skipped in parent suite setup: INCONCLUSIVE: the tester is gone",
        ),
        ("FAIL", "FAIL: loss is 1 %\n\nAlso teardown failed:\nno", "FAIL: loss is 1 %"),
    ],
)
def test_what_is_said_of_a_test_fits_a_line(outcome: str, message: str, line: str) -> None:
    assert one_line(outcome, message) == line


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        (["PASS", "PASS"], "PASS"),
        (["PASS", "NOT JUDGED"], "NOT JUDGED"),
        (["NOT JUDGED", "INCONCLUSIVE"], "INCONCLUSIVE"),
        (["INCONCLUSIVE", "ERROR"], "ERROR"),
        (["ERROR", "FAIL"], "FAIL"),
        ([], "ERROR"),
    ],
)
def test_the_worst_outcome_is_the_overall_one(outcomes: list[str], worst: str) -> None:
    assert overall(outcomes) == worst


def test_each_outcome_has_an_exit_status_of_its_own() -> None:
    assert sorted(EXIT_STATUS) == sorted(WORST_FIRST)
    assert len({*EXIT_STATUS.values(), WRONG_COMMAND_LINE}) == len(EXIT_STATUS) + 1
    assert EXIT_STATUS["PASS"] == 0
