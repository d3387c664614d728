# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches against devices whose law of loss is known."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.mlrsearch import MultipleLossRatioResult
from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.load_class import LoadClass, classify
from TesterLibrary.methodology.mlrsearch.result import GoalResult, Irregular
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.methodology.throughput import ThroughputSearch, find_throughput
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome

from ....examples import examples
from ..simulated import LINE, SimulatedMeasurer
from .laws import NOTHING, SECOND, LossLaw, Repeated, erratic, goal, rising

HALF = Ratio(Fraction(1, 2))
NDR, PDR = goal(), goal("PDR", "0.5 %")


def found(
    device: SimulatedMeasurer, *goals: SearchGoal, lowest: str = "1 %", highest: str = "100 %"
) -> MultipleLossRatioResult:
    search = MultipleLossRatioSearch(goals or (NDR, PDR), Ratio.parse(lowest), Ratio.parse(highest))
    return find_goals(device, search, line_pps=LINE)


def most_trials(result: MultipleLossRatioResult) -> int:
    """The most trials that strides that double, halves, three guesses and two loads to begin with can take.

    A load takes at most the duration sum of a stage in its trials.
    """
    search, most = result.search, 0
    for each in search.goals:
        for stage in (*each.preceding(), each):
            widths = math.log(search.top / search.bottom) / float(stage.width.value) + 1
            trials_at_a_load = -(-stage.duration_sum.ns // stage.final_duration.ns)
            most += trials_at_a_load * (2 * math.ceil(math.log2(widths + 1)) + 8)
    return most


def check_derivation(result: MultipleLossRatioResult) -> None:
    """Holds a result to everything that a reader of the records can check by hand."""
    assert MultipleLossRatioResult.derived(result.search, result.trials) == result
    for each in result.found:
        at = {
            load: classify(each.goal, [t for t in result.trials if t.load == load and t.valid])
            for load in {t.load for t in result.trials}
        }
        if each.upper is not None:
            assert at[each.upper] is LoadClass.UPPER_BOUND
            assert not any(what is LoadClass.UPPER_BOUND for load, what in at.items() if load < each.upper)
        if each.lower is not None:
            assert at[each.lower] is LoadClass.LOWER_BOUND
            assert each.loss is not None
            assert each.loss <= each.goal.loss.value
        if each.regular:
            assert each.lower is not None
            assert each.upper is not None
            assert each.lower < each.upper
            assert each.upper - each.lower <= each.goal.width.value * each.upper
    loads = [trial.load for trial in result.trials]
    assert result.search.lowest.value <= min(loads)
    assert max(loads) <= result.search.highest.value


def test_a_device_at_line_rate_has_an_irregular_result_that_passes() -> None:
    result = found(SimulatedMeasurer())
    ndr = result.goal("NDR")
    assert (ndr.lower, ndr.upper, ndr.irregular) == (1, None, Irregular.HIGHEST)
    assert [t.duration_ns for t in result.trials] == [SECOND // 10, 320 * 10**6, SECOND]
    assert result.rate("NDR") == pytest.approx(float(LINE))
    assert ndr.offered == Rate.parse("100 %")
    verdict = result.verdict_above("NDR", Rate.parse("100 %"))
    assert verdict.outcome is Outcome.PASS
    assert "irregular result: the highest load of the search" in str(verdict)


def test_both_goals_are_found_with_few_long_trials() -> None:
    result = found(SimulatedMeasurer(capacity=Fraction(612, 1000)))
    long = [t for t in result.trials if t.duration_ns == SECOND]
    assert len(long) <= 4
    assert result.goal("NDR").lower == Fraction(612, 1000)
    assert result.goal("NDR").conditional_throughput == Fraction(612, 1000)
    lost = result.goal("PDR")
    assert lost.lower is not None
    assert lost.lower > Fraction(612, 1000)
    assert lost.conditional_throughput == pytest.approx(0.612, rel=1e-4)  # of what more was offered it lost


def test_a_device_that_loses_a_little_at_any_load_has_a_pdr_only() -> None:
    result = found(LossLaw(law=lambda _load: Fraction(1, 1000)))
    ndr, pdr = result.found
    assert (ndr.lower, ndr.irregular) == (None, Irregular.LOWEST)
    assert (pdr.lower, pdr.irregular) == (1, Irregular.HIGHEST)
    assert pdr.loss == pytest.approx(Fraction(1, 1000), rel=0.01)
    assert ndr.conditional_throughput is None
    assert (result.rate("NDR"), result.throughput_bps("NDR")) == (None, None)
    verdict = result.verdict_above("NDR", Rate.parse("1 %"))
    assert (verdict.outcome, verdict.measured) == (Outcome.INCONCLUSIVE, "below 1 %")
    assert (verdict.least, verdict.most) == (None, Fraction(1, 100))
    with pytest.raises(TesterLibraryError, match="no load meets the goal NDR"):
        _ = ndr.offered
    with pytest.raises(TesterLibraryError, match="the search had no goal 'MRR'; it had NDR, PDR"):
        result.goal("MRR")


def test_a_goal_that_tolerates_high_loss_trials_is_met_by_a_device_that_hiccups() -> None:
    class Hiccups(SimulatedMeasurer):
        def _lost(self, frames: int) -> int:
            return frames // 10 if len(self.asked) % 3 == 0 else 0

    tolerant = {"exceed": HALF, "duration_sum": Duration(5 * SECOND)}
    result = found(Hiccups(), goal(**tolerant))
    assert result.goal("NDR").lower == 1
    strict = {**tolerant, "exceed": NOTHING}
    assert found(Hiccups(), goal(**strict)).goal("NDR").lower is None


def test_a_goal_like_that_of_rfc_2544_finds_the_throughput() -> None:
    device = SimulatedMeasurer(capacity=Fraction(437, 1000))
    seconds = {"duration_sum": Duration(SECOND), "final_duration": Duration(SECOND)}
    ndr = found(device, goal(**seconds)).goal("NDR")
    search = ThroughputSearch(trial_duration=Duration(SECOND), scout_duration=Duration(SECOND // 10))
    throughput = find_throughput(device, search)
    assert throughput.failed_load is not None
    assert throughput.load < (ndr.upper or 0)
    assert (ndr.lower or 1) < throughput.failed_load


def test_the_tester_limits_from_above_and_says_so() -> None:
    result = found(SimulatedMeasurer(tester_limit=Fraction(4, 10)))
    ndr = result.goal("NDR")
    assert (ndr.irregular, ndr.upper) == (Irregular.DOUBT, None)
    assert ndr.lower == pytest.approx(Fraction(4, 10), rel=0.01)
    verdict = result.verdict_above("NDR", Rate.parse("90 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "limited by the tester at 40.201 % of line rate: the tester sent" in verdict.reason
    assert result.verdict_above("NDR", Rate.parse("30 %")).outcome is Outcome.PASS


def test_a_lower_bound_at_the_limit_of_the_tester_is_what_left() -> None:
    limit = Fraction(4, 10)
    result = found(SimulatedMeasurer(tester_limit=limit, late=True), highest="40.3 %")
    assert result.goal("NDR").lower == Fraction(403, 1000)
    assert result.rate("NDR") == pytest.approx(float(limit * LINE))
    assert result.verdict_above("NDR", Rate.parse("39.9 %")).outcome is Outcome.PASS
    assert result.verdict_above("NDR", Rate.parse("40.2 %")).outcome is Outcome.INCONCLUSIVE


def test_a_device_slower_than_the_tester_has_a_regular_result() -> None:
    result = found(SimulatedMeasurer(tester_limit=Fraction(4, 10), capacity=Fraction(3, 10)))
    assert [each.regular for each in result.found] == [True, True]
    assert result.verdict_above("NDR", Rate.parse("90 %")).outcome is Outcome.FAIL


def test_a_broken_tester_never_fails_the_device() -> None:
    result = found(SimulatedMeasurer(broken_trials=range(1, 1000)))
    assert {each.irregular for each in result.found} == {Irregular.DOUBT}
    assert result.verdict_above("PDR", Rate.parse("10 %")).outcome is Outcome.INCONCLUSIVE


starts = st.integers(20, 1100).map(lambda n: Fraction(n, 1000))
slopes = st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(10), Fraction(1000)])
losses = st.sampled_from(["0 %", "0.1 %", "0.5 %", "2 %", "10 %"])
widths = st.sampled_from(["0.5 %", "1 %", "5 %"]).map(Ratio.parse)
exceeds = st.sampled_from(["0 %", "20 %", "50 %", "75 %"]).map(Ratio.parse)
sums = st.sampled_from([1, 2, 5]).map(lambda n: Duration(n * SECOND))
initials = st.sampled_from([1, 4, 10]).map(lambda n: Duration(n * SECOND // 10))
goals = st.builds(
    lambda loss, width, exceed, total, initial: goal(
        "any", loss, width=width, exceed=exceed, duration_sum=total, initial_duration=initial
    ),
    losses,
    widths,
    exceeds,
    sums,
    initials,
)
several = st.lists(goals, min_size=1, max_size=3).map(
    lambda found: tuple(
        goal(
            str(number),
            str(each.loss),
            width=each.width,
            exceed=each.exceed,
            duration_sum=each.duration_sum,
            initial_duration=each.initial_duration,
        )
        for number, each in enumerate(found)
    )
)


@settings(deadline=None, max_examples=examples(60))
@example(  # led down to the lowest load, which passes: what lies above it is halved
    start=Fraction(1, 50),
    slope=Fraction(1, 100),
    goals=(goal("0", "0.1 %", width=Ratio.parse("0.5 %"), initial_duration=Duration(SECOND)),),
)
@given(start=starts, slope=slopes, goals=several)
def test_where_loss_rises_with_the_load_the_truth_lies_within_the_width(
    start: Fraction, slope: Fraction, goals: tuple[SearchGoal, ...]
) -> None:
    device = LossLaw(law=rising(start, slope))
    result = found(device, *goals)
    check_derivation(result)
    assert len(result.trials) <= most_trials(result)
    for each in result.found:
        allowed = each.goal.loss.value
        truth = start + allowed / slope  # the highest load that loses no more
        frame = Fraction(1) / (LINE / 10 / 100) / slope  # a trial loses whole frames only
        if truth >= 1:
            assert each.irregular is Irregular.HIGHEST or truth - frame < 1
        if each.irregular is Irregular.HIGHEST:
            assert (each.lower, truth >= 1) == (1, True)
        if each.regular:
            check_near(each, truth, frame)


def check_near(each: GoalResult, truth: Fraction, frame: Fraction) -> None:
    """The bounds hold the truth between them, and what is delivered there is as near as the width."""
    assert each.lower is not None
    assert each.upper is not None
    assert each.lower <= truth
    assert each.upper > truth - frame
    delivered = truth * (1 - each.goal.loss.value)
    assert abs(delivered - each.conditional_throughput) <= (
        each.goal.width.value * each.upper + each.goal.loss.value * truth + frame
    )


@settings(deadline=None, max_examples=examples(60))
@given(capacity=st.integers(20, 999).map(lambda n: Fraction(n, 1000)), width=widths, loss=losses)
def test_of_a_device_with_a_capacity_the_conditional_throughput_is_it_within_the_width(
    capacity: Fraction, width: Ratio, loss: str
) -> None:
    each = found(SimulatedMeasurer(capacity=capacity), goal("any", loss, width=width)).goal("any")
    if each.irregular is Irregular.HIGHEST:  # of line rate it loses no more than the goal allows
        assert (each.lower, each.conditional_throughput) == (1, pytest.approx(capacity, rel=1e-4))
        assert 1 - each.goal.loss.value <= capacity + 3 / LINE
        return
    assert each.regular
    assert each.upper is not None
    assert abs(each.conditional_throughput - capacity) <= width.value * each.upper + 3 / LINE


@settings(deadline=None, max_examples=examples(60))
@given(
    seed=st.integers(0, 10**6),
    goals=several,
    parts=st.sampled_from([(0, 5), (0, 3, 8, 200), (0, 0, 0, 900), (3, 30)]),
)
def test_whatever_the_law_of_loss_the_bounds_are_what_was_measured(
    seed: int, goals: tuple[SearchGoal, ...], parts: tuple[int, ...]
) -> None:
    law = erratic(seed, tuple(Fraction(part, 997) for part in parts))
    result = found(LossLaw(law=law), *goals)
    check_derivation(result)
    assert len(result.trials) <= most_trials(result)
    for each in result.found:
        if each.upper is not None:
            assert law(each.upper) > each.goal.loss.value
        if each.lower is not None:
            assert law(each.lower) <= each.goal.loss.value
        assert each.irregular is not Irregular.DOUBT


@settings(deadline=None, max_examples=examples(60))
@given(seed=st.integers(0, 10**6), goals=several, chance=st.integers(1, 9))
def test_a_device_that_changes_its_mind_ends_the_search_too(
    seed: int, goals: tuple[SearchGoal, ...], chance: int
) -> None:
    """A measurement for one goal may undo a result of another."""

    class Moody(SimulatedMeasurer):
        def _lost(self, frames: int) -> int:
            draw = erratic(seed, (Fraction(0),) * chance + (Fraction(1, 50),))
            return math.ceil(draw(Fraction(len(self.asked))) * frames)

    result = found(Moody(), *goals)
    check_derivation(result)
    assert len(result.trials) <= 2 * most_trials(result)


@settings(deadline=None, max_examples=20)
@given(start=starts, slope=slopes, goals=several)
def test_the_order_of_the_goals_changes_no_result(
    start: Fraction, slope: Fraction, goals: tuple[SearchGoal, ...]
) -> None:
    runs = [(order, found(LossLaw(law=rising(start, slope)), *order)) for order in permutations(goals)]
    _, first = runs[0]
    for order, result in runs:
        assert [each.goal for each in result.found] == list(order)
        assert result.trials == first.trials
        assert {each.goal.name: each for each in result.found} == {
            each.goal.name: each for each in first.found
        }


@settings(deadline=None, max_examples=examples(60))
@given(
    capacity=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)),
    bound=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)),
    limit=st.integers(1, 1000).map(lambda n: Fraction(n, 1000)),
    broken=st.sets(st.integers(1, 30)),
    loss=losses,
)
def test_a_verdict_never_contradicts_the_truth(
    capacity: Fraction, bound: Fraction, limit: Fraction, broken: set[int], loss: str
) -> None:
    device = SimulatedMeasurer(capacity=capacity, tester_limit=limit, broken_trials=broken)
    result = found(device, goal("any", loss))
    check_derivation(result)
    verdict = result.verdict_above("any", Rate.parse(f"{float(bound * 100):.1f} %"))
    hair = Fraction(40) / LINE  # a frame here and there decides over the last hair
    if verdict.outcome is Outcome.PASS:
        assert bound <= capacity + hair
    if verdict.outcome is Outcome.FAIL:
        assert bound > capacity - hair
        assert result.goal("any").regular


def test_texts() -> None:
    result = found(SimulatedMeasurer(capacity=Fraction(612, 1000)), NDR)
    ndr = result.goal("NDR")
    assert str(result) == (
        f"north, 64 bytes: NDR 61.2 % of line rate (bounds 61.2 % to {Ratio(ndr.upper or NOTHING.value)}), "
        f"910.714 kpps; {len(result.trials)} trials that sent for {result.sending}"
    )
    assert result.throughput_bps("NDR") == pytest.approx(910714 * 512, rel=1e-5)
    assert result.judged[-1].load == ndr.lower
    assert str(found(SimulatedMeasurer(capacity=Fraction(0)), NDR)).startswith(
        "north, 64 bytes: NDR below 1 % of line rate, IRREGULAR: the lowest load of the search, 1 % of line"
    )


def test_a_device_whose_counts_stay_open_is_not_called_a_limit_of_the_tester() -> None:
    class Loops(SimulatedMeasurer):
        def measure(self, load: Fraction, duration: Duration) -> Trial:
            trial = super().measure(load, duration)
            findings = ("frames kept arriving",) if load > Fraction(1, 2) else ()
            return replace(trial, findings=findings)

    ndr = found(Loops(), NDR).goal("NDR")
    assert (ndr.irregular, ndr.upper) == (Irregular.DOUBT, None)
    assert ndr.lower == pytest.approx(Fraction(1, 2), rel=0.01)
    assert ndr.reason.startswith("nothing is known of the device at 50.")
    assert ndr.reason.endswith("% of line rate: frames kept arriving")


@pytest.mark.parametrize("exceed", ["0 %", "50 %"])
def test_loss_that_was_always_measured_again_leaves_a_goal_open(exceed: str) -> None:
    """Each loss came while the tester paused: nobody knows whether the device had a part in it."""
    asked = replace(NDR, exceed=Ratio.parse(exceed), duration_sum=Duration(2 * SECOND))
    search = MultipleLossRatioSearch((asked,))
    result = find_goals(Repeated(SimulatedMeasurer()), search)
    (ndr,) = result.found
    assert (ndr.lower, ndr.upper, ndr.irregular) == (None, None, Irregular.DOUBT)
    assert re.fullmatch(
        "nothing is known of the device at 1 % of line rate: attempt 1 lost [0-9,]+ frames and does not "
        "count: 3 frames were lost",
        ndr.reason,
    )
    verdict = result.verdict_above("NDR", Rate.parse("5 %"))
    assert (verdict.outcome, verdict.measured) == (Outcome.INCONCLUSIVE, "not known")
    assert len(result.trials) <= 2 * most_trials(result)


def test_more_trials_outweigh_one_that_was_repeated_for_its_loss() -> None:
    """Half of a load's trials may be high-loss, and the first one at each load may have been."""
    asked = replace(NDR, exceed=Ratio.parse("50 %"), duration_sum=Duration(2 * SECOND))
    device = SimulatedMeasurer(capacity=Fraction(612, 1000))
    search = MultipleLossRatioSearch((asked,))
    result = find_goals(Repeated(device, lambda number: number == 1), search)
    (ndr,), (undisturbed,) = result.found, find_goals(device, search).found
    assert ndr.regular
    assert ndr.lower is not None
    assert undisturbed.lower == pytest.approx(ndr.lower, rel=0.01)
    check_derivation(result)
    assert len(result.trials) <= 2 * most_trials(result)
