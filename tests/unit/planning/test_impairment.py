# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from fractions import Fraction
from statistics import mean, pstdev

from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import (
    DelayDistribution,
    Distribution,
    GilbertElliott,
    Impairment,
    PathDelay,
)
from TesterLibrary.model.plan.planned_path import PlannedGilbertElliott, PlannedImpairment, PlannedRatio
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.planning.impairment import plan_impairment

PART = Ratio.parse("25 %")
MS = 10**6


def delays(distribution: Distribution, mean_ns: int, jitter_ns: int) -> tuple[int, ...]:
    delay = PathDelay(mean=Duration(mean_ns), jitter=Duration(jitter_ns), distribution=distribution)
    (planned,) = plan_impairment(Impairment(delay=delay, heading=Heading.FORWARD), 1)
    assert planned.delay is not None
    return planned.delay.quantiles_ns


def test_each_direction_has_random_numbers_of_its_own() -> None:
    there, back = plan_impairment(Impairment(loss=PART), 7)
    assert (there.heading, back.heading) == (Heading.FORWARD, Heading.BACKWARD)
    assert isinstance(there.loss, PlannedRatio)
    assert isinstance(back.loss, PlannedRatio)
    assert there.loss.threshold == back.loss.threshold == 1 << 62
    assert there.loss.seed != back.loss.seed
    only: list[PlannedImpairment] = list(plan_impairment(Impairment(loss=PART, heading=Heading.BACKWARD), 7))
    assert only == [back], "a direction alone is impaired as it is beside the other one"


def test_a_probability_of_one_is_always() -> None:
    all_of_it, nothing = Ratio.parse("100 %"), Ratio.parse("0")
    bursts = GilbertElliott(to_bad=PART, to_good=all_of_it, loss_in_bad=all_of_it, loss_in_good=nothing)
    (planned, _) = plan_impairment(Impairment(loss=bursts), 7)
    assert isinstance(planned.loss, PlannedGilbertElliott)
    assert (planned.loss.to_bad, planned.loss.to_good) == (1 << 62, (1 << 64) - 1)
    assert (planned.loss.loss_in_bad, planned.loss.loss_in_good) == ((1 << 64) - 1, 0)


def test_delays_have_their_distribution() -> None:
    assert delays(Distribution.NORMAL, 10 * MS, 0) == (10 * MS,)
    assert delays(Distribution.UNIFORM, 10 * MS, 2 * MS) == (8 * MS, 12 * MS)
    normal = delays(Distribution.NORMAL, 10 * MS, MS)
    assert list(normal) == sorted(normal)
    assert abs(mean(normal) - 10 * MS) < MS / 1000
    assert abs(pstdev(normal) - MS) < MS / 100
    assert normal[len(normal) // 2] == 10 * MS


def test_a_cdf_is_a_line_from_point_to_point() -> None:
    points = (
        (2 * MS, Fraction(1, 4)),
        (4 * MS, Fraction(1, 2)),
        (8 * MS, Fraction(1, 2)),
        (9 * MS, Fraction(1)),
    )
    cdf = DelayDistribution(tuple((Duration(ns), part) for ns, part in points))
    (planned, _) = plan_impairment(Impairment(delay=PathDelay(cdf=cdf, correlation=PART)), 1)
    assert planned.delay is not None
    assert planned.delay.correlation == 0.25
    found = planned.delay.quantiles_ns
    assert list(found) == sorted(found)
    last = len(found) - 1
    assert [found[last * part // 8] for part in (0, 1, 2, 3, 4, 6, 8)] == [
        2 * MS,
        2 * MS,
        2 * MS,
        3 * MS,
        4 * MS,
        8_500_000,
        9 * MS,
    ]
    assert found[last // 2 + 1] > 8 * MS


def test_no_delay_is_below_zero() -> None:
    normal = delays(Distribution.NORMAL, MS, MS)
    assert normal[0] == 0
    assert sum(delay == 0 for delay in normal) > len(normal) // 10
