# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a tester that counts everything: 0 where the classes of the library have None."""

from __future__ import annotations

from typing import Any

from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import (
    ClockCounters,
    DepartureCounters,
    EndCounters,
    OrderCounters,
    OutageCounters,
    PortCounters,
    StreamCounters,
    VariationCounters,
)

_ORDER = ("next_sequence", "duplicated", "late", "extent_sum", "extent_max", "behind")
_PORT = (
    *("tx_refused", "rx_missed", "kernel_dropped", "rx_misrouted", "link_downs"),
    *("rx_stale", "rx_malformed", "rx_fragments"),
)
_STREAM = (
    "rx_misrouted",
    "rx_out_of_order",
    "rx_version_rewritten",
    "rx_corrupted",
    "rx_wrong_length",
    "rx_fragments",
)
_SHARED = ("rx_bytes", "tx_bytes", "foreign", "malformed", "full", "endless")
_END = (*_SHARED, "flows_begun", "flows_ended", "flows_failed", "flows", "most_flows", "too_long")
_STATISTICS = (*_SHARED, "begun", "ended", "failed", "concurrent", "most_concurrent")

CLOCK = ClockCounters()


def order_counters(*values: int, **counts: Any) -> OrderCounters:
    given = dict(zip(_ORDER, values, strict=False)) | counts
    return OrderCounters(**{**dict.fromkeys(_ORDER, 0), **given})


def stream_counters(*values: int, **counts: Any) -> StreamCounters:
    given = dict(zip(StreamCounters.__dataclass_fields__, values, strict=False)) | counts
    groups = {
        "order": order_counters(),
        "outages": OutageCounters(),
        "variation": VariationCounters(),
        "departures": DepartureCounters(),
    }
    return StreamCounters(**{"id": 1, **dict.fromkeys(_STREAM, 0), **groups, **given})


def port_counters(name: str, **counts: Any) -> PortCounters:
    return PortCounters(name, **{**dict.fromkeys(_PORT, 0), "rx_icmp_errors": (), **counts})


def end_counters(*values: str, **counts: Any) -> EndCounters:
    given = dict(zip(("job", "name"), values, strict=False)) | counts
    return EndCounters(**{**dict.fromkeys(_END, 0), **given})


def session_statistics(*values: Any, **counts: Any) -> SessionStatistics:
    names = ("name", "duration_ns", "counters", "histograms")
    given = dict(zip(names, values, strict=False)) | counts
    return SessionStatistics(**{**dict.fromkeys(_STATISTICS, 0), **given})
