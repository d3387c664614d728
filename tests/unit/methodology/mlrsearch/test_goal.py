# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.model.units.units import Duration, Ratio

from ..simulated import LINE, SimulatedMeasurer
from .laws import SECOND, goal

WHOLE = Ratio(Fraction(1))


def test_a_goal_is_led_to_by_shorter_trials_and_wider_bounds() -> None:
    found = goal(
        initial_duration=Duration(SECOND),
        final_duration=Duration(60 * SECOND),
        duration_sum=Duration(120 * SECOND),
        width=Ratio(Fraction(1, 200)),
    ).preceding()
    assert [(g.final_duration.seconds, g.duration_sum.seconds, g.width.value) for g in found] == [
        (1, 1, Fraction(1, 50)),
        (11, 11, Fraction(1, 100)),
    ]


def test_a_goal_whose_shortest_trials_are_enough_has_no_preceding_ones() -> None:
    assert goal(initial_duration=Duration(SECOND)).preceding() == ()


@given(initial=st.integers(1, 10**12), final=st.integers(1, 10**12), total=st.integers(1, 10**12))
def test_preceding_goals_make_sense(initial: int, final: int, total: int) -> None:
    initial, final, total = sorted((initial, final, total))
    asked = goal(
        initial_duration=Duration(initial), final_duration=Duration(final), duration_sum=Duration(total)
    )
    before = initial
    for coarser in asked.preceding():
        coarser.validate()
        assert initial <= coarser.final_duration.ns <= final
        assert before <= coarser.duration_sum.ns <= total
        before = coarser.duration_sum.ns


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (goal(name=""), "a goal must have a name; name is empty"),
        (
            replace(goal(), loss=WHOLE),
            "the goal loss ratio must be at least 0 and below 100 %; name is NDR, loss is 100 %",
        ),
        (
            goal(exceed=WHOLE),
            "the goal exceed ratio must be at least 0 and below 100 %; name is NDR, exceed is 100 %",
        ),
        (goal(exceed=Ratio(Fraction(-1, 10))), "the goal exceed ratio must be at least 0 and below 100 %"),
        (goal(width=Ratio(Fraction(0))), "the goal width must be above 0 and below 100 %"),
        (goal(initial_duration=Duration(0)), "the goal initial trial duration must be above 0"),
        (goal(initial_duration=Duration(2 * SECOND)), "initial trial duration must be at most the final one"),
        (goal(duration_sum=Duration(SECOND // 2)), "duration sum must be at least the final trial duration"),
    ],
)
def test_a_goal_without_sense_is_refused_before_a_frame_is_sent(wrong: SearchGoal, complaint: str) -> None:
    refused(MultipleLossRatioSearch((wrong,)), complaint)


def refused(search: MultipleLossRatioSearch, complaint: str) -> None:
    measurer = SimulatedMeasurer()
    with pytest.raises(PlanError, match=complaint):
        find_goals(measurer, search, line_pps=LINE)
    assert measurer.asked == []


def test_goals_that_exclude_each_other_are_refused() -> None:
    refused(MultipleLossRatioSearch(()), "there is no goal")
    refused(
        MultipleLossRatioSearch((goal(), goal(loss="1 %"))),
        "two goals have the name 'NDR', so a verdict on it could mean either",
    )
    longer = goal("longer", final_duration=Duration(2 * SECOND), duration_sum=Duration(2 * SECOND))
    refused(
        MultipleLossRatioSearch((goal(), longer)),
        "goals of one search must have the same final trial duration",
    )


def test_a_resolution_that_loads_do_not_have_is_refused() -> None:
    fine = goal(width=Ratio.parse("1 ppm"))
    refused(
        MultipleLossRatioSearch((goal("PDR", "1 %"), fine)),
        r"a width of 0.0001 % is finer than one frame per second at the lowest load, 14.881 kpps \(1 % of",
    )
    with pytest.raises(
        PlanError, match=r"give a width of at least 3.85 %, or a lowest load of at least 15.39 %; the goal is"
    ):
        MultipleLossRatioSearch((goal(),), Ratio.parse("2 %"), Ratio.parse("100 %")).validate(Fraction(1300))
    brief = goal(initial_duration=Duration(1000))
    refused(
        MultipleLossRatioSearch((brief,)), "trials of 1 us at the lowest load, 14.881 kpps, send no frame"
    )


@pytest.mark.parametrize(("lowest", "highest"), [("0 %", "50 %"), ("60 %", "50 %")])
def test_loads_without_sense_are_refused(lowest: str, highest: str) -> None:
    search = MultipleLossRatioSearch((goal(),), Ratio.parse(lowest), Ratio.parse(highest))
    refused(search, "the lowest load must be above 0 and at most the highest")


@given(
    lowest=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)),
    highest=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)),
    width=st.integers(1, 500).map(lambda n: Fraction(n, 1000)),
)
def test_the_loads_of_a_search(lowest: Fraction, highest: Fraction, width: Fraction) -> None:
    lowest, highest = sorted((lowest, highest))
    search = MultipleLossRatioSearch((goal(width=Ratio(width)),), Ratio(lowest), Ratio(highest))
    assert search.load(search.top) == highest
    assert lowest <= search.load(search.bottom)
    assert search.load(search.bottom - 1) < lowest
    assert search.load(1) <= width * lowest / 2
    for number in (search.bottom, search.top):
        assert search.number(search.load(number)) == number
