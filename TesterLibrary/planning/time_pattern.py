# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A rate that changes with time as short stretches of constant rate.

The integral of the rate is rounded, not each stretch, so nothing adds up: at the end of each stretch as many
frames have been due as the integral says, rounded, and within a stretch at most an eighth of a frame is
added to that by the curve. Where the frames of one period are
no whole number, so many periods are laid one after the other as make it one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, pi, sin, sqrt

from ..errors import PlanError
from ..model.departures import Shape, TimePattern
from ..model.law import Profile, Stretch

_MOST_STRETCHES = 1 << 16  # of plan.proto
_MOST_OF_A_PERIOD = 1 << 13

Area = Callable[[Fraction], Fraction]  # of a part of the period: the level, 0 to 1, integrated from its begin


def profile(pattern: TimePattern, low: Fraction, high: Fraction) -> Profile:
    """The profile of a pattern between two rates in frames each nanosecond.

    Raises:
        PlanError: not one frame would leave in a period of a pattern that does not repeat.
    """
    period, swing = pattern.period.ns, high - low
    area = _sine_area if pattern.shape is Shape.SINE else _area_below(pattern.corners)
    times = sorted({round(part * period) for part in _boundaries(pattern, swing * period)})
    frames = [low * time + swing * period * area(Fraction(time, period)) for time in times]
    repeat = pattern.shape is not Shape.RAMP
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
    return Profile(tuple(stretches), repeat)


def _boundaries(pattern: TimePattern, swing: Fraction) -> Iterator[Fraction]:
    """Where stretches begin and end, as parts of the period in which the curve swings by so many frames.

    Within a stretch of length h the chord of the integral is off by at most h^2/8 times its curvature. That
    is to be an eighth of a frame, unless that takes more stretches than there may be.
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
    """Of a level of (1 - cos 2 pi x) / 2; over whole periods exactly one half."""
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
