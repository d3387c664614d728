# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A configuration of the model as this tester has it: ports, devices, flows and captures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...measurement.delays.correction import DelayKind
from ...model.ports import Address, Port
from ...model.stream import Stream
from .sending import Limit


@dataclass(frozen=True)
class PortSetting:
    """A port of the configuration."""

    name: str
    location: str
    port: str  # the tester's name of it


@dataclass(frozen=True)
class Interface:
    """An IP address of an emulated device."""

    name: str
    ethernet: str
    device: str
    port: str  # the tester's name of it
    mac: bytes
    address: Address
    gateway: Address
    gateway_mac: bytes | None = None  # None: the tester asks for it


@dataclass(frozen=True)
class Part:
    """A stream of a flow: all of it, or its frames between two devices."""

    stream: Stream
    limit: Limit


@dataclass(frozen=True)
class FlowSetting:
    """A flow, and what is to be told of it."""

    name: str
    index: int  # in the configuration
    parts: tuple[Part, ...]
    tx: str  # names of ports in the configuration
    rx: str  # empty: any
    anywhere: bool  # frames count at whatever port they arrive
    enabled: bool
    loss: bool = False
    latency: DelayKind | None = None
    timestamps: bool = False
    unresolved: str = ""  # the interface whose gateway has to be found before it can be sent

    @property
    def place(self) -> str:
        """Its path in the configuration."""
        return f"flows[{self.index}]"


@dataclass(frozen=True)
class CaptureSetting:
    """A capture of the frames that arrive on a port."""

    name: str
    port: str  # the tester's name of it
    newest: bool = True  # keeps the newest frames when there are more than it may keep, not the first ones
    packet_size: int = 0  # bytes of each frame, FCS included; 0: all
    is_pcapng: bool = False


@dataclass(frozen=True)
class Settings:
    """A whole configuration."""

    ports: Mapping[str, PortSetting] = field(default_factory=dict)  # by their names in the configuration
    tester_ports: Mapping[str, Port] = field(default_factory=dict)  # with the speeds that it gives them
    interfaces: Mapping[str, Interface] = field(default_factory=dict)  # by name
    flows: Mapping[str, FlowSetting] = field(default_factory=dict)  # by name
    captures: Mapping[str, CaptureSetting] = field(default_factory=dict)  # by the tester's name of the port
    warnings: tuple[str, ...] = ()
