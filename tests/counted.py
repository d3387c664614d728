# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a tester that counts everything: 0 where the classes of the library have None."""

from __future__ import annotations

from typing import Any

from TesterLibrary.measurement.definition import counted
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import (
    ClockCounters,
    EndCounters,
    OrderCounters,
    PortCounters,
    StreamCounters,
)

_OF_THE_DRIVER = ("rx_errors", "tx_errors", "tx_held", "rx_pause", "rx_unseen")  # not all drivers count them
_SHARED = ("rx_bytes", "tx_bytes", "foreign", "malformed", "full", "endless")
_SELDOM = ("rx_before_sent", "rx_lost_crowded")  # the clocks differ; who sends receives, too
_STATISTICS = (*_SHARED, "begun", "ended", "failed", "concurrent", "most_concurrent")

CLOCK = ClockCounters()


def order_counters(*values: int, **counts: Any) -> OrderCounters:
    names = (name for name in OrderCounters.__dataclass_fields__ if name != "extents")
    given = dict(zip(names, values, strict=False)) | counts
    return OrderCounters(**{**counted(OrderCounters, "engine"), **given})


def stream_counters(*values: int, **counts: Any) -> StreamCounters:
    given = dict(zip(StreamCounters.__dataclass_fields__, values, strict=False)) | counts
    zeros = counted(StreamCounters, "engine") | dict.fromkeys(_SELDOM)
    return StreamCounters(**{"id": 1, **zeros, "order": order_counters(), **given})


def port_counters(name: str, **counts: Any) -> PortCounters:
    zeros = counted(PortCounters, "engine") | {"link_up": True} | dict.fromkeys(_OF_THE_DRIVER)
    return PortCounters(name, **{**zeros, **counts})


def end_counters(*values: str, **counts: Any) -> EndCounters:
    given = dict(zip(("job", "name"), values, strict=False)) | counts
    return EndCounters(**{**counted(EndCounters, "engine"), **given})


def session_statistics(*values: Any, **counts: Any) -> SessionStatistics:
    names = ("name", "duration_ns", "counters", "histograms")
    given = dict(zip(names, values, strict=False)) | counts
    return SessionStatistics(**{**dict.fromkeys(_STATISTICS, 0), **given})
