# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of the ports' MACs, which a daemon has in its table ``$PORT_STAT``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....measurement.counter import increase
from ....measurement.snapshot import PortCounters
from .switch import Reading

# Names in the chip's table. A MAC whose buffer is full drops a frame before the program sees it.
NAMES = {
    "rx_errors": "$FrameswithanyError",
    "tx_errors": "$FramesTransmittedwithError",
    "rx_pause": "$FramesReceivedoftypePAUSE",
    "rx_missed": "$FramesDroppedBufferFull",
}
MacCounters = Mapping[str, int | None]  # by the fields of PortCounters; None: the daemon does not count it


def mac_counters(reading: Reading) -> MacCounters:
    """The MAC counters of one port since its daemon began."""
    found = {name: reading.get(field) for name, field in NAMES.items()}
    return {name: value if isinstance(value, int) else None for name, value in found.items()}


def with_macs(port: PortCounters, begin: MacCounters, now: MacCounters) -> PortCounters:
    """Counters of a port, completed by those of its MAC since the begin."""
    since = {name: increase(begin[name], now[name]) for name in NAMES}
    return replace(
        port,
        rx_errors=since["rx_errors"],
        tx_errors=since["tx_errors"],
        rx_pause=since["rx_pause"],
        rx_missed=since["rx_missed"],
    )
