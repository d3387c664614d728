# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters of frames that arrive at another port than expected: their number, and the port."""

from __future__ import annotations

from dataclasses import replace

from ...measurement.snapshot import LatencyCounters, StreamCounters


def misrouted(arrived: StreamCounters, port: str) -> StreamCounters:
    """The counters of a stream, from those that it would have if its frames were expected at `port`."""
    behind = (arrived.order.duplicated or 0) + (arrived.rx_out_of_order or 0) + (arrived.order.late or 0)
    return replace(
        arrived,
        rx_packets=0,
        rx_corrupted=0,
        rx_wrong_length=0,
        rx_fragments=0,
        rx_wrong_headers=0,
        rx_wrong_header_parts=(),
        rx_bytes=0,
        first_rx_ns=0,
        last_rx_ns=0,
        rx_misrouted=arrived.rx_packets,
        rx_misrouted_ports=(port,) if arrived.rx_packets else (),
        rx_misrouted_by_port=(arrived.rx_packets,) if arrived.rx_packets else (),
        rx_misrouted_behind=(behind,) if arrived.rx_packets else (),
        rx_version_rewritten=0,
        latency=LatencyCounters(),
        order=replace(arrived.order, next_sequence=0),
        versions=tuple(
            replace(version, rx_packets=0, rx_bytes=0, rx_time_ns=0) for version in arrived.versions
        ),
    )
