# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The damage that the fake's device does to forwarded frames, and the tester's counters of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import floor

from ...measurement.delays.histogram import index_of
from ...measurement.snapshot import LatencyCounters, StreamCounters
from ...model.units.units import Ratio

_NONE = Ratio(Fraction(0))
_LOOP_NS = 10**7


@dataclass(frozen=True)
class FakeDamage:
    """Parts of the frames that a path forwards, each evenly spread; no frame is damaged in two ways."""

    corrupted: Ratio = _NONE  # get another content
    wrong_length: Ratio = _NONE  # lose bytes of their payload, or get more
    fragments: Ratio = _NONE  # are sent on in two pieces of an IP packet
    wrong_headers: Ratio = _NONE  # get a wrong checksum of UDP
    duplicated: Ratio = _NONE  # part of the intact frames that are sent twice
    overtaken: Ratio = _NONE  # part of the intact frames that change places with the next one
    loops: bool = False  # after the first frame has arrived, one is sent again every 10 ms, for ever

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The parts of the forwarded frames that are damaged in each way."""
        parts = (self.corrupted, self.wrong_length, self.fragments, self.wrong_headers)
        return tuple(part.value for part in parts)

    @property
    def part(self) -> Fraction:
        """The part of the forwarded frames that is damaged in any way."""
        return sum(self.parts, Fraction(0))


NO_DAMAGE = FakeDamage()


def damaged(
    arrived: StreamCounters, damage: FakeDamage, forwarded: Fraction, phase: Fraction, now_ns: int
) -> StreamCounters:
    """The counters of a stream whose device does such damage, from the counters of an undamaged stream.

    `forwarded` is the number of frames that the device has sent on, damaged or not. `phase` decides which
    frames are damaged, `now_ns` how often a loop has sent one again.
    """
    ends = [phase, *(phase + forwarded * part for part in accumulate(damage.parts))]
    corrupted, wrong_length, fragments, wrong_headers = (floor(b) - floor(a) for a, b in pairwise(ends))
    again = floor(arrived.rx_packets * damage.duplicated.value)
    if damage.loops and arrived.rx_packets:
        again += (now_ns - arrived.first_rx_ns) // _LOOP_NS
    overtaken = _with_overtaken(arrived, floor(arrived.rx_packets * damage.overtaken.value))
    return replace(
        _with_duplicates(overtaken, again),
        rx_corrupted=corrupted,
        rx_wrong_length=wrong_length,
        rx_fragments=fragments,
        rx_wrong_headers=wrong_headers,
        rx_wrong_header_parts=("UDP checksum",) if wrong_headers else (),
    )


def damaged_frames(counted: StreamCounters) -> int:
    """Frames of a stream that arrived damaged."""
    counts = (counted.rx_corrupted, counted.rx_wrong_length, counted.rx_fragments, counted.rx_wrong_headers)
    return sum(count or 0 for count in counts)


def _with_overtaken(arrived: StreamCounters, behind: int) -> StreamCounters:
    if not behind:
        return arrived
    extents = {index_of(1): behind}
    order = replace(arrived.order, extent_sum=behind, extent_max=1, extents=extents, behind=behind)
    return replace(arrived, rx_out_of_order=behind, order=order)


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
        order=replace(arrived.order, duplicated=again, behind=(arrived.order.behind or 0) + again),
    )
