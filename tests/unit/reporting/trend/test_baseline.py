# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A baseline that lacks a value says which one was sought and which ones it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.reporting.trend import baseline
from TesterLibrary.reporting.trend.baseline import Sought
from TesterLibrary.reporting.trend.figure import Key
from TesterLibrary.verdict import Outcome, Verdict

SUBJECT = "throughput of n, 64 bytes"


def sought(test: str = "Forwards", testbed: str = "my-qr") -> Sought:
    return Sought(
        testbed=testbed,
        device_kind="physical",
        profile="quick",
        suite="Mine",
        test=test,
        judged=Verdict(Outcome.PASS, SUBJECT, "10 %", ">= 5 %"),
        number=1,
        run="now",
        longest_ns=None,
    )


def key(suite: str) -> Key:
    return Key("my-qr", "physical", "quick", suite, "Forwards", SUBJECT, 1, "")


@pytest.mark.parametrize(
    ("suites", "wanted", "said"),
    [
        (
            ["my-qr", "my-qr.Theirs"],
            sought(),
            f"the baseline has no {SUBJECT} of the test 'Forwards' of the suite Mine, but of "
            "the suites my-qr, my-qr.Theirs",
        ),
        (
            ["a.Mine", "b.Mine"],
            sought(),
            f"the baseline has several {SUBJECT} of the test 'Forwards' of the suite Mine, in the suites "
            "a.Mine, b.Mine",
        ),
        (
            ["Mine"],
            sought(test="Loses Nothing"),
            f"the baseline has no {SUBJECT} of the test 'Loses Nothing' of the suite Mine on "
            "the testbed my-qr; it has that value of 'Forwards' of the suite Mine on my-qr",
        ),
        (
            [],
            sought(),
            f"the baseline has no {SUBJECT} of the test 'Forwards' of the suite Mine on the testbed my-qr",
        ),
    ],
)
def test_a_value_that_is_not_there_is_named_with_those_that_are(
    suites: list[str], wanted: Sought, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    figures = [type("Figure", (), {"key": key(suite)})() for suite in suites]
    run = type("Run", (), {"id": "before", "figures": figures, "started_at": None})()
    monkeypatch.setattr(baseline, "read_consistent", lambda _: None)
    monkeypatch.setattr(baseline, "run_of", lambda _: run)
    assert baseline.find_baseline(tmp_path, wanted) == (None, said)


def test_the_suite_of_a_certification_is_that_of_plain_robot() -> None:
    assert baseline._named([key("my-qr.Mine"), key("my-qr.Theirs")], sought(), one_testbed=False) == key(
        "my-qr.Mine"
    )
