# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose gaps follow a distribution. Mirrors `Random` of `plan.proto`; the same seed, the same gaps."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, count, cycle, islice, pairwise
from math import ceil, floor, log
from typing import Protocol

from ..units.splitmix import splitmix64

_ALL = (1 << 64) - 1
_CHUNK = 4096


class RandomTimes(Protocol):
    """Times of frames from a seed."""

    @property
    def rate(self) -> Fraction:
        """The expected rate in frames each nanosecond."""

    def times_ns(self, seed: int) -> Iterator[int]:
        """The times at which frames are due, from 0 on, without end."""


@dataclass(frozen=True)
class Exponential:
    """Poisson arrivals."""

    mean_ns: float

    def __str__(self) -> str:
        return f"exponential gaps of {self.mean_ns:,.6g} ns on average"

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        return 1 / Fraction(self.mean_ns)

    def gap_ns(self, drawn: int) -> float:
        """The gap for a number of 64 random bits: -mean ln(1 - u), u = drawn / 2^64."""
        return -self.mean_ns * log((float(drawn ^ _ALL) + 1.0) * 2.0**-64)

    def times_ns(self, seed: int) -> Iterator[int]:
        """See Distribution."""
        return accumulate(_whole(self.gap_ns(splitmix64(seed, k)) for k in count()), initial=0)


@dataclass(frozen=True)
class Quantiles:
    """The inverse of a distribution function as a line from point to point."""

    probabilities: tuple[float, ...]  # from 0 to 1, never falling
    gaps_ns: tuple[float, ...]  # never falling

    def __str__(self) -> str:
        least, most = self.gaps_ns[0], self.gaps_ns[-1]
        return f"random gaps of {least:,.6g} to {most:,.6g} ns, {float(1 / self.rate):,.6g} ns on average"

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        points = [(Fraction(p), Fraction(g)) for p, g in zip(self.probabilities, self.gaps_ns, strict=True)]
        mean = sum(((q - p) * (g + h) / 2 for (p, g), (q, h) in pairwise(points)), Fraction(0))
        return 1 / mean

    def gap_ns(self, drawn: int) -> float:
        """The gap for a number of 64 random bits."""
        u = drawn / 2.0**64  # 1 for the highest ones, as a double
        index = bisect_right(self.probabilities, u, lo=1, hi=len(self.probabilities) - 1)
        low, run = self.probabilities[index - 1], self.probabilities[index] - self.probabilities[index - 1]
        share = (u - low) / run if run > 0 else 1.0
        return self.gaps_ns[index - 1] + share * (self.gaps_ns[index] - self.gaps_ns[index - 1])

    def times_ns(self, seed: int) -> Iterator[int]:
        """See Distribution."""
        return accumulate(_whole(self.gap_ns(splitmix64(seed, k)) for k in count()), initial=0)


@dataclass(frozen=True)
class OnOff:
    """Talks at a constant rate for an exponential time, then is silent for one, and so on."""

    tick: Fraction  # while it talks
    on_mean_ns: float
    off_mean_ns: float

    def __str__(self) -> str:
        frames = f"{self.tick.numerator:,} frames in {self.tick.denominator:,} ns"
        return f"{frames} for {self.on_mean_ns:,.6g} ns, none for {self.off_mean_ns:,.6g} ns, on average"

    @property
    def rate(self) -> Fraction:
        """See Distribution."""
        on, off = Fraction(self.on_mean_ns), Fraction(self.off_mean_ns)
        return self.tick * on / (on + off)

    def times_ns(self, seed: int) -> Iterator[int]:
        """See Distribution. Frames are due in a time that stands still during silence."""
        laws = cycle((Exponential(self.on_mean_ns), Exponential(self.off_mean_ns)))
        spells = _whole(law.gap_ns(splitmix64(seed, j)) for j, law in enumerate(laws))
        talked, silent = next(spells), 0
        for k in count():
            time = ceil(k / self.tick)
            while time >= talked:
                silent += next(spells)
                talked += next(spells)
            yield time + silent


@dataclass(frozen=True)
class Random:
    """A distribution and its seed."""

    seed: int
    distribution: RandomTimes

    total = None

    def __str__(self) -> str:
        return f"{self.distribution}, seed {self.seed}"

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
    """Times, drawn only as far as they are asked for."""

    def __init__(self, times: Iterator[int]) -> None:
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
        self._drawn.extend(islice(self._source, _CHUNK))


def _whole(times: Iterable[float]) -> Iterator[int]:
    """Times in whole nanoseconds; the rest of each is carried over to the next one."""
    below = 0.0
    for time in times:
        exact = time + below
        whole = floor(exact)
        below = exact - whole
        yield whole
