# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas for the two versions of a fake stream's counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ...measurement.snapshot import VersionCounters


@dataclass(frozen=True)
class VersionFrames:
    """The frames of a stream up to an instant."""

    sent: int
    lost: int  # of the frames sent

    @property
    def received(self) -> int:
        """The frames that are received once all have arrived."""
        return self.sent - self.lost


@dataclass(frozen=True)
class Passage:
    """The passage of a stream's frames through the device."""

    until: Callable[[int], VersionFrames]  # the frames that had left before an instant
    left_at: Callable[[int], int]  # when the frame with a number, from 1, left
    bytes_of: Callable[[int], int]  # the bytes of so many first frames
    delay_ns: int


def versions(passage: Passage, flips: Sequence[int], now_ns: int) -> tuple[VersionCounters, VersionCounters]:
    """The counters of versions 0 and 1 after flips at these instants.

    Lost frames are taken to be spread evenly between two flips, so frames that arrive have the same mean time
    of departure as all frames.
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
    """The counters behind a device that sets the version bit to 0: all frames arrive with version 0."""
    zero, one = counters
    arrived = replace(one, tx_packets=0, tx_bytes=0, tx_time_ns=0)
    return _sum(zero, arrived), replace(one, rx_packets=0, rx_bytes=0, rx_time_ns=0)


def _count(passage: Passage, first: int, last: int, packets: int, delay_ns: int) -> tuple[int, int, int]:
    """Frames, bytes and sum of times of `packets` frames among those after `first`, up to `last`."""
    if last <= first or not packets:
        return 0, 0, 0
    mean_ns = (passage.left_at(first + 1) + passage.left_at(last)) // 2 + delay_ns
    octets = (passage.bytes_of(last) - passage.bytes_of(first)) * packets // (last - first)
    return packets, octets, packets * mean_ns


def _sum(a: VersionCounters, b: VersionCounters) -> VersionCounters:
    return VersionCounters(*(getattr(a, n) + getattr(b, n) for n in VersionCounters.__dataclass_fields__))
