# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency of the frames of a trial, from a histogram of every frame."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf

from ...errors import UnitError
from ...model.units.units import duration_text
from ..snapshot import LatencyCounters
from .histogram import at_rank, bounds_of, index_of, percentile
from .latency_error import ENGINE, LatencyError


@dataclass(frozen=True)
class Figure:
    """A statistic of a latency, and the values between which the truth lies, in nanoseconds."""

    value: float
    least: float
    most: float
    error: str = ""  # as people read it: `3.3 %`
    few: str = ""  # why so few values do not show a percentile; empty if they do


@dataclass(frozen=True)
class Latency:
    """Time from handing a frame to the port to finding it received, both seen by the tester (RFC 1242 §3.8).

    All values are nanoseconds; `None` where nothing was received.
    """

    counters: LatencyCounters
    error: LatencyError = ENGINE

    @classmethod
    def merged(cls, parts: Iterable[Latency]) -> Latency:
        """The latency of several streams as if they were one."""
        each = [part for part in parts if part.count]
        if not each:
            return cls(LatencyCounters())
        filled = [part.counters for part in each]
        buckets: Counter[int] = Counter()
        for part in filled:
            buckets.update(part.buckets)
        return cls(
            LatencyCounters(
                count=sum(part.count for part in filled),
                sum_ns=sum(part.sum_ns for part in filled),
                min_ns=min(part.min_ns for part in filled),
                max_ns=max(part.max_ns for part in filled),
                buckets=buckets,
            ),
            LatencyError.worst(part.error for part in each),
        )

    def less(self, correction_ns: int, spread_ns: int = 0) -> Latency:
        """The same with a constant taken off each value. None becomes less than 0, so the mean does not
        either; a percentile keeps the error of the bucket it came from.

        `spread_ns` is by how much what the constant stands for varies from frame to frame.
        """
        if not self.count or not (correction_ns or spread_ns):
            return self
        error = replace(self.error, offset_ns=correction_ns, spread_ns=spread_ns)
        was = self.counters
        buckets: Counter[int] = Counter()
        for index, count in was.buckets.items():
            low, high = bounds_of(index)
            buckets[index_of(max(0, (low + high - 1) // 2 - correction_ns))] += count
        least, most = max(0, was.min_ns - correction_ns), max(0, was.max_ns - correction_ns)
        total = max(least * was.count, was.sum_ns - correction_ns * was.count)
        return Latency(replace(was, sum_ns=total, min_ns=least, max_ns=most, buckets=buckets), error)

    @property
    def count(self) -> int:
        """Frames measured."""
        return self.counters.count

    @property
    def min(self) -> int | None:
        """Exact minimum."""
        return self.counters.min_ns if self.count else None

    @property
    def max(self) -> int | None:
        """Exact maximum."""
        return self.counters.max_ns if self.count else None

    @property
    def mean(self) -> float | None:
        """Exact mean."""
        return self.counters.sum_ns / self.count if self.count else None

    def percentile(self, percent: float) -> float | None:
        """A percentile, as far off as `error` says, but not beyond the extremes; 100 is the maximum."""
        if not self.count:
            return None
        value = percentile(self.counters.buckets, percent) if percent != 100 else float(self.counters.max_ns)
        return min(max(value, float(self.counters.min_ns)), float(self.counters.max_ns))

    def variation(self, percent: float) -> float | None:
        """Packet delay variation (RFC 5481 §4.2): a percentile less the minimum."""
        value = self.percentile(percent)
        return None if value is None else value - self.counters.min_ns

    @property
    def p50(self) -> float | None:
        """The median."""
        return self.percentile(50)

    @property
    def p99(self) -> float | None:
        """The 99th percentile."""
        return self.percentile(99)

    def statistic(self, name: str) -> float | None:
        """A value by its name: `min`, `mean`, `max`, a percentile such as `p99.9`, or `pdv99.9`.

        Raises:
            UnitError: another name.
        """
        found = self.figure(name)
        return found.value if found else None

    def figure(self, name: str, copies: int = 0) -> Figure | None:
        """The same with its error; None where nothing was received.

        Its bounds hold without any so many of the values, which may be of copies.

        Raises:
            UnitError: another name.
        """
        if name == "max":
            return self.figure_without(copies, 100)
        if name == "min":
            return self._min_without(copies)
        if name == "mean":
            return self._mean_without(copies)
        found = re.fullmatch(r"(p|pdv)(\d+(?:\.\d+)?)", name)
        if not found or not 0 < float(found[2]) <= 100:
            allowed = (
                "min, mean, max, a percentile above p0 up to p100 such as p99.9, or its variation pdv99.9"
            )
            raise UnitError(f"{name!r} is not a statistic of latency; write {allowed}")
        if found[1] == "p":
            return self.figure_without(copies, float(found[2]))
        return self.figure_at(float(found[2]), self.counters.min_ns)

    def figure_at(self, percent: float, base: int = 0) -> Figure | None:
        """A percentile, less a base, with its error; 100 is the maximum, which is exact."""
        found = self._about(self.percentile(percent), base, percentile=percent != 100)
        return found and replace(found, few=_too_few(self.count, percent))

    def figure_without(self, copies: int, percent: float) -> Figure | None:
        """A percentile, as `figure_at`, whose bounds hold without any so many of the values.

        They may be of copies, which are no frames of their own: its value is still that of all.
        """
        found = self.figure_at(percent)
        if not found or not copies:
            return found
        rank = max(1, self.count - copies) * percent / 100
        least, most = (
            self._figure(at_rank(self.counters.buckets, place), percentile=True)
            for place in (rank, min(self.count, rank + copies))
        )
        return _widened(found, least.least, most.most)

    def _min_without(self, copies: int) -> Figure | None:
        found = self._about(self.min)
        if not found or not copies:
            return found
        most = self._figure(at_rank(self.counters.buckets, min(self.count, copies + 1)), percentile=True)
        return _widened(found, found.least, most.most)

    def _mean_without(self, copies: int) -> Figure | None:
        found, count = self._about(self.mean), max(1, self.count - copies)
        if not found or not copies:
            return found
        was = self.counters
        least = self._figure(max(float(was.min_ns), (was.sum_ns - copies * was.max_ns) / count))
        most = self._figure(min(float(was.max_ns), (was.sum_ns - copies * was.min_ns) / count))
        return _widened(found, least.least, most.most)

    def bounds_with(self, missing: int, endless: tuple[int, int], percent: float) -> tuple[float, float]:
        """A percentile's bounds with more values than were measured.

        `missing`: how many more may be anything; `endless`: how many more, at least and at most, are longer
        than any.
        """
        fewest, most = ((self.count + missing + more) * percent / 100 for more in endless)
        return self._at(fewest - missing).least, self._at(most).most

    def _at(self, rank: float) -> Figure:
        """The value at a rank, from 1; outside of all values 0, or infinite."""
        if rank <= 0:
            return Figure(0, 0, 0)
        if rank > self.count:
            return Figure(inf, inf, inf)
        return self._figure(at_rank(self.counters.buckets, rank), percentile=True)

    def _about(self, value: float | None, base: int = 0, *, percentile: bool = False) -> Figure | None:
        return None if value is None else self._figure(value, base, percentile=percentile)

    def _figure(self, value: float, base: int = 0, *, percentile: bool = False) -> Figure:
        """A value less a base, with its error; a percentile does not leave the range of all values."""
        error = self.error.of(value, percentile=percentile)
        least, most = Fraction(value) - error, Fraction(value) + error
        if percentile:
            beyond = self.error.of(value, percentile=False)
            least = max(least, self.counters.min_ns - beyond)
            most = min(most, self.counters.max_ns + beyond)
        text = self.error.text(value, percentile=percentile, absolute=bool(base)) if least < most else ""
        spread = self.error.spread_ns if base else 0
        least, most = max(Fraction(0), least - base - spread), most - base + spread
        return Figure(value - base, float(least), float(most), text)

    def __str__(self) -> str:
        values = (("min", self.min), ("mean", self.mean), ("p99", self.p99), ("max", self.max))
        return " ".join(f"{name} {'-' if v is None else duration_text(v)}" for name, v in values)


def _too_few(count: int, percent: float) -> str:
    """Why so few values do not show a percentile: none of them lies beyond it. Empty if one does."""
    beyond = 1 - Fraction(str(percent)) / 100
    if not beyond or count * beyond >= 1:
        return ""
    return f"p{percent:g} needs {ceil(1 / beyond):,} values or more, and {count:,} were measured"


def _widened(found: Figure, least: float, most: float) -> Figure:
    """A figure that may lie beyond its error, too."""
    wide = least < found.least or most > found.most
    return replace(
        found,
        least=min(found.least, least),
        most=max(found.most, most),
        error="" if wide else found.error,
    )
