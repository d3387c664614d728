# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that have arrived by a snapshot, wherever and however they arrived."""

from __future__ import annotations

from collections.abc import Iterable

from ..measurement.snapshot import Snapshot, StreamCounters
from ..model.units.units import Duration

_SLOWER = 2  # factor on the delay of the slowest frame so far


def settling_ns(streams: Iterable[StreamCounters], least: Duration) -> int:
    """How long nothing has to arrive until all has: a device that was slow may be slow again."""
    return max(least.ns, _SLOWER * max((stream.latency.max_ns for stream in streams), default=0))


def received(snapshot: Snapshot) -> list[int]:
    """The frames of each stream that came to any port, damaged or not."""
    return [_arrived(s) for s in snapshot.streams]


def _arrived(counted: StreamCounters) -> int:
    """Frames that came to any port, damaged or not."""
    return whole_or_not(counted) + (counted.rx_misrouted or 0)


def whole_or_not(counted: StreamCounters) -> int:
    """Frames that came where they were expected, damaged or not."""
    damaged = ("rx_corrupted", "rx_wrong_length", "rx_fragments", "rx_wrong_headers")
    return counted.rx_packets + sum(getattr(counted, name) or 0 for name in damaged)


def once(snapshot: Snapshot) -> int:
    """Frames that have arrived, each counted once as far as the tester can tell."""
    return sum(min(s.tx_packets, _arrived(s) - (s.order.duplicated or 0)) for s in snapshot.streams)


def endless(snapshot: Snapshot, after_ns: int) -> str:
    """A sentence on frames that did not stop arriving."""
    more = sum(received(snapshot)) - once(snapshot)
    return (
        f"frames kept arriving for {Duration(after_ns)} after the last departure, {more:,} of them beyond "
        "those that were sent (a loop in the device?)"
    )
