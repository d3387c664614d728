# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Impairments of a path as numbers: thresholds, quantiles, seeds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import NormalDist

from ..model.heading import Heading
from ..model.impairment import DelayDistribution, Distribution, GilbertElliott, Impairment, PathDelay
from ..model.plan.planned_path import PlannedDelay, PlannedGilbertElliott, PlannedImpairment, PlannedRatio
from ..model.units.splitmix import splitmix64
from ..model.units.units import Ratio

_ALWAYS = (1 << 64) - 1
_CDF_STEPS = 16_384
_STEPS = 4096  # of a normal distribution; it ends where half a step is left on either side


def plan_impairment(impairment: Impairment, seed: int) -> Iterator[PlannedImpairment]:
    """The plan of an impairment, one for each of its directions, with random numbers of its own each."""
    for heading in impairment.directions:
        direction_seed = splitmix64(seed, 1 if heading is Heading.BACKWARD else 0)
        yield PlannedImpairment(
            heading,
            _loss(impairment.loss, splitmix64(direction_seed, 0)),
            impairment.shaping,
            None if impairment.delay is None else _delay(impairment.delay, splitmix64(direction_seed, 1)),
        )


def threshold(ratio: Ratio) -> int:
    """A probability of 2^64; 2^64 - 1 is always."""
    return min(_ALWAYS, int(ratio.value * (1 << 64)))


def _loss(loss: Ratio | GilbertElliott | None, seed: int) -> PlannedRatio | PlannedGilbertElliott | None:
    if isinstance(loss, Ratio):
        return PlannedRatio(seed, max(1, threshold(loss)))
    if loss is None:
        return None
    return PlannedGilbertElliott(
        seed,
        to_bad=threshold(loss.to_bad),
        to_good=threshold(loss.to_good),
        loss_in_good=threshold(loss.loss_in_good),
        loss_in_bad=threshold(loss.loss_in_bad),
    )


def _delay(delay: PathDelay, seed: int) -> PlannedDelay:
    return PlannedDelay(seed, tuple(_quantiles(delay)), delay.order, float(delay.correlation.value))


def _quantiles(delay: PathDelay) -> Iterator[int]:
    mean, jitter = delay.mean.ns, delay.jitter.ns
    if delay.cdf is not None:
        yield from _inverse(delay.cdf)
    elif not jitter:
        yield mean
    elif delay.distribution is Distribution.UNIFORM:
        yield from (mean - jitter, mean + jitter)
    else:
        law = NormalDist(mean, jitter)
        outermost = 1 / (2 * _STEPS)
        for step in range(_STEPS + 1):
            probability = min(max(step / _STEPS, outermost), 1 - outermost)
            yield max(0, round(law.inv_cdf(probability)))


def _inverse(cdf: DelayDistribution) -> Iterator[int]:
    """The delays at equal steps of probability; below its first point each is that of it."""
    points = iter(cdf.points)
    before = (cdf.points[0][0].ns, Fraction(0))
    (delay, probability) = next(points)
    after = (delay.ns, probability)
    for step in range(_CDF_STEPS + 1):
        wanted = Fraction(step, _CDF_STEPS)
        while after[1] < wanted:
            before = after
            delay, probability = next(points)
            after = (delay.ns, probability)
        part = (wanted - before[1]) / (after[1] - before[1]) if after[1] > before[1] else 0
        yield round(before[0] + (after[0] - before[0]) * part)
