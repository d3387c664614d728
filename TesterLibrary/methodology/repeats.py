# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How far repetitions of a search agree: mean, interval of confidence, coefficient of variation.

The interval is that of Student's t for the mean of values that are independent, alike and nearly normal. Each
search knows its value only up to its resolution, so the interval begins with the mean of the loads that
passed and ends with the mean of those that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist, stdev

CONFIDENCE = 0.95
# Quantiles of Student's t at 97.5 %, for 1 to 30 degrees of freedom
_STUDENT = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
    *(2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423),
)


def student(freedom: int) -> float:
    """The quantile of Student's t at 97.5 % for so many degrees of freedom, at least 1."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    normal = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    first, second = normal**3 + normal, 5 * normal**5 + 16 * normal**3 + 3 * normal
    return normal + first / (4 * freedom) + second / (96 * freedom**2)


@dataclass(frozen=True)
class Agreement:
    """Statistics over values, of each of which a lower and an upper bound is known."""

    mean: Fraction  # of the lower bounds
    deviation: float  # standard deviation of the lower bounds
    least: Fraction  # interval of confidence of the mean, 95 %
    most: Fraction | None  # None where a value has no upper bound

    @classmethod
    def of(cls, values: Sequence[tuple[Fraction, Fraction | None]]) -> Agreement:
        """The statistics of two values or more."""
        lows = [low for low, _ in values]
        highs = [high for _, high in values if high is not None]
        mean, deviation = Fraction(sum(lows), len(lows)), stdev(lows)
        most = Fraction(sum(highs), len(highs)) + _half(highs) if len(highs) == len(values) else None
        return cls(mean, float(deviation), max(Fraction(0), mean - _half(lows)), most)

    @property
    def variation(self) -> float:
        """The coefficient of variation: standard deviation over mean; 0 where all are 0."""
        return self.deviation / float(self.mean) if self.mean else 0.0


def _half(values: Sequence[Fraction]) -> Fraction:
    """Half of the width of the interval of confidence of their mean; exactly 0 where all are alike."""
    return Fraction(student(len(values) - 1) / sqrt(len(values)) * float(stdev(values)))
