# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The example of RFC 9971, appendix C: four goals, trials at one load, and what the load is at six points.

The example calls the load a lower bound for its fourth goal at the last two points, where it
computes exceed ratios of 42.857 % and 27.273 %. By appendix A, and by its own words, more
than the goal's 20 % is an upper bound.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.methodology.mlrsearch.load_class import LoadClass, LoadStats, classify, conditional_loss
from TesterLibrary.model.units.units import Duration, Ratio
from tests.counted import stream_counters

from ..measured import trial as measured
from .laws import repeated

SECOND = 10**9
UNDECIDED, LOWER, UPPER = LoadClass.UNDECIDED, LoadClass.LOWER_BOUND, LoadClass.UPPER_BOUND


def goal(name: str, final: int, duration_sum: int, loss: str, exceed: str) -> SearchGoal:
    short = Duration(SECOND)
    lengths = (short, Duration(final * SECOND), Duration(duration_sum * SECOND))
    return SearchGoal(name, Ratio.parse(loss), Ratio.parse(exceed), *lengths)


RFC2544 = goal("RFC2544", 60, 60, "0 %", "0 %")
TST009 = goal("TST009", 60, 120, "0 %", "50 %")
ONE_SECOND = goal("1s final", 1, 120, "0.5 %", "50 %")
EXCEED_20 = goal("20% exceed", 60, 60, "0.5 %", "20 %")
GOALS = (RFC2544, TST009, ONE_SECOND, EXCEED_20)


def trials(count: int, seconds: int, per_mille: int) -> list[Trial]:
    """So many trials in which so many of 1,000 frames were lost."""
    counters = stream_counters(id=1, tx_packets=1000, rx_packets=1000 - per_mille)
    return [replace(measured(counters), duration_ns=seconds * SECOND)] * count


GOOD, BAD = trials(60, 1, 0), trials(60, 1, 10)
POINTS = {
    "first short good": (GOOD[:59], (UNDECIDED, UNDECIDED, UNDECIDED, UNDECIDED)),
    "first short bad": (GOOD[:59] + BAD[:1], (UPPER, UNDECIDED, UNDECIDED, UNDECIDED)),
    "last short bad": (GOOD[:59] + BAD, (UPPER, UNDECIDED, UNDECIDED, UPPER)),
    "last short good": (GOOD + BAD, (UPPER, UNDECIDED, LOWER, UPPER)),
    "first long bad": (GOOD + BAD + trials(1, 60, 1), (UPPER, UNDECIDED, LOWER, UPPER)),
    "first long good": (GOOD + BAD + trials(1, 60, 1) + trials(1, 60, 0), (UPPER, LOWER, LOWER, UPPER)),
}


@pytest.mark.parametrize("point", POINTS)
def test_the_example_of_the_rfc(point: str) -> None:
    found, classes = POINTS[point]
    assert tuple(classify(goal, found) for goal in GOALS) == classes


def test_the_conditional_throughput_of_the_example() -> None:
    found, _ = POINTS["first long good"]
    losses = [conditional_loss(goal, found) for goal in (TST009, ONE_SECOND, EXCEED_20)]
    assert losses == [0, 0, Fraction(1, 1000)]


def test_a_load_without_trials_is_undecided() -> None:
    assert [classify(goal, ()) for goal in GOALS] == [UNDECIDED] * 4
    assert conditional_loss(RFC2544, ()) == 1


stats = st.builds(LoadStats, *[st.integers(0, 300).map(lambda n: n * SECOND)] * 4)
ratios = st.integers(0, 99).map(lambda n: Ratio(Fraction(n, 100)))


@given(stats=stats, exceed=ratios, duration_sum=st.integers(1, 200))
def test_enough_full_length_trials_decide(stats: LoadStats, exceed: Ratio, duration_sum: int) -> None:
    """So a search ends: at one load it never needs more than the duration sum in trials of full length."""
    asked = replace(TST009, exceed=exceed, duration_sum=Duration(duration_sum * SECOND))
    if stats.full_low_ns + stats.full_high_ns >= asked.duration_sum.ns:
        assert stats.classify(asked) is not UNDECIDED


@given(
    found=st.lists(st.tuples(st.sampled_from([1, 60]), st.sampled_from(["low", "high", "open"])), max_size=8),
    exceed=ratios,
    duration_sum=st.integers(60, 200),
)
def test_a_trial_that_was_repeated_for_its_loss_decides_nothing(
    found: list[tuple[int, str]], exceed: Ratio, duration_sum: int
) -> None:
    """It may be high-loss: the class holds whatever each such trial was."""
    asked = replace(EXCEED_20, exceed=exceed, duration_sum=Duration(duration_sum * SECOND))
    low, high = ({s: trials(1, s, lost)[0] for s in (1, 60)} for lost in (0, 10))

    def told(as_what: str) -> LoadClass:
        kinds = [(seconds, as_what if kind == "open" else kind) for seconds, kind in found]
        return classify(asked, [(low if kind == "low" else high)[seconds] for seconds, kind in kinds])

    given_trials = [
        repeated(low[seconds]) if kind == "open" else (low if kind == "low" else high)[seconds]
        for seconds, kind in found
    ]
    as_low, as_high = told("low"), told("high")
    assert classify(asked, given_trials) is (as_low if as_low is as_high else UNDECIDED)
    if as_low is as_high is LOWER:
        assert conditional_loss(asked, given_trials) <= asked.loss.value


@given(stats=stats, exceed=ratios, duration_sum=st.integers(1, 200))
def test_it_is_what_the_pseudocode_of_the_rfc_computes(
    stats: LoadStats, exceed: Ratio, duration_sum: int
) -> None:
    asked = replace(TST009, exceed=exceed, duration_sum=Duration(duration_sum * SECOND))
    full_length_low_loss_s = Fraction(stats.full_low_ns, SECOND)
    full_length_high_loss_s = Fraction(stats.full_high_ns, SECOND)
    excess_s = Fraction(stats.short_high_ns, SECOND) - Fraction(stats.short_low_ns, SECOND) * (
        exceed.value / (1 - exceed.value)
    )
    missing_s = max(
        Fraction(0), duration_sum - full_length_low_loss_s - full_length_high_loss_s - max(0, excess_s)
    )
    high_s = full_length_high_loss_s + max(0, excess_s)
    whole_s = full_length_low_loss_s + high_s + missing_s
    optimistic, pessimistic = high_s / whole_s, (high_s + missing_s) / whole_s
    expected = UPPER if optimistic > exceed.value else LOWER if pessimistic <= exceed.value else UNDECIDED
    assert stats.classify(asked) is expected


@given(
    durations=st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=12),
    exceed=ratios,
    duration_sum=st.integers(60, 200),
)
def test_at_a_lower_bound_the_loss_is_that_of_a_low_loss_trial(
    durations: list[tuple[int, int]], exceed: Ratio, duration_sum: int
) -> None:
    asked = replace(EXCEED_20, exceed=exceed, duration_sum=Duration(duration_sum * SECOND))
    found = [trial for seconds, lost in durations for trial in trials(1, seconds, lost)]
    if classify(asked, found) is LOWER:
        assert conditional_loss(asked, found) <= asked.loss.value
