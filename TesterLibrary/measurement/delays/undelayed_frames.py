# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many frames a device forwarded while it was offered frames, without what a queue held.

The counters are read now and then while a trial runs and settles. Each reading says how many frames had
arrived when the last of them did. So neither a queue that empties after the trial nor one late frame changes
a rate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ..snapshot import StreamCounters
from .sustained import Growth

_FEW = Fraction(1, 1000)  # of the frames: so few came later because of their jitter, or were stragglers
_NO_QUEUE = Fraction(1, 100)  # later than in time, of frames whose delay did not grow


@dataclass(frozen=True, order=True)
class ArrivalReading:
    """The frames that had arrived, each counted once, and when the last of them did."""

    last_ns: int
    frames: int

    @classmethod
    def of(cls, counted: StreamCounters) -> ArrivalReading:
        """The arrivals of a stream so far."""
        return cls(counted.last_rx_ns, counted.rx_packets - (counted.order.duplicated or 0))


@dataclass(frozen=True)
class InTime:
    """First arrivals within the time of sending, shifted by the shortest delay; at least and at most."""

    least: int
    most: int

    @classmethod
    def of(
        cls, counted: StreamCounters, readings: Iterable[ArrivalReading] = (), grown: Growth | None = None
    ) -> InTime:
        """The frames of one stream that arrived in time, from readings while it was sent and after.

        Of a device that lost nothing, and whose delay did not grow, all frames are in time.
        """
        first, last = ArrivalReading(counted.first_rx_ns, 1), ArrivalReading.of(counted)
        if not last.frames or not counted.first_rx_ns:
            return cls(last.frames, last.frames)
        found = _until(_end_ns(counted), sorted({first, last, *(each for each in readings if each.frames)}))
        part = Fraction(0) if grown and not grown.sustained else _NO_QUEUE if grown else _FEW
        later = last.frames - found.least
        if last.frames >= counted.tx_packets and (later <= 1 or later <= part * last.frames):
            return cls(last.frames, last.frames)
        if later <= 1 or later <= _FEW * last.frames:
            return cls(found.least, last.frames)
        return found


def _end_ns(counted: StreamCounters) -> int:
    """When the next frame would have arrived, if the device had had no queue."""
    span_ns = counted.last_tx_ns - counted.first_tx_ns
    gap_ns = span_ns // (counted.tx_packets - 1) if counted.tx_packets > 1 else 0
    shortest_ns = counted.latency.min_ns if counted.latency.count else 0
    return counted.last_tx_ns + gap_ns + (shortest_ns or counted.first_rx_ns - counted.first_tx_ns)


def _until(end_ns: int, points: list[ArrivalReading]) -> InTime:
    """The arrivals before an instant, from readings in their order.

    Between the two around it, frames came as they did between these two, or as they had come until then: a
    queue that empties and frames that come evenly do both; where the last one is late, only the latter holds.
    """
    place = bisect_left(points, end_ns, key=lambda point: point.last_ns)
    if place == len(points):
        return InTime(points[-1].frames, points[-1].frames)
    if not place:
        return InTime(0, points[0].frames)
    first, before, after = points[0], points[place - 1], points[place]
    most = max(before.frames, after.frames - 1)  # the last of them came at that instant
    passed = Fraction(end_ns - before.last_ns, after.last_ns - before.last_ns)
    between = before.frames + (after.frames - before.frames) * passed
    steady = Fraction(most)
    if before.last_ns > first.last_ns:
        steady = first.frames + (before.frames - first.frames) * Fraction(
            end_ns - first.last_ns, before.last_ns - first.last_ns
        )
    least, greatest = floor(min(between, steady)), ceil(max(between, steady))
    return InTime(min(max(least, before.frames), most), min(max(greatest, before.frames), most))
