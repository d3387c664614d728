# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two runs whose values are known, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from assertionengine import AssertionOperator
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.pages.comparison import Change, compare, status
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import Records, TestRecord, VerdictRecord
from TesterLibrary.verdict import About, Below, Verdict, assess

TOLERANCE = Ratio(Fraction(3, 100))
OPPOSITE = {Change.WORSE: Change.BETTER, Change.BETTER: Change.WORSE}


def judged(value: Any, sign: str = ">=", bound: Any = 0, **given: str) -> Verdict:
    return assess(value, AssertionOperator[sign], bound, subject="rate of north", **given)


def run(
    *verdicts: Verdict, testbed: str = "lab", test: str = "64 Bytes", caught: Sequence[int] = ()
) -> Records:
    place = RecordPlace(testbed, "Throughput", test)
    return Records(
        run={},
        verdicts=tuple(
            VerdictRecord(place, verdict, number, "TRY" if number in caught else "")
            for number, verdict in enumerate(verdicts, 1)
        ),
        tests=(TestRecord(testbed, "Throughput", test, "PASS", "PASS"),),
    )


def change(before: Verdict, after: Verdict) -> tuple[Change, Fraction | None]:
    (found,) = compare(run(before), run(after), TOLERANCE)
    return found.change, found.part


@pytest.mark.parametrize(
    ("before", "after", "sign", "expected"),
    [
        (1000, 960, ">=", Change.WORSE),
        (1000, 960, "<=", Change.BETTER),
        (1000, 960, "==", Change.DIFFERENT),
        (1000, 970, ">=", Change.SAME),
        (1000, 1031, ">=", Change.BETTER),
        (0, 1, "<=", Change.WORSE),
        (0, 0, "<=", Change.SAME),
        (-100, -200, "<=", Change.BETTER),
    ],
)
def test_a_change_beyond_the_tolerance_has_a_side(
    before: int, after: int, sign: str, expected: Change
) -> None:
    assert change(judged(before, sign, 10**6), judged(after, sign, 10**6))[0] is expected


def test_a_change_within_what_is_known_of_the_values_is_none() -> None:
    before, after = (judged(About(value - 5, value + 5, f"{value} ± 5")) for value in (100, 92))
    assert change(before, after) == (Change.SAME, Fraction(-8, 100))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((55, "search"), (50, "search"), Change.NOT_COMPARED),  # another highest= was given
        ((55, "search"), (55, "search"), Change.SAME),
        ((55, "search"), (60, "search"), Change.SAME),
        ((55, "tester"), (55, "tester"), Change.NOT_COMPARED),
        ((55, "tester"), (50, "tester"), Change.NOT_COMPARED),
        ((55, "search"), (40, ""), Change.WORSE),  # at least 55, then 40
        ((55, "search"), (54, ""), Change.NOT_COMPARED),
        ((55, "search"), (90, ""), Change.NOT_COMPARED),
        ((40, ""), (55, "search"), Change.BETTER),
        ((55, ""), (55, "tester"), Change.SAME),
        ((90, ""), (55, "tester"), Change.NOT_COMPARED),
    ],
)
def test_lower_bounds_are_compared_where_they_decide(
    before: tuple[int, str], after: tuple[int, str], expected: Change
) -> None:
    sides = [replace(judged(value), limit=limit) for value, limit in (before, after)]
    (found,) = compare(run(sides[0]), run(sides[1]), TOLERANCE)
    assert found.change is expected
    assert "limited by the" in found.reason


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (95, Below(70), Change.WORSE),
        (71, Below(70), Change.NOT_COMPARED),  # within the tolerance
        (60, Below(70), Change.NOT_COMPARED),
        (Below(70), 95, Change.BETTER),
        (Below(70), 71, Change.NOT_COMPARED),
        (Below(70), Below(70), Change.SAME),
        (Below(70), Below(50), Change.NOT_COMPARED),
    ],
)
def test_upper_bounds_are_compared_where_they_decide(before: object, after: object, expected: Change) -> None:
    sides = [run(judged(value, bound=100)) for value in (before, after)]
    (found,) = compare(sides[0], sides[1], TOLERANCE)
    assert found.change is expected
    assert found.part is None
    assert "below" in found.reason


@pytest.mark.parametrize("doubtful", ["before", "after"])
def test_a_value_of_a_tester_that_fell_short_is_not_compared(doubtful: str) -> None:
    doubt = judged(50, doubt="the tester sent 1 of 2 frames")
    values = (doubt, judged(100)) if doubtful == "before" else (judged(100), doubt)
    (found,) = compare(run(values[0]), run(values[1]), TOLERANCE)
    assert found.change is Change.NOT_COMPARED
    assert found.reason == f"INCONCLUSIVE {doubtful}: the tester sent 1 of 2 frames"
    assert status([found]) == 2


def test_a_pass_that_became_a_fail_is_worse_however_small_the_change() -> None:
    (found,) = compare(run(judged(100, bound=100)), run(judged(99, bound=100)), TOLERANCE)
    assert (found.change, found.reason) == (Change.WORSE, "PASS became FAIL, required >= 100")
    (found,) = compare(run(judged(100, bound=100)), run(judged(99, bound=99.5)), TOLERANCE)
    assert (found.change, found.reason) == (Change.SAME, "required >= 100 before, >= 99.5 after")


def test_a_value_that_one_run_lacks_is_named() -> None:
    found = compare(run(judged(1), judged(2)), run(judged(1)), TOLERANCE)
    assert [(each.change, each.reason) for each in found] == [
        (Change.NOT_COMPARED, "only the run before has it"),
        (Change.SAME, ""),
    ]
    (new,) = compare(run(), run(judged(1)), TOLERANCE)
    assert new.reason == "it is new"
    assert status(()) == 2


def test_a_verdict_that_its_suite_caught_is_no_value() -> None:
    found = compare(run(judged(7), judged(1), caught=[1]), run(judged(1)), TOLERANCE)
    assert [each.change for each in found] == [Change.SAME]


def test_two_devices_are_compared_where_each_run_has_one_testbed() -> None:
    (found,) = compare(run(judged(100), testbed="old"), run(judged(50), testbed="new"), TOLERANCE)
    assert (found.change, found.testbed, status([found])) == (Change.WORSE, "new", 1)


def test_texts_are_the_same_or_different() -> None:
    before, after = judged("up", "==", "up"), judged("down", "!=", "up")
    assert change(before, before) == (Change.SAME, None)
    assert change(before, after) == (Change.DIFFERENT, None)


@given(st.integers(1, 10**12), st.integers(1, 10**12), st.sampled_from([">=", "<="]))
def test_to_look_from_the_other_side_turns_the_change_round(first: int, second: int, sign: str) -> None:
    one, other = judged(first, sign, 10**13), judged(second, sign, 10**13)
    there, back = change(one, other), change(other, one)
    if Change.SAME not in (there[0], back[0]):
        assert back[0] is OPPOSITE[there[0]]
    assert (there[0] is Change.SAME) == (abs(second - first) <= first * TOLERANCE.value)
