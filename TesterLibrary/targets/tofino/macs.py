# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the MACs of ports have met, by the counters that a daemon has of them in its table ``$PORT_STAT``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...measurement.counter import increase
from ...measurement.snapshot import PortCounters
from .switch import Reading

# As the chip's table calls them. A MAC whose buffer is full drops a frame before the program sees it.
NAMES = {
    "rx_errors": "$FrameswithanyError",
    "tx_errors": "$FramesTransmittedwithError",
    "rx_pause": "$FramesReceivedoftypePAUSE",
    "rx_missed": "$FramesDroppedBufferFull",
}
MacCounters = Mapping[str, int | None]  # by the fields of PortCounters; None: the daemon does not say


def mac_counters(reading: Reading) -> MacCounters:
    """Of one port since its daemon began."""
    found = {name: reading.get(own) for name, own in NAMES.items()}
    return {name: value if isinstance(value, int) else None for name, value in found.items()}


def with_macs(port: PortCounters, begin: MacCounters, now: MacCounters) -> PortCounters:
    """Counters of a port, with what its MAC has met since the begin."""
    since = {name: increase(begin[name], now[name]) for name in NAMES}
    return replace(
        port,
        rx_errors=since["rx_errors"],
        tx_errors=since["tx_errors"],
        rx_pause=since["rx_pause"],
        rx_missed=since["rx_missed"],
    )
