# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that arrived later than a time, which a test may take as lost."""

from __future__ import annotations

from fractions import Fraction

from ..snapshot import LatencyCounters
from .correction import Correction
from .histogram import bounds_of
from .latency_error import PercentileError


def late_bounds(
    counted: LatencyCounters, timeout_ns: int, correction: Correction, error: PercentileError
) -> tuple[int, int]:
    """How many arrivals were later than a time, at least and at most.

    The tester's own delay is taken off, and its spread left open. A time is known as well as its bucket; only
    the greatest is known exactly.
    """
    spread = correction.spread_ns
    limit = timeout_ns + correction.offset_ns
    surely = maybe = 0
    for index, count in counted.buckets.items():
        low, high = bounds_of(index)
        middle = Fraction(low + high - 1, 2)
        off = middle * error.of(middle)
        surely += count if middle - off - spread > limit else 0
        maybe += count if middle + off + spread > limit else 0
    if counted.count and counted.max_ns + spread <= limit:
        return 0, 0
    if counted.count and counted.max_ns - spread > limit:
        return max(1, surely), max(1, maybe)
    return surely, maybe
