# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How far the figures of a latency may be from the truth, by how the tester measures and is calibrated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ...model.units.units import Duration, Ratio

_BUCKET = Fraction(1, 1000)  # part of a value from the middle of its bucket to either end, see histogram.py


@dataclass(frozen=True)
class PercentileError:
    """The part of itself by which a percentile that the tester saw can be off. The default is an engine's.

    The scale of a switch has a span with narrow buckets; those of shorter and longer times are wider.
    """

    part: Fraction = _BUCKET
    from_ns: int = 0  # the span begins at this time
    to_ns: int | None = None  # and ends before this one; None: it does not end
    outside: Fraction = _BUCKET  # the part for other times

    @classmethod
    def worst(cls, errors: Iterable[PercentileError]) -> PercentileError:
        """An error that holds for each of several."""
        each = list(errors)
        ends = [error.to_ns for error in each if error.to_ns is not None]
        return cls(
            max(error.part for error in each),
            max(error.from_ns for error in each),
            min(ends, default=None),
            max(error.outside for error in each),
        )

    def of(self, seen_ns: Fraction) -> Fraction:
        """The part for a percentile that the tester saw."""
        within = self.from_ns <= seen_ns and (self.to_ns is None or seen_ns < self.to_ns)
        return self.part if within else self.outside


OF_ENGINE = PercentileError()


@dataclass(frozen=True)
class LatencyError:
    """The most by which figures can be off. The default is that of an engine without calibration."""

    percentile: PercentileError = OF_ENGINE
    figure: Fraction = Fraction(0)  # part of any figure, of minimum, mean and maximum, too
    offset_ns: int = 0  # time that was subtracted from each value
    spread_ns: int = 0  # variation from frame to frame of the delay that should have been subtracted

    @classmethod
    def worst(cls, errors: Iterable[LatencyError]) -> LatencyError:
        """The greatest of each kind: the error of several streams together."""
        each = list(errors)
        return cls(
            PercentileError.worst(error.percentile for error in each),
            max(error.figure for error in each),
            max(error.offset_ns for error in each),
            max(error.spread_ns for error in each),
        )

    def of(self, value: float, *, percentile: bool) -> Fraction:
        """The error of a figure in nanoseconds."""
        found = self.spread_ns + self.figure * Fraction(value)
        if percentile:
            seen = Fraction(value) + self.offset_ns
            found += self.percentile.of(seen) * seen
            if self.offset_ns:  # values were put into buckets after the subtraction
                found += _BUCKET * Fraction(value) + 1
        return found

    def text(self, value: float, *, percentile: bool, absolute: bool = False) -> str:
        """The error of a figure as people read it: `3.3 %`, or `12 us` where it is no part of the figure."""
        if absolute or self.offset_ns or self.spread_ns:
            return str(Duration(ceil(self.of(value, percentile=percentile))))
        return str(Ratio(self.figure + (self.percentile.of(Fraction(value)) if percentile else 0)))


ENGINE = LatencyError()
