# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Repetitions of a campaign are one value: in comparisons, trends and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from assertionengine import AssertionOperator
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.pages.comparison import Change, compare
from TesterLibrary.reporting.pages.repetitions import combined, unrepeated
from TesterLibrary.reporting.record.long_name import label
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import Records, TestRecord, VerdictRecord
from TesterLibrary.reporting.trend.figure import run_of
from TesterLibrary.verdict import Outcome, Verdict, assess

BED = "embedded/shaper"
PLACES = [RecordPlace(BED, f"{label(BED, number)}.Rate", "Rate Is Kept") for number in (1, 2, 3)]


def judged(bps: int, outcome: Outcome = Outcome.PASS) -> Verdict:
    """A rate; INCONCLUSIVE: of a tester that was not fit."""
    doubt = "the tester was late" if outcome is Outcome.INCONCLUSIVE else ""
    text = {"measured": f"{bps / 1e6:g} Mbps", "bound": ">= 90 Mbps", "doubt": doubt}
    return assess(bps, AssertionOperator[">="], 90_000_000, subject="rate of north", **text)


def campaign(verdicts: Sequence[Verdict], repetitions: int = 3, **changes: Any) -> Records:
    at = [f"2026-01-02T03:0{number}:00+00:00" for number in range(len(verdicts))]
    run: Mapping[str, Any] = {
        "id": "1",
        "started_at": "2026-01-02T03:00:00+00:00",
        "testers": [],
        "certification": {"repetitions": repetitions},
    }
    records = [
        VerdictRecord(place, verdict, number, at=at[number - 1])
        for number, (place, verdict) in enumerate(zip(PLACES, verdicts, strict=False), 1)
    ]
    tests = [TestRecord(BED, place.suite, place.test, "PASS", "PASS") for place in PLACES]
    return replace(Records(run=run, verdicts=tuple(records), tests=tuple(tests)), **changes)


def test_values_of_repetitions_are_their_mean_as_far_as_the_farthest() -> None:
    (record,) = combined(campaign([judged(100_000_000), judged(98_000_000), judged(99_000_000)]))
    assert record.place == PLACES[0]
    assert record.verdict.measured == "99 Mbps (mean of 3 repetitions, 98 Mbps to 100 Mbps)"
    assert (record.verdict.least, record.verdict.most) == (98_000_000, 100_000_000)


def test_a_tester_that_was_not_fit_says_nothing_and_is_counted() -> None:
    late = judged(10_000_000, Outcome.INCONCLUSIVE)
    (record,) = combined(campaign([judged(100_000_000), late, judged(98_000_000)]))
    assert record.verdict.measured.startswith("99 Mbps (mean of 2 of 3 repetitions")
    assert record.verdict.outcome is Outcome.PASS
    (record,) = combined(campaign([late, late, late]))
    assert record.verdict == late


def test_one_repetition_that_failed_has_failed() -> None:
    (record,) = combined(campaign([judged(100_000_000), judged(80_000_000), judged(99_000_000)]))
    assert record.verdict.outcome is Outcome.FAIL


def test_they_are_one_point_of_one_figure() -> None:
    (figure,) = run_of(campaign([judged(100_000_000), judged(98_000_000), judged(99_000_000)])).figures
    assert (figure.key.suite, figure.key.unit) == ("shaper.Rate", "bps")
    assert (figure.point.value, figure.point.uncertainty) == (99e6, 1e6)
    assert figure.point.at.minute == 2
    (alone,) = run_of(campaign([judged(99_000_000)], repetitions=1)).figures
    assert alone.key == figure.key, "a night of one repetition goes on with the series"


@pytest.mark.parametrize(
    ("after", "change"),
    [((97, 98, 99), Change.SAME), ((90, 91, 92), Change.WORSE), ((110, 111, 112), Change.BETTER)],
)
def test_runs_differ_only_where_all_repetitions_do(after: Sequence[int], change: Change) -> None:
    before = campaign([judged(mbps * 10**6) for mbps in (98, 99, 100)])
    (found,) = compare(before, campaign([judged(mbps * 10**6) for mbps in after]), Ratio.parse("1 %"))
    assert found.change is change


def test_a_testbed_whose_name_has_a_number_is_none() -> None:
    run = {"certification": {"repetitions": 2}}
    assert unrepeated(run, BED, "shaper (2).Rate") == "shaper.Rate"
    assert unrepeated(run, BED, "shaper (3).Rate") == "shaper (3).Rate"
    assert unrepeated(run, "lab/north", "shaper (2).Rate") == "shaper (2).Rate"
    assert unrepeated({}, BED, "shaper (2).Rate") == "shaper (2).Rate"


@given(st.lists(st.integers(90_000_000, 200_000_000), min_size=1, max_size=3))
def test_every_repetition_is_within_what_is_known(values: list[int]) -> None:
    (record,) = combined(campaign([judged(value) for value in values]))
    least, most = record.verdict.least, record.verdict.most
    assert least is not None
    assert most is not None
    assert all(least <= value <= most for value in values)
    assert (least + most) / 2 == Fraction(sum(values), len(values))
