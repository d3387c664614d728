# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, PlanError, TargetError, TesterLibraryError, VerdictFailed
from TesterLibrary.verdict import AT_LEAST, AT_MOST, EQUAL, Below, Between, Outcome, Verdict, assess


def verdict(*, holds: bool, doubt: str = "") -> Verdict:
    measured, bound = "94 %", ">= 95 %"
    value = 95 if holds else 94
    return assess(
        value, AT_LEAST, 95, subject="throughput of north", measured=measured, bound=bound, doubt=doubt
    )


@pytest.mark.parametrize(
    ("holds", "doubt", "outcome"),
    [
        (True, "", Outcome.PASS),
        (False, "", Outcome.FAIL),
        (True, "the engine died", Outcome.INCONCLUSIVE),
        (False, "the engine died", Outcome.INCONCLUSIVE),
    ],
)
def test_doubt_outranks_the_value(holds: bool, doubt: str, outcome: Outcome) -> None:
    assert verdict(holds=holds, doubt=doubt).outcome is outcome


def test_texts() -> None:
    assert str(verdict(holds=False)) == "FAIL: throughput of north is 94 %, required >= 95 %"
    assert str(verdict(holds=True, doubt="it died")) == (
        "INCONCLUSIVE: throughput of north is 94 %, required >= 95 % (it died)"
    )


def test_doubts_are_added_once() -> None:
    passed = verdict(holds=True)
    assert passed.doubted() == passed
    assert passed.doubted("") == passed
    doubted = passed.doubted("one", "", "two")
    assert (doubted.outcome, doubted.reason) == (Outcome.INCONCLUSIVE, "one; two")
    assert doubted.doubted("two", "three").reason == "one; two; three"
    assert verdict(holds=False).doubted("one").outcome is Outcome.INCONCLUSIVE


def test_counts_are_written_with_all_their_digits() -> None:
    found = assess(1_234_567, EQUAL, 1_234_568, subject="frame loss")
    assert str(found) == "FAIL: frame loss is 1,234,567, required == 1,234,568"


@pytest.mark.parametrize(
    ("sign", "expected", "outcome"),
    [
        (">=", 70, Outcome.FAIL),  # it does not reach what it is below
        (">=", 71, Outcome.FAIL),
        (">=", 69, Outcome.INCONCLUSIVE),
        (">", 70, Outcome.FAIL),
        (">", 69, Outcome.INCONCLUSIVE),
        ("<", 70, Outcome.PASS),
        ("<=", 70, Outcome.PASS),
        ("<=", 69, Outcome.INCONCLUSIVE),
        ("==", 70, Outcome.FAIL),
        ("==", 69, Outcome.INCONCLUSIVE),
        ("!=", 70, Outcome.PASS),
        ("!=", 69, Outcome.INCONCLUSIVE),
    ],
)
def test_a_value_below_another_one_is_judged_where_that_decides(
    sign: str, expected: int, outcome: Outcome
) -> None:
    found = assess(Below(70), AssertionOperator[sign], expected, subject="throughput")
    assert (found.outcome, found.measured, found.least, found.most) == (outcome, "below 70", None, 70)
    assert found.reason == ("it is only known to be below 70" if outcome is Outcome.INCONCLUSIVE else "")


def test_a_value_that_nobody_measured_is_inconclusive() -> None:
    found = assess(None, AT_MOST, 0, subject="frames duplicated")
    assert str(found) == (
        "INCONCLUSIVE: frames duplicated is not measured, required <= 0 (it was not measured)"
    )


@pytest.mark.parametrize(
    ("sign", "expected", "outcome"),
    [
        ("<=", 5, Outcome.PASS),
        ("<=", 1, Outcome.FAIL),
        ("<=", 3, Outcome.INCONCLUSIVE),
        (">", 1, Outcome.PASS),
        (">", 4, Outcome.INCONCLUSIVE),
        ("==", 3, Outcome.INCONCLUSIVE),
        ("==", 6, Outcome.FAIL),
        ("!=", 4, Outcome.INCONCLUSIVE),
        ("!=", 6, Outcome.PASS),
    ],
)
def test_bounds_decide_only_where_both_agree(sign: str, expected: int, outcome: Outcome) -> None:
    found = assess(Between(2, 5), AssertionOperator[sign], expected, subject="frame loss")
    assert found.outcome is outcome
    assert found.measured == "2 to 5"


@pytest.mark.parametrize(
    ("sign", "bound"),
    [
        ("contains", "contains 10.0"),
        ("*=", "contains 10.0"),
        ("matches", "matches 10.0"),
        ("starts", "starts 10.0"),
        ("ends", "ends 10.0"),
        ("should be", "== 10.0"),
        ("not contains", "not contains 10.0"),
    ],
)
def test_operators_on_texts_are_the_words_that_suites_write(sign: str, bound: str) -> None:
    assert assess("11", AssertionOperator[sign], "10.0", subject="keys").bound == bound


@pytest.mark.parametrize(
    ("sign", "expected"), [("<=", "many"), ("validate", "value <"), ("then", "value * 2")]
)
def test_a_mistake_of_the_suite_is_no_verdict(sign: str, expected: str) -> None:
    with pytest.raises(TesterLibraryError) as mistake:
        assess(5, AssertionOperator[sign], expected, subject="frame loss")
    assert not isinstance(mistake.value, VerdictFailed)


def test_a_message_replaces_that_of_a_failed_verdict_only() -> None:
    with pytest.raises(VerdictFailed, match=r"^too slow$"):
        verdict(holds=False).enforce("too slow")
    with pytest.raises(Inconclusive, match="it died"):
        verdict(holds=False, doubt="it died").enforce("too slow")


def test_only_a_fail_fails_a_test() -> None:
    passed = verdict(holds=True)
    assert passed.enforce() is passed
    with pytest.raises(VerdictFailed, match=r"^FAIL: throughput of north is 94 %"):
        verdict(holds=False).enforce()
    with pytest.raises(Inconclusive, match=r"^INCONCLUSIVE: throughput of north: it died$"):
        verdict(holds=True, doubt="it died").enforce()


def test_robot_skips_what_is_inconclusive_and_nothing_else() -> None:
    """`ROBOT_SKIP_EXECUTION` is how Robot Framework knows an exception that skips a test."""
    assert Inconclusive("x").ROBOT_SKIP_EXECUTION
    assert TargetError("x").ROBOT_SKIP_EXECUTION
    for kind in (PlanError, VerdictFailed, TesterLibraryError):
        assert not getattr(kind("x"), "ROBOT_SKIP_EXECUTION", False)
    assert isinstance(VerdictFailed("x"), AssertionError)
    assert not isinstance(TargetError("x"), AssertionError)
