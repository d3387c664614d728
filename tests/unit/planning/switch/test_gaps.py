# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Random gaps of a switch: the mean of their law, most of its variance, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil
from random import Random as Dice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.plan.random_law import Exponential, OnOff, Quantiles, RandomTimes
from TesterLibrary.planning.switch.gaps import DrawnGaps, gap_quantiles
from TesterLibrary.planning.switch.meter import LoopMeter, TofinoMeter
from TesterLibrary.planning.switch.resources import GAP_QUANTILES
from TesterLibrary.planning.switch.staging import draw

LINE = Fraction(148_809_523)
LOOP = LoopMeter(TofinoMeter(), LINE)


def uniform(mean_ns: float, spread: float) -> Quantiles:
    return Quantiles((0.0, 1.0), (mean_ns * (1 - spread), mean_ns * (1 + spread)))


means = st.floats(10, 2e8)
laws = st.one_of(
    st.builds(Exponential, means),
    st.builds(uniform, means, st.floats(0, 1)),
    st.builds(
        lambda at, part, gaps: Quantiles((0.0, part, at, 1.0), tuple(sorted(gaps))),
        st.floats(0.5, 0.9),
        st.floats(0.1, 0.5),
        st.lists(means, min_size=4, max_size=4),
    ),
)


@given(laws)
def test_the_mean_is_that_of_the_law(law: RandomTimes) -> None:
    gaps = gap_quantiles(law)
    assert len(gaps) == GAP_QUANTILES
    assert abs(DrawnGaps(gaps).rate / law.rate - 1) < Fraction(1, 10**4)


@given(means)
def test_each_gap_is_the_mean_of_its_part_of_the_law(mean_ns: float) -> None:
    """So the parts between two powers of 1/2 of an exponential law have the means that are known of it."""
    gaps = gap_quantiles(Exponential(mean_ns))
    half = sum(gaps[GAP_QUANTILES // 2 :]) / (GAP_QUANTILES // 2)
    assert half == pytest.approx(mean_ns * (1 + 0.6931471805599453), abs=0.01)
    assert min(gaps) >= 0


@pytest.mark.parametrize(
    ("law", "problem"),
    [
        (OnOff(Fraction(1, 1000), 1e6, 1e6), "on-off is more than a law of gaps"),
        (Exponential(3e8), r"gaps of 2.38 s; those of a switch are below 2.15 s"),
        (
            Quantiles((0.0, 0.9999, 1.0), (0.0, 1000.0, 1e8)),
            "1,024 quantiles, as many as a switch draws from",
        ),
    ],
)
def test_what_quantiles_cannot_be_is_refused(law: RandomTimes, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        gap_quantiles(law)


def times(gaps: DrawnGaps, frames: int, dice: Dice) -> list[int]:
    return list(accumulate(dice.choices(gaps.gaps_ns, k=frames), initial=0))


@pytest.mark.parametrize("load", [Fraction(1, 64), Fraction(1, 3), Fraction(9, 10)])
def test_no_frame_is_later_than_is_said(load: Fraction) -> None:
    gaps = DrawnGaps(gap_quantiles(Exponential(1000.0)))
    round_ns, turn, latest = load / gaps.rate, 0, Fraction(0)
    for due in times(gaps, 20_000, Dice(1)):
        turn = max(turn + 1, ceil(due / round_ns))
        latest = max(latest, turn * round_ns - due)
    said = gaps.lateness_ns(round_ns)
    assert round_ns < latest <= said
    assert said < 8 * latest + 30 * round_ns


def test_chance_is_within_the_spread_and_an_error_of_the_rate_is_not() -> None:
    gaps = DrawnGaps(gap_quantiles(Exponential(1000.0)))
    expected = 10_000
    for seed in range(20):
        sent = sum(time <= 10_000_000 for time in times(gaps, 12_000, Dice(seed)))
        assert abs(sent - expected) <= gaps.spread(expected)
    assert gaps.spread(expected) < expected // 10
    assert gaps.spread(10**8) < 10**8 // 1000


def test_the_loop_has_64_rounds_in_a_gap_or_all_that_there_are() -> None:
    gaps = DrawnGaps(gap_quantiles(Exponential(10_000.0)))
    slow = draw(gaps, LOOP, line=LINE, port=LINE, up_to=Fraction(0))
    assert 1 <= slow.meter_rate / (64 * slow.rate) < Fraction(257, 256)
    assert slow.rate == gaps.rate * 10**9
    fast = draw(DrawnGaps(gap_quantiles(Exponential(10.0))), LOOP, line=LINE, port=LINE, up_to=Fraction(0))
    assert fast.meter_rate == LINE
    with pytest.raises(PlanError, match="makes up for late ones up to"):
        draw(DrawnGaps(gap_quantiles(Exponential(7.0))), LOOP, line=LINE, port=LINE, up_to=Fraction(0))


def test_a_slower_port_makes_frames_later_and_takes_fewer() -> None:
    gaps = DrawnGaps(gap_quantiles(Exponential(100.0)))
    fast, slow = (draw(gaps, LOOP, line=LINE, port=port, up_to=Fraction(0)) for port in (LINE, LINE / 10))
    assert fast.meter_rate == slow.meter_rate
    turn, latest, each_ns = Fraction(0), Fraction(0), 10**9 / (LINE / 10)
    for due in times(gaps, 20_000, Dice(2)):
        turn = max(turn, Fraction(due)) + each_ns
        latest = max(latest, turn - each_ns - due)
    assert fast.lateness_ns < latest < slow.lateness_ns
    with pytest.raises(PlanError, match=r"its port carries 7\.44047\d* Mpps of its frames"):
        draw(gaps, LOOP, line=LINE, port=LINE / 20, up_to=Fraction(0))
