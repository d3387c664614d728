# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of the frames of one stream as they arrive, by `counters.proto`."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ...measurement.delays.histogram import index_of
from ...measurement.snapshot import LatencyCounters, OrderCounters, OutageCounters

_SHORTEST_OUTAGE_NS = 1_000_000  # as an engine counts them


class Arrivals:
    """Counts what arrives. Frames are numbered from 0, in the order in which they left."""

    def __init__(self, *, overtaking: bool) -> None:
        """`overtaking`: whether a frame may overtake another; if not, nothing is kept for the case."""
        self._overtaking = overtaking
        self.frames = 0
        self.octets = 0
        self.first_ns = 0
        self.last_ns = 0
        self.reordered = 0
        self.by_version: list[list[int]] = [[0, 0, 0], [0, 0, 0]]  # frames, bytes, sum of times
        self._delays: Counter[int] = Counter()  # by length: there are few different ones, or few at all
        self._next = 0
        self._missing: set[int] = set()  # below the highest
        self._firsts = 0
        self._records: tuple[list[int], list[int]] = ([], [])  # each new highest number, and its place
        self._duplicated = 0
        self._behind = 0
        self._extents: Counter[int] = Counter()
        self._outages = [0, 0, 0, 0, 0, 0, 0]

    def add(self, number: int, left_ns: int, came_ns: int, size: int, version: int) -> None:
        """A frame arrives."""
        if number >= self._next:
            if number > self._next and self.frames:
                self._skip(number, came_ns)
            self._missing.update(range(self._next, number))
            self._next = number + 1
            if self._overtaking:
                self._records[0].append(number)
                self._records[1].append(self._firsts)
            self._firsts += 1
        else:
            self._behind += 1
            if number in self._missing:
                self._missing.remove(number)
                self.reordered += 1
                overtaker = self._records[1][bisect_right(self._records[0], number)]
                self._extents[self._firsts - overtaker] += 1
                self._firsts += 1
            else:
                self._duplicated += 1
        self.first_ns = self.first_ns or came_ns
        self.last_ns = came_ns
        self.frames += 1
        self.octets += size
        self._delays[came_ns - left_ns] += 1
        counted = self.by_version[version]
        counted[0] += 1
        counted[1] += size
        counted[2] += came_ns

    def _skip(self, number: int, came_ns: int) -> None:
        length_ns, lost, outages = came_ns - self.last_ns, number - self._next, self._outages
        outages[6] = number
        if length_ns > outages[3]:
            outages[3:6] = length_ns, self.last_ns, lost
        if length_ns >= _SHORTEST_OUTAGE_NS:
            outages[0] += 1
            outages[1] += length_ns
            outages[2] += lost

    @property
    def latency(self) -> LatencyCounters:
        """Delays of all frames."""
        if not self._delays:
            return LatencyCounters()
        buckets: Counter[int] = Counter()
        for delay, frames in self._delays.items():
            buckets[index_of(delay)] += frames
        total = sum(delay * frames for delay, frames in self._delays.items())
        return LatencyCounters(self.frames, total, min(self._delays), max(self._delays), dict(buckets))

    @property
    def order(self) -> OrderCounters:
        """The order in which frames came; nothing is too late to be known."""
        extents = self._extents
        return OrderCounters(
            next_sequence=self._next,
            duplicated=self._duplicated,
            late=0,
            extent_sum=sum(extent * frames for extent, frames in extents.items()),
            extent_max=max(extents, default=0),
            extents=dict(extents),
            behind=self._behind,
        )

    @property
    def outages(self) -> OutageCounters:
        """The outages between arrivals."""
        return OutageCounters(*self._outages)
