# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The two versions of a fake stream's counters, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ...measurement.snapshot import VersionCounters


@dataclass(frozen=True)
class Passed:
    """Frames of a stream so far."""

    sent: int
    lost: int  # of those

    @property
    def received(self) -> int:
        """When they have arrived."""
        return self.sent - self.lost


@dataclass(frozen=True)
class Passage:
    """How a stream's frames pass the device."""

    until: Callable[[int], Passed]  # what had left before an instant
    left_at: Callable[[int], int]  # when the frame of a number, from 1, left
    bytes_of: Callable[[int], int]  # of so many first frames
    delay_ns: int


def versions(passage: Passage, flips: Sequence[int], now_ns: int) -> tuple[VersionCounters, VersionCounters]:
    """What a tester has counted of version 0 and 1 after flips at these instants.

    Lost frames are taken to be spread evenly over those between two flips: the mean time at which those left
    that arrive is that of all of them.
    """
    counters = [VersionCounters(), VersionCounters()]
    for number, (begin, end) in enumerate(pairwise((0, *flips, now_ns))):
        before, left = passage.until(begin), passage.until(end)
        arrived = passage.until(min(end, now_ns - passage.delay_ns))
        part = VersionCounters(
            *_count(passage, before.sent, left.sent, left.sent - before.sent, 0),
            *_count(passage, before.sent, arrived.sent, arrived.received - before.received, passage.delay_ns),
        )
        counters[number % 2] = _sum(counters[number % 2], part)
    return counters[0], counters[1]


def erased(counters: tuple[VersionCounters, VersionCounters]) -> tuple[VersionCounters, VersionCounters]:
    """The same behind a device that sets the bit to 0: all frames arrive with version 0."""
    zero, one = counters
    arrived = replace(one, tx_packets=0, tx_bytes=0, tx_time_ns=0)
    return _sum(zero, arrived), replace(one, rx_packets=0, rx_bytes=0, rx_time_ns=0)


def _count(passage: Passage, first: int, last: int, packets: int, delay_ns: int) -> tuple[int, int, int]:
    """Frames, bytes and sum of times, of those that were left of the frames after `first`."""
    if last <= first or not packets:
        return 0, 0, 0
    mean_ns = (passage.left_at(first + 1) + passage.left_at(last)) // 2 + delay_ns
    octets = (passage.bytes_of(last) - passage.bytes_of(first)) * packets // (last - first)
    return packets, octets, packets * mean_ns


def _sum(a: VersionCounters, b: VersionCounters) -> VersionCounters:
    return VersionCounters(*(getattr(a, n) + getattr(b, n) for n in VersionCounters.__dataclass_fields__))
