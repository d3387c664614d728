# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose gaps follow a distribution. Mirrors `Random` of `plan.proto`; the same seed, the same gaps."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice, pairwise
from math import floor, log1p
from typing import Protocol

from .splitmix import splitmix64

_CHUNK = 4096


def uniform(seed: int, index: int) -> float:
    """RANDOM as a number from 0 to below 1. The lowest bits, which a double does not hold, are cut off."""
    return (splitmix64(seed, index) >> 11) * 2.0**-53


class Distribution(Protocol):
    """Times of frames from a seed."""

    @property
    def rate(self) -> Fraction:
        """The expected rate in frames each nanosecond."""

    def times_ns(self, seed: int) -> Iterator[float]:
        """When each frame is due, from 0 on, without end."""


@dataclass(frozen=True)
class Exponential:
    """Poisson arrivals."""

    mean_ns: float

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        return 1 / Fraction(self.mean_ns)

    def gap_ns(self, u: float) -> float:
        """The inverse of its distribution function."""
        return -self.mean_ns * log1p(-u)

    def times_ns(self, seed: int) -> Iterator[float]:
        """See Distribution."""
        return _summed(self.gap_ns(uniform(seed, k)) for k in count())


@dataclass(frozen=True)
class Quantiles:
    """The inverse of a distribution function as a line from point to point."""

    probabilities: tuple[float, ...]  # from 0 to 1, never falling
    gaps_ns: tuple[float, ...]  # never falling

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        points = [(Fraction(p), Fraction(g)) for p, g in zip(self.probabilities, self.gaps_ns, strict=True)]
        mean = sum(((q - p) * (g + h) / 2 for (p, g), (q, h) in pairwise(points)), Fraction(0))
        return 1 / mean

    def gap_ns(self, u: float) -> float:
        """The inverse of its distribution function."""
        index = bisect_right(self.probabilities, u, hi=len(self.probabilities) - 1)
        low, high = self.probabilities[index - 1], self.probabilities[index]
        below, above = self.gaps_ns[index - 1], self.gaps_ns[index]
        return below + (above - below) * (u - low) / (high - low)

    def times_ns(self, seed: int) -> Iterator[float]:
        """See Distribution."""
        return _summed(self.gap_ns(uniform(seed, k)) for k in count())


@dataclass(frozen=True)
class OnOff:
    """Talks at a constant rate for an exponential time, then is silent for one, and so on."""

    tick: Fraction  # while it talks
    on_mean_ns: float
    off_mean_ns: float

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        on, off = Fraction(self.on_mean_ns), Fraction(self.off_mean_ns)
        return self.tick * on / (on + off)

    def times_ns(self, seed: int) -> Iterator[float]:
        """See Distribution. What is due is due in a time that stands still while it is silent."""
        gap, silent = float(1 / self.tick), 0.0
        spells = zip(
            _drawn(Exponential(self.on_mean_ns), seed, 0),
            _drawn(Exponential(self.off_mean_ns), seed, 1),
            strict=False,
        )
        until, pause = next(spells)
        for k in count():
            while k * gap >= until:
                silent += pause
                talk, pause = next(spells)
                until += talk
            yield k * gap + silent


@dataclass(frozen=True)
class Random:
    """A distribution and its seed."""

    seed: int
    distribution: Distribution

    total = None

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return self.distribution.rate

    @cached_property
    def _times(self) -> _Times:
        return _Times(self.distribution.times_ns(self.seed))

    def due(self, number: int) -> Fraction:
        """See Law. Takes time in proportion to the number, once."""
        return Fraction(self._times.at(number))

    def count(self, elapsed_ns: int) -> int:
        """See Law. Takes time in proportion to what it returns, once."""
        return self._times.below(elapsed_ns)


class _Times:
    """Whole nanoseconds, drawn as far as somebody has asked."""

    def __init__(self, times: Iterator[float]) -> None:
        self._source = times
        self._drawn = array("q")

    def at(self, number: int) -> int:
        while len(self._drawn) <= number:
            self._draw()
        return self._drawn[number]

    def below(self, time_ns: int) -> int:
        while not self._drawn or self._drawn[-1] < time_ns:
            self._draw()
        return bisect_left(self._drawn, time_ns)

    def _draw(self) -> None:
        self._drawn.extend(map(floor, islice(self._source, _CHUNK)))


def _drawn(law: Exponential, seed: int, first: int) -> Iterator[float]:
    """Every other time: those of talking, or those of silence."""
    return (law.gap_ns(uniform(seed, spell)) for spell in count(first, 2))


def _summed(gaps: Iterator[float]) -> Iterator[float]:
    """Running sums from 0, with the whole nanoseconds apart so that long runs lose nothing."""
    whole, rest = 0, 0.0
    for gap in gaps:
        yield whole + rest
        rest += gap
        whole += floor(rest)
        rest -= floor(rest)
