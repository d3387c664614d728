# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows and intervals of stamps as CSV, a file for each direction."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from ...measurement.snapshot import StampFlowCounters, StampIntervalCounters
from ...measurement.stamps import packets_of

FOLDER = "stamps"
_PERCENTILES = (50, 99, 99.9)
_FLOW = [
    "source",
    "source_port",
    "destination",
    "destination_port",
    "protocol",
    "sent",
    "received",
    "lost",
    "late",
    "duplicated",
    "reordered",
    "ambiguous",
    "delay_count",
    "delay_min_ns",
    "delay_mean_ns",
    "delay_max_ns",
    "delay_std_ns",
    "ipdv_mean_ns",
    "ipdv_max_ns",
] + [f"delay_p{p:g}_ns" for p in _PERCENTILES]
_INTERVAL = ["begin_ns", "sent", "received", "lost", "delay_count", "delay_mean_ns", "delay_max_ns"]


def write_flows(file: Path, flows: Iterable[StampFlowCounters]) -> None:
    """A row for each flow. A value that nobody knows is an empty cell. Raises OSError."""
    _write(file, _FLOW, map(_flow, flows))


def write_intervals(file: Path, intervals: Iterable[StampIntervalCounters]) -> None:
    """A row for each interval, by when packets were sent. Raises OSError."""
    _write(file, _INTERVAL, map(_interval, intervals))


def _flow(flow: StampFlowCounters) -> list[object]:
    packets = packets_of(flow)
    delay = packets.delay
    percentiles = [delay.percentile(p) if flow.delay.buckets else None for p in _PERCENTILES]
    # Two flows that look alike may have taken each other's place.
    lost = packets.lost if not (packets.lost and flow.ambiguous) else None
    return [
        flow.source,
        flow.source_port,
        flow.destination,
        flow.destination_port,
        flow.protocol,
        flow.sent,
        flow.received,
        lost,
        flow.late,
        flow.duplicated,
        flow.reordered,
        flow.ambiguous,
        delay.count,
        delay.min,
        delay.mean,
        delay.max,
        packets.std_ns,
        packets.ipdv_mean_ns,
        packets.ipdv_max_ns,
        *percentiles,
    ]


def _interval(interval: StampIntervalCounters) -> list[object]:
    mean = interval.delay_sum_ns / interval.delay_count if interval.delay_count else None
    return [
        interval.begin_ns,
        interval.sent,
        interval.received,
        max(0, interval.sent - interval.received),
        interval.delay_count,
        mean,
        interval.delay_max_ns if interval.delay_count else None,
    ]


def _write(file: Path, header: list[str], rows: Iterable[list[object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    return f"{value:.1f}" if isinstance(value, float) else value
