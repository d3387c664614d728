# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients after planning: tables and numbers. Mirrors `responder.proto`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..protocol import Protocol
from ..responder import Reopen


@dataclass(frozen=True)
class Accept:
    """A field of what arrives is one of `count` values from `first` on."""

    field: str  # "IP.dst"
    first: int
    count: int

    def holds(self, value: int) -> bool:
        """Whether a packet with this value is taken."""
        return 0 <= value - self.first < self.count


@dataclass(frozen=True)
class Series:
    """A field of flow f, as it is sent: `first + f / every mod count`."""

    field: str
    first: int
    count: int = 1
    every: int = 1

    def value(self, flow: int) -> int:
        """The field's value in a flow, counted from 0."""
        return self.first + flow // self.every % self.count


@dataclass(frozen=True)
class Opening:
    """Flows that an end opens. Flow f is known by its addresses.

    An opening takes the next flow, from `first_flow` on, that was never opened; where there is none, the one
    that has been over for the longest.
    """

    flows: int  # how many there are
    addresses: tuple[Series, ...]  # of each flow field of the protocol, in its order
    source_mac: bytes
    destination_mac: bytes
    connections: int  # at once at most; 0 where the protocol keeps no flows
    rate: Fraction | None  # openings each nanosecond; None: as fast as it can
    reopen: Reopen
    total: int = 0  # 0: until it is stopped
    first_flow: int = 0  # the flow that is opened first


@dataclass(frozen=True)
class PlannedEnd:
    """One end of a protocol, ready for any target."""

    name: str
    port: str
    protocol: Protocol
    parameters: Mapping[str, int]  # all that its tables have
    accepts: tuple[Accept, ...]
    seed: int
    flow_capacity: int  # 0 where the protocol keeps no flows
    vlan: int | None = None
    opening: Opening | None = None
    out_port: str | None = None  # where its frames leave; None: its own port
    is_trigger: bool = False  # it takes only packets that a row with actions is for
    most: int = 0  # packets that a trigger takes; 0: any number
