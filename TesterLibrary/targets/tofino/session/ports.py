# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The device ports of a switch, as its chip numbers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ....errors import PlanError
from ....measurement.counter import increase
from ....measurement.snapshot import PortCounters
from ....model.ports import Port
from ....planning.switch.allocation import LoopbackPort
from ...base import PortInfo
from .session import SwitchSession
from .switch import Reading

# Names in the chip's table. A MAC whose buffer is full drops a frame before the program sees it.
NAMES = {
    "rx_errors": "$FrameswithanyError",
    "tx_errors": "$FramesTransmittedwithError",
    "rx_pause": "$FramesReceivedoftypePAUSE",
    "rx_missed": "$FramesDroppedBufferFull",
}
MacCounters = Mapping[str, int | None]  # by the fields of PortCounters; None: the daemon does not count it


@dataclass(frozen=True)
class SwitchPorts:
    """Device ports: numbers of 9 bits, the pipeline in the upper two."""

    front: Mapping[str, int]  # by the name that the testbed gives a port
    loopback: Mapping[LoopbackPort, int]  # by their place in the plan
    cpu: int  # the port of packets to and from the driver
    known: Mapping[str, Port]  # the front-panel ports, for the planner

    def of(self, name: str) -> int:
        """A front-panel port. PlanError names those there are."""
        if name not in self.front:
            raise PlanError(f"the switch has no port {name!r}; it has {', '.join(self.front)}")
        return self.front[name]

    def loop(self, place: LoopbackPort) -> int:
        """A loopback port. PlanError if the testbed gives the switch fewer."""
        if place not in self.loopback:
            raise PlanError(
                f"loopback ports: {place} is needed, {len(self.loopback)} there; "
                "give the testbed more, or use fewer streams"
            )
        return self.loopback[place]


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


def port_infos(session: SwitchSession) -> Iterator[PortInfo]:
    """The ports of the testbed, in their order."""
    for port, state in zip(session.cabling.front, session.states, strict=True):
        speed = int(port.port.speed.bps)
        yield PortInfo(
            port.port.name,
            "tofino",
            f"{port.front}, device port {state.device_port}",
            port.port.mac,
            speed,
            state.up,
            port.port.max_frame_size,
        )
