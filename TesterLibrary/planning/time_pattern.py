# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Divides a rate that changes with time into short stretches of constant rate.

The integral of the rate is rounded, not each stretch, so errors do not add up: at the end of each stretch the
number of frames that were due is the rounded integral. Within a stretch the curve adds an error of at most an
eighth of a frame. If one period has no whole number of frames, the profile has as many periods as it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, pi, sin, sqrt

from ..errors import PlanError
from ..model.departures import Shape, TimePattern
from ..model.plan.law import Profile, Stretch

_MOST_STRETCHES = 1 << 16  # the limit of plan.proto
_MOST_OF_A_PERIOD = 1 << 13

# The integral of the level, 0 to 1, from the start of the period to a part of it.
Area = Callable[[Fraction], Fraction]


def profile(pattern: TimePattern, low: Fraction, high: Fraction) -> Profile:
    """The profile of a pattern between two rates in frames each nanosecond.

    Raises:
        PlanError: not one frame would leave in a period of a pattern that does not repeat.
    """
    period, swing = pattern.period.ns, high - low
    area = _sine_area if pattern.shape is Shape.SINE else _area_below(pattern.corners)
    times = sorted({round(part * period) for part in _boundaries(pattern, swing * period)})
    frames = [low * time + swing * period * area(Fraction(time, period)) for time in times]
    repeat = pattern.shape not in (Shape.RAMP, Shape.STEP)
    most = _MOST_STRETCHES // (len(times) - 1)
    rounds = frames[-1].limit_denominator(most).denominator if repeat else 1
    stretches = [
        Stretch(end - begin, round(number * frames[-1] + after) - round(number * frames[-1] + before))
        for number in range(rounds)
        for (begin, before), (end, after) in pairwise(zip(times, frames, strict=True))
    ]
    if not any(stretch.packets for stretch in stretches):
        raise PlanError(
            f"period: in {pattern.period} the {pattern.shape.value} has not one whole frame; "
            "give a longer one or higher rates"
        )
    return Profile(tuple(stretches), repeat, pattern.shape.value)


def _boundaries(pattern: TimePattern, swing: Fraction) -> Iterator[Fraction]:
    """The ends of stretches, as parts of the period; `swing`: the curve's range, in frames of one period.

    Within a stretch of length h the chord of the integral is off by at most h^2/8 times its curvature. The
    stretches are as short as makes that an eighth of a frame, unless there would be too many of them.
    """
    if pattern.shape is Shape.SINE:
        yield from _split(Fraction(0), Fraction(1), sqrt(pi * swing))
        return
    for (begin, level), (end, after) in pairwise(pattern.corners):
        yield from _split(begin, end, sqrt(swing * abs(after - level) * (end - begin)))


def _split(begin: Fraction, end: Fraction, pieces: float) -> Iterator[Fraction]:
    count = min(max(1, ceil(pieces)), _MOST_OF_A_PERIOD)
    return (begin + (end - begin) * number / count for number in range(count + 1))


def _sine_area(part: Fraction) -> Fraction:
    """The integral of the level (1 - cos 2 pi x) / 2; over a whole period it is exactly one half."""
    return part / 2 - Fraction(sin(2 * pi * float(part % 1)) / (4 * pi))


def _area_below(corners: tuple[tuple[Fraction, Fraction], ...]) -> Area:
    def area(part: Fraction) -> Fraction:
        total = Fraction(0)
        for (begin, level), (end, after) in pairwise(corners):
            if begin < part and begin < end:
                width = min(part, end) - begin
                total += width * (2 * level + (after - level) * width / (end - begin)) / 2
        return total

    return area
