# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers random gaps to a switch, which draws each one of the quantiles of a law (hypertester §3.1).

All quantiles are equally likely. Each is the mean of its part of the law, so the mean of all is that of the
law. A template departs in the first round of its loop in which it is due; a late departure is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, exp, log, sqrt

from ...errors import PlanError
from ...model.plan.law import Steady
from ...model.plan.plan import PlannedStream
from ...model.plan.random_law import Exponential, Quantiles, Random, RandomTimes
from .resources import GAP_LAWS, GAP_QUANTILES, Excess

_LONGEST_NS = 1 << 31  # times of 32 bits are before or after one another
_LEAST_KEPT = 0.98  # of the variance of a law
_SIGMAS = 6  # a number of frames is further off once in 5 * 10^8 times
_RARE = 1e-12  # of the frames may be later than the greatest lateness
_STEEP, _HALVINGS = 64, 40  # where its exponent is looked for, in rounds, and how exactly


@dataclass(frozen=True)
class DrawnGaps:
    """Gaps that a switch draws, in ns: a law whose times are known on average only."""

    gaps_ns: tuple[int, ...]

    total = None

    def __str__(self) -> str:
        least, most = min(self.gaps_ns), max(self.gaps_ns)
        return f"{len(self.gaps_ns):,} random gaps of {least:,} to {most:,} ns"

    @cached_property
    def rate(self) -> Fraction:
        """See Law."""
        return Fraction(len(self.gaps_ns), sum(self.gaps_ns))

    @cached_property
    def variation(self) -> float:
        """The standard deviation of its gaps, in means."""
        mean = float(1 / self.rate)
        return sqrt(sum((gap - mean) ** 2 for gap in self.gaps_ns) / len(self.gaps_ns)) / mean

    def due(self, number: int) -> Fraction:
        """See Law. On average."""
        return number / self.rate

    def count(self, elapsed_ns: int) -> int:
        """See Law. On average."""
        return Steady(self.rate).count(elapsed_ns)

    def spread(self, frames: int) -> int:
        """The most frames by which chance lets a stream be ahead, or behind, after so many."""
        first = max(self.gaps_ns) * self.rate  # the gap in which a stream starts
        return ceil(first + 1 + _SIGMAS * self.variation * sqrt(max(0, frames)))

    def lateness_ns(self, round_ns: Fraction) -> int:
        """The greatest lateness of a frame behind a loop with such rounds, once in 10^12 frames.

        Frames wait for the round after the one of the frame before: P(wait > t) <= e^(-ht) for the h with
        E e^(h(round - gap)) = 1 (J. F. C. Kingman, Inequalities in the theory of queues, 1970).
        """
        length = float(round_ns)
        if min(self.gaps_ns) >= round_ns:
            return ceil(round_ns)

        def above(h: float) -> bool:
            return sum(exp(h * (length - gap)) for gap in self.gaps_ns) > len(self.gaps_ns)

        low, high = 0.0, 1 / length
        while high * length < _STEEP and not above(high):
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if above(middle) else (middle, high)
        return ceil(length - log(_RARE) / low) if low else _LONGEST_NS


def drawn(stream: PlannedStream) -> PlannedStream:
    """The stream with the gaps that a switch draws, if its law is random. PlanError if it cannot."""
    law = stream.departures.law
    if not isinstance(law, Random):
        return stream
    try:
        gaps = DrawnGaps(gap_quantiles(law.distribution))
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None
    if stream.departures.offset_ns:
        raise PlanError(
            f"stream {stream.name!r}: start_after= or a phase with random gaps; a switch waits for whole "
            "frames, whose gaps it draws, so leave it out, or use a testerd"
        )
    return replace(stream, departures=replace(stream.departures, law=gaps))


def gap_quantiles(law: RandomTimes) -> tuple[int, ...]:
    """The gaps of a law, in ns. PlanError for a law of which they are not enough."""
    assert isinstance(law, Hashable)
    return _quantiles(law)


def gap_laws(streams: Sequence[PlannedStream]) -> Excess:
    """The laws of gaps that streams take, and those that there are."""
    names = [stream.name for stream in streams if isinstance(stream.departures.law, DrawnGaps)]
    instead = "give fewer streams random gaps, or use a testerd"
    return Excess("laws of random gaps", len(names), GAP_LAWS, ", ".join(names), instead)


@lru_cache(64)
def _quantiles(law: Hashable) -> tuple[int, ...]:
    """The gaps, in whole nanoseconds; what rounding takes from one it gives to the next."""
    if isinstance(law, Exponential):
        below, variance = _exponential(law), law.mean_ns**2
    elif isinstance(law, Quantiles):
        below, variance = _linear(law)
    else:
        raise PlanError(
            "on-off is more than a law of gaps: a switch draws each gap alone, from "
            f"{GAP_QUANTILES:,} quantiles; use bursts, or a testerd"
        )
    times = [round(GAP_QUANTILES * below(place / GAP_QUANTILES)) for place in range(GAP_QUANTILES + 1)]
    gaps = tuple(later - time for time, later in pairwise(times))
    if max(gaps) >= _LONGEST_NS:
        raise PlanError(
            f"gaps of {max(gaps) / 1e9:.3g} s; those of a switch are below {_LONGEST_NS / 1e9:.3g} s, so "
            "give a higher rate, or use a testerd"
        )
    mean = times[-1] / GAP_QUANTILES
    kept = sum((gap - mean) ** 2 for gap in gaps) / GAP_QUANTILES
    if kept < _LEAST_KEPT * variance - 1:  # less what rounding takes
        raise PlanError(
            f"{GAP_QUANTILES:,} quantiles, as many as a switch draws from, have {kept / variance:.0%} of the "
            f"variance of these gaps, whose longest are too rare; {_LEAST_KEPT:.0%} are needed, so use a "
            "testerd"
        )
    return gaps


def _exponential(law: Exponential) -> Callable[[float], float]:
    """The mean of the gaps below a probability, times that."""

    def below(part: float) -> float:
        rest = 1 - part
        return law.mean_ns * (part + rest * log(rest)) if rest else law.mean_ns

    return below


def _linear(law: Quantiles) -> tuple[Callable[[float], float], float]:
    """The same of a law of straight lines, and its variance."""
    lines = list(zip(pairwise(law.probabilities), pairwise(law.gaps_ns), strict=True))

    def below(part: float) -> float:
        found = 0.0
        for (begin, end), (least, most) in lines:
            share = min(1.0, (part - begin) / (end - begin)) if part > begin and end > begin else 0.0
            found += share * (end - begin) * (2 * least + share * (most - least)) / 2
        return found

    mean = below(1.0)
    centred = [(end - begin, least - mean, most - mean) for (begin, end), (least, most) in lines]
    return below, sum(part * (a * a + a * b + b * b) / 3 for part, a, b in centred)
