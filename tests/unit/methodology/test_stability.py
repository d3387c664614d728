# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, log2, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.back_to_back import find_maximum_burst
from TesterLibrary.methodology.mlrsearch.controller import find_goals
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.result import Irregular, MultipleLossRatioResult
from TesterLibrary.methodology.mlrsearch.search import MultipleLossRatioSearch
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputSearch, find_throughput
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome

from ...examples import examples
from .bursts import Bursts
from .mlrsearch.laws import LossLaw, rising
from .simulated import SimulatedMeasurer

SECOND, SCOUT = Duration(10**9), Duration(10**8)
LOW = Ratio.parse("5 %")
SEARCH = ThroughputSearch(trial_duration=SECOND, scout_duration=SCOUT, stability=LOW)


def test_a_device_that_loses_at_any_load_is_unstable() -> None:
    device = SimulatedMeasurer(random_loss=0.01)
    result = find_throughput(device, SEARCH)
    assert (result.limited_by, result.unstable, result.load) == (LimitedBy.UNSTABLE, True, None)
    assert device.asked == [(LOW.value, SCOUT), (LOW.value, SCOUT), (1, SCOUT), (1, SECOND)]
    lost, more = result.trials[1].lost, f"{result.trials[3].lost:,}"
    assert str(result) == (
        f"north, 64 bytes: unstable: lost {lost} of 7,441 frames at 5 % of line rate and {more} of "
        "1,488,096 at 100 %, 4 trials"
    )
    verdict = result.verdict_above(Rate.parse("1 %"))
    assert str(verdict) == (
        "INCONCLUSIVE: throughput of north, 64 bytes is not known, required >= 1 % "
        f"(unstable: lost {lost} of 7,441 frames at 5 % of line rate and {more} of 1,488,096 at 100 %; "
        "loss by too high a load grows faster)"
    )


@dataclass
class Delaying(SimulatedMeasurer):
    """Each 100th frame comes so late that only trials that wait for it count it."""

    def _lost(self, frames: int) -> int:
        load, duration = self.asked[-1]
        return frames // 100 if SEARCH.leads(load, duration) else 0


@pytest.mark.parametrize("capacity", [Fraction(1), Fraction(7, 10)])
def test_scouts_that_do_not_wait_for_frames_on_their_way_do_not_accuse_a_device(capacity: Fraction) -> None:
    device = Delaying(capacity)
    result = find_throughput(device, SEARCH)
    assert (result.load, result.unstable) == (capacity, False)
    scouts = [load for load, time in device.asked if time == SCOUT]
    assert scouts[-1] <= Fraction(1, 2)  # where they suspected it, and ended
    assert len(device.asked) <= len(scouts) + 5


def test_a_stable_device_costs_one_trial_more() -> None:
    device = SimulatedMeasurer(Fraction(612, 1000))
    found, without = find_throughput(device, SEARCH), SimulatedMeasurer(Fraction(612, 1000))
    plain = find_throughput(without, replace(SEARCH, stability=Ratio(Fraction(0))))
    assert (found.load, found.limited_by) == (plain.load, plain.limited_by)
    assert device.asked == [(LOW.value, SCOUT), *without.asked]


def test_a_slow_device_is_not_unstable() -> None:
    result = find_throughput(SimulatedMeasurer(Fraction(3, 100)), SEARCH)
    assert (result.load, result.limited_by) == (Fraction(3, 100), LimitedBy.DEVICE)
    assert result.verdict_above(Rate.parse("4 %")).outcome is Outcome.FAIL


def test_a_device_that_forwards_nothing_fails_as_before() -> None:
    result = find_throughput(SimulatedMeasurer(Fraction(0), collapse=Fraction(0)), SEARCH)
    assert (result.load, result.limited_by) == (None, LimitedBy.DEVICE)
    assert result.verdict_above(Rate.parse("1 %")).outcome is Outcome.FAIL


@dataclass
class TwoPorts:
    """Each of two ports of a device gets the load, and has a capacity of its own."""

    first: SimulatedMeasurer
    second: SimulatedMeasurer

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        first, second = (port.measure(load, duration) for port in (self.first, self.second))
        (stream,) = second.streams
        counters = replace(stream.counters, id=2)
        other = replace(stream, name="south", rx_port="p3", counters=counters)
        return replace(first, streams=(*first.streams, other))


def test_a_port_that_forwards_more_does_not_make_a_full_one_unstable() -> None:
    device = TwoPorts(SimulatedMeasurer(Fraction(24, 100)), SimulatedMeasurer())
    result = find_throughput(device, SEARCH)
    assert (result.load, result.limited_by) == (Fraction(24, 100), LimitedBy.DEVICE)
    lossy = TwoPorts(SimulatedMeasurer(random_loss=0.01), SimulatedMeasurer())
    assert find_throughput(lossy, SEARCH).unstable


@pytest.mark.parametrize("cold", [1, 2])
def test_a_device_that_loses_only_after_a_pause_is_unstable(cold: int) -> None:
    """The check lost frames, and a higher load passed when the device was warm."""
    device = SimulatedMeasurer(Fraction(6, 100), cold_trials=cold, cold_frames=5)
    result = find_throughput(device, SEARCH)
    assert result.limited_by is LimitedBy.UNSTABLE
    verdict = result.verdict_above(Rate.parse("5 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == (
        "unstable: lost 5 of 7,441 frames at 5 % of line rate and 0 of 89,286 at 6 %; "
        "loss by too high a load grows faster"
    )


def test_a_slow_device_that_loses_at_the_check_is_stable() -> None:
    """Its higher loads fail, too: what the check lost says no more than these."""
    device = SimulatedMeasurer(Fraction(4, 100), cold_trials=1)
    result = find_throughput(device, SEARCH)
    assert (result.load, result.limited_by) == (Fraction(4, 100), LimitedBy.DEVICE)
    assert result.verdict_above(Rate.parse("5 %")).outcome is Outcome.FAIL


def test_loss_that_is_allowed_is_not_unstable() -> None:
    result = find_throughput(SimulatedMeasurer(random_loss=0.01), replace(SEARCH, loss=Ratio.parse("3 %")))
    assert result.limited_by is LimitedBy.LINE


def test_the_check_stays_within_the_loads_of_the_search() -> None:
    for lowest, highest, load in (("10 %", "100 %", "10 %"), ("0.1 %", "2 %", "2 %")):
        device = SimulatedMeasurer()
        find_throughput(device, replace(SEARCH, lowest=Ratio.parse(lowest), highest=Ratio.parse(highest)))
        assert device.asked[0][0] == Ratio.parse(load).value


def test_a_tester_that_falls_short_shows_nothing() -> None:
    device = SimulatedMeasurer(random_loss=0.01, broken_trials=range(1, 1000))
    assert find_throughput(device, SEARCH).limited_by is LimitedBy.TESTER


@settings(deadline=None, max_examples=examples(200))
@given(
    capacity=st.integers(0, 1200).map(lambda n: Fraction(n, 1000)),
    bucket=st.sampled_from([0, 10, 1000, 100_000]),
    collapse=st.sampled_from([Fraction(1), Fraction(98, 100), Fraction(1, 2), Fraction(0)]),
    limit=st.sampled_from([Fraction(2), Fraction(2), Fraction(7, 10), Fraction(1, 50)]),
    resolution=st.sampled_from(["0.1 %", "0.5 %", "5 %"]).map(Ratio.parse),
    lowest=st.sampled_from(["0.1 %", "1 %", "30 %"]).map(Ratio.parse),
    scout=st.sampled_from([SCOUT, SECOND]),
)
def test_loss_from_load_is_never_taken_for_instability(
    capacity: Fraction,
    bucket: int,
    collapse: Fraction,
    limit: Fraction,
    resolution: Ratio,
    lowest: Ratio,
    scout: Duration,
) -> None:
    device = SimulatedMeasurer(capacity, bucket, collapse, tester_limit=limit)
    search = replace(SEARCH, resolution=resolution, lowest=lowest, scout_duration=scout)
    result = find_throughput(device, search)
    assert not result.unstable
    # Trials of full length, with that of the check: no more than log2(range / resolution) + 3.
    most = floor(log2(search.steps) + 3)
    full = sum(time == SECOND for _, time in device.asked) + (scout != SECOND)
    assert full <= most + (capacity < search.low_load and scout == SECOND)
    if collapse == 1 and limit > 1 and bucket <= 10 and capacity >= search.low_load:
        assert len(device.asked) <= most


@settings(deadline=None, max_examples=examples(100))
@given(
    start=st.integers(0, 900).map(lambda n: Fraction(n, 1000)),
    slope=st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(5)]),
)
def test_loss_that_rises_with_the_load_is_no_instability(start: Fraction, slope: Fraction) -> None:
    assert not find_throughput(LossLaw(law=rising(start, slope)), SEARCH).unstable


def _least(count: float) -> float:
    return count - 4 * sqrt(count)


def _most(count: float) -> float:
    return count + 4 * sqrt(count)


@settings(deadline=None, max_examples=examples(100))
@given(chance=st.floats(0.005, 0.9), seed=st.integers(0, 1000), capacity=st.integers(200, 1100))
def test_random_loss_is_found_at_once(chance: float, seed: int, capacity: int) -> None:
    device = SimulatedMeasurer(Fraction(capacity, 1000), random_loss=chance, seed=seed)
    result = find_throughput(device, SEARCH)
    # Of the frames of a scout at 5 %: what the load at 100 % would explain, and what is lost at random.
    expected = 7441 * max(0, 1 - capacity / 1000 * (1 - chance)) / 20
    if capacity / 1000 * (1 - chance) > 0.1 and _least(7441 * chance) > _most(_most(expected)):
        assert result.unstable
        assert len(result.trials) <= 4
    assert result.verdict_above(Rate.parse("50 %")).outcome is not Outcome.PASS


def goal(name: str, loss: str, *, initial: Duration = SCOUT) -> SearchGoal:
    return SearchGoal(
        name,
        Ratio.parse(loss),
        initial_duration=initial,
        final_duration=SECOND,
        duration_sum=SECOND,
        width=Ratio.parse("1 %"),
    )


def test_a_goal_that_no_load_meets_is_irregular_and_the_others_are_found() -> None:
    device = SimulatedMeasurer(Fraction(6, 10), random_loss=0.01)
    search = MultipleLossRatioSearch((goal("NDR", "0 %"), goal("PDR", "3 %")), stability=LOW)
    result = find_goals(device, search)
    ndr, pdr = result.found
    assert (ndr.irregular, ndr.lower, pdr.irregular) == (Irregular.UNSTABLE, None, None)
    assert ndr.reason.startswith("lost ")
    assert "frames at 5 % of line rate and " in ndr.reason
    verdict = result.verdict_above("NDR", Rate.parse("1 %"))
    assert (verdict.outcome, verdict.measured) == (Outcome.INCONCLUSIVE, "not known")
    assert verdict.reason == f"irregular result: unstable: {ndr.reason}; loss by too high a load grows faster"
    assert result.verdict_above("PDR", Rate.parse("58 %")).outcome is Outcome.PASS
    assert MultipleLossRatioResult.derived(search, result.trials) == result
    # At line rate it loses 41 %; only at what it forwarded there does the loss at 5 % stand out.
    alone = SimulatedMeasurer(Fraction(6, 10), random_loss=0.01)
    assert len(find_goals(alone, replace(search, goals=search.goals[:1])).trials) <= 4


def strict(loss: str) -> SearchGoal:
    """A goal none of whose trials may lose more."""
    return replace(goal("NDR", loss), exceed=Ratio(Fraction(0)))


@pytest.mark.parametrize(("exceed", "cold"), [("0 %", 1), ("0 %", 2), ("20 %", 1), ("20 %", 2), ("50 %", 2)])
def test_a_goal_of_a_device_that_loses_only_after_a_pause_is_irregular(exceed: str, cold: int) -> None:
    """The first trials lost frames, and a higher load passed when the device was warm."""
    device = SimulatedMeasurer(Fraction(6, 10), cold_trials=cold, cold_frames=5)
    asked = goal("NDR", "0 %", initial=SECOND if exceed == "20 %" else SCOUT)
    search = MultipleLossRatioSearch((replace(asked, exceed=Ratio.parse(exceed)),), stability=LOW)
    result = find_goals(device, search)
    ndr = result.goal("NDR")
    assert ndr.irregular is Irregular.UNSTABLE
    assert re.fullmatch(
        r"lost 5 of [0-9,]+ frames at 5 % of line rate and 0 of [0-9,]+ at [0-9.]+ %", ndr.reason
    )
    for bound in ("3 %", "50 %"):
        verdict = result.verdict_above("NDR", Rate.parse(bound))
        assert verdict.outcome is Outcome.INCONCLUSIVE, verdict
        assert ndr.reason in str(verdict)
    assert MultipleLossRatioResult.derived(search, result.trials) == result


def test_a_goal_that_allows_the_loss_after_a_pause_is_found() -> None:
    device = SimulatedMeasurer(Fraction(6, 10), cold_trials=2, cold_frames=5)
    result = find_goals(device, MultipleLossRatioSearch((strict("1 %"),), stability=LOW))
    assert result.goal("NDR").regular
    assert len(result.trials) > 2
    one_of_two = SimulatedMeasurer(Fraction(6, 10), cold_trials=1, cold_frames=5)
    assert (
        find_goals(one_of_two, MultipleLossRatioSearch((goal("NDR", "0 %"),), stability=LOW))
        .goal("NDR")
        .regular
    )


@settings(deadline=None, max_examples=examples(100))
@given(
    capacity=st.integers(20, 1200).map(lambda n: Fraction(n, 1000)),
    bucket=st.sampled_from([0, 10, 1000, 100_000]),
    collapse=st.sampled_from([Fraction(1), Fraction(98, 100), Fraction(1, 2), Fraction(0)]),
    exceed=st.sampled_from(["0 %", "50 %"]).map(Ratio.parse),
    allowed=st.sampled_from(["0 %", "0.5 %"]),
)
def test_goals_of_a_device_with_a_limit_are_not_taken_for_unstable(
    capacity: Fraction, bucket: int, collapse: Fraction, exceed: Ratio, allowed: str
) -> None:
    goals = (replace(goal("NDR", "0 %"), exceed=exceed), replace(goal("PDR", allowed), exceed=exceed))
    result = find_goals(
        SimulatedMeasurer(capacity, bucket, collapse), MultipleLossRatioSearch(goals, stability=LOW)
    )
    assert all(each.irregular is not Irregular.UNSTABLE for each in result.found)


def test_goals_of_a_stable_device_cost_one_trial_more() -> None:
    search = MultipleLossRatioSearch((goal("NDR", "0 %"),))
    plain = find_goals(SimulatedMeasurer(Fraction(6, 10)), search)
    checked = find_goals(SimulatedMeasurer(Fraction(6, 10)), replace(search, stability=LOW))
    assert checked.found == plain.found
    assert len(checked.trials) == len(plain.trials) + 1


def test_no_burst_of_an_unstable_device_is_searched() -> None:
    found = find_throughput(SimulatedMeasurer(random_loss=0.01), SEARCH)
    with pytest.raises(Inconclusive, match="that loses at any load is not known: north, 64 bytes: unstable"):
        find_maximum_burst(Bursts(), found)


def test_a_load_beyond_the_line_is_refused() -> None:
    device = SimulatedMeasurer()
    with pytest.raises(PlanError, match="the load of the stability check must be at most 100 %"):
        find_throughput(device, replace(SEARCH, stability=Ratio(Fraction(2))))
    assert device.asked == []
