# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.methodology.verdicts.value import judge_value
from TesterLibrary.verdict import Outcome

from ..texts.samples import LATE, trial


def outcome(value: object, sign: str, bound: object) -> Outcome:
    return judge_value(value, AssertionOperator[sign], bound, subject="largest burst").outcome


@pytest.mark.parametrize(
    ("value", "sign", "bound", "holds"),
    [
        ("3000 us", "<=", "5 ms", True),
        ("5 ms", "<=", "5000 us", True),
        ("5001 us", "<=", "5 ms", False),
        ("5 ms", "==", "5,000 us", True),
        ("5 ms", "!=", "5,000 us", False),
        ("0.9 Gbps", ">=", "901 Mbps", False),
        ("12 frames", ">", "1 frame", True),
        (0.1, "==", "0.1", True),
        ("3 ms", ">", "0", True),
        ("-3 dBm", "<", "0", True),
    ],
)
def test_units_are_compared_with_units(value: object, sign: str, bound: object, holds: bool) -> None:
    assert outcome(value, sign, bound) is (Outcome.PASS if holds else Outcome.FAIL)


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        (0.003, "5 ms"),
        ("3 ms", 5),
        ("3 ms", "5 MB"),
        ("1 Gbps", "1 Gbps L1"),
        ("100 pps", "100/s"),
        ("1 ms", "1 m"),
        (0, "5 ms"),
        ("3 mbit", "5 Mbit"),
    ],
)
def test_another_unit_is_refused(value: object, bound: object) -> None:
    with pytest.raises(TesterLibraryError, match="their units differ"):
        outcome(value, "<=", bound)


def test_nothing_measured_is_no_value() -> None:
    assert outcome(None, "<=", "5 ms") is Outcome.INCONCLUSIVE
    for nothing in ("", "None ms", float("nan")):
        with pytest.raises(TesterLibraryError, match=r"largest burst: '.*' is not a value with a unit"):
            outcome(nothing, "<=", "5 ms")
    with pytest.raises(TesterLibraryError, match="the bound of largest burst: 'None' is not a value"):
        outcome("3 ms", "<=", None)


def test_only_comparisons_are_taken() -> None:
    with pytest.raises(TesterLibraryError, match=r"'.*' does not compare numbers; write one of ==, !="):
        outcome("3 ms", "contains", "3")


def test_a_value_has_a_name() -> None:
    with pytest.raises(TesterLibraryError, match="write of=, such as of=largest burst"):
        judge_value(1, AssertionOperator["<="], 2, subject=" ")


def test_a_trial_in_which_the_tester_fell_short_tells_nothing() -> None:
    verdict = judge_value(
        "3 ms", AssertionOperator["<="], "5 ms", subject="largest burst", trials=[trial(objections=LATE)]
    )
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, LATE[0])
