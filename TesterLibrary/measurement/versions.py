# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of streams by the version of their frames."""

from __future__ import annotations

from collections.abc import Sequence

from .snapshot import Snapshot, StreamCounters, VersionCounters


def sum_of_versions(versions: Sequence[VersionCounters]) -> VersionCounters:
    """The counters of several versions together."""

    def total(name: str) -> int:
        return sum(getattr(version, name) or 0 for version in versions)

    has_times = all(v.tx_time_ns is not None and v.rx_time_ns is not None for v in versions)
    return VersionCounters(
        tx_packets=total("tx_packets"),
        tx_bytes=total("tx_bytes"),
        tx_time_ns=total("tx_time_ns") if has_times else None,
        rx_packets=total("rx_packets"),
        rx_bytes=total("rx_bytes"),
        rx_time_ns=total("rx_time_ns") if has_times else None,
    )


def received_of(snapshot: Snapshot, version: int) -> list[int]:
    """Frames of a version that have arrived, by stream."""
    return [s.versions[version].rx_packets for s in snapshot.streams]


def has_arrived(stream: StreamCounters, version: int) -> bool:
    """Whether all frames of a version have arrived that were sent."""
    counted = stream.versions[version]
    return counted.rx_packets >= counted.tx_packets


def slowest_ns(snapshot: Snapshot) -> int:
    """Delay of the slowest frame where frames tell it; else the mean, the only delay that is known."""
    return max(_slowest_of(s) for s in snapshot.streams)


def _slowest_of(stream: StreamCounters) -> int:
    if stream.latency.count:
        return stream.latency.max_ns
    means = [
        v.rx_time_ns // v.rx_packets - v.tx_time_ns // v.tx_packets
        for v in stream.versions
        if v.rx_packets and v.tx_packets and v.rx_time_ns is not None and v.tx_time_ns is not None
    ]
    return 2 * max(means, default=0)
