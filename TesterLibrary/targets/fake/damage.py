# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the device of the fake does to frames that it forwards, and what a tester counts of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import floor

from ...measurement.snapshot import LatencyCounters, StreamCounters
from ...model.units import Ratio

_NONE = Ratio(Fraction(0))


@dataclass(frozen=True)
class FakeDamage:
    """Parts of the frames that a path forwards, each evenly spread; no frame is damaged in two ways."""

    corrupted: Ratio = _NONE  # get another content
    wrong_length: Ratio = _NONE  # lose bytes of their payload, or get more
    fragments: Ratio = _NONE  # are sent on in two pieces of an IP packet
    duplicated: Ratio = _NONE  # of those that are not damaged: are sent twice

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """Of the frames forwarded, what is damaged in each way."""
        return self.corrupted.value, self.wrong_length.value, self.fragments.value

    @property
    def part(self) -> Fraction:
        """Of the frames forwarded, what is damaged in any way."""
        return sum(self.parts, Fraction(0))


NO_DAMAGE = FakeDamage()


def damaged(
    arrived: StreamCounters, damage: FakeDamage, forwarded: Fraction, phase: Fraction
) -> StreamCounters:
    """The counters of a stream whose device does such damage, from those of what is intact, each frame once.

    `forwarded` is how many frames the device has sent on, damaged or not; `phase` decides which are damaged.
    """
    ends = [phase, *(phase + forwarded * part for part in accumulate(damage.parts))]
    corrupted, wrong_length, fragments = (floor(b) - floor(a) for a, b in pairwise(ends))
    return replace(
        _with_duplicates(arrived, floor(arrived.rx_packets * damage.duplicated.value)),
        rx_corrupted=corrupted,
        rx_wrong_length=wrong_length,
        rx_fragments=fragments,
    )


def damaged_frames(counted: StreamCounters) -> int:
    """Frames of a stream that arrived and were not what was sent."""
    return (counted.rx_corrupted or 0) + (counted.rx_wrong_length or 0) + (counted.rx_fragments or 0)


def _with_duplicates(arrived: StreamCounters, again: int) -> StreamCounters:
    if not again:
        return arrived
    latency = arrived.latency
    received = arrived.rx_packets + again
    if latency.count:
        latency = LatencyCounters(
            received,
            received * latency.min_ns,
            latency.min_ns,
            latency.max_ns,
            dict.fromkeys(latency.buckets, received),
        )
    return replace(
        arrived,
        rx_packets=received,
        rx_bytes=arrived.rx_bytes * received // arrived.rx_packets,
        latency=latency,
        order=replace(arrived.order, duplicated=again, behind=again),
    )
