# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The boundary to a switch: all that a driver asks of one, in our words.

`RemoteSwitch` speaks to the vendor's client in a process of its own; `FakeSwitch` does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...errors import TargetError
from .entry import Entry, Value

Reading = Mapping[str, int | str | bool | Sequence[int]]  # by field; a list has one number for each pipe

MEDIA = ("copper", "optical", "none")
FECS = ("none", "fc", "rs")


class SwitchGone(TargetError):
    """The daemon of the switch cannot be reached any more. Once it can, its tables are empty."""


@dataclass(frozen=True)
class PortSetup:
    """How a port is brought up."""

    device_port: int
    speed_bps: int
    fec: str = "none"  # of FECS
    loopback: bool = False  # egress wired to ingress, next to the MAC


@dataclass(frozen=True)
class PortState:
    """How it is."""

    device_port: int
    up: bool
    medium: str = "copper"  # of MEDIA; none: no transceiver


@dataclass(frozen=True)
class Digest:
    """What a program tells of a packet."""

    name: str  # of the kind, as the schema has it: `external.ExternalIngressDeparser.misrouted`
    fields: Mapping[str, int]


@dataclass(frozen=True)
class Asked:
    """An entry to be read: its table and key."""

    table: str
    key: Mapping[str, Value]


class Switch(Protocol):
    """One switch with one program.

    Every call raises SwitchGone when its daemon is, TargetError when it answers with an error of its own, and
    PlanError when it refuses what it was given, after which nothing has changed.
    """

    def bind(self) -> None:
        """Takes the program for this client. TargetError: another client has it, or another program runs."""
        ...

    def device_port(self, front: str) -> int:
        """The number of a front-panel port, connector and channel: `1/0`. PlanError if there is none."""
        ...

    def set_ports(self, ports: Sequence[PortSetup]) -> None:
        """Adds and enables ports; those that were added already are added anew."""
        ...

    def remove_ports(self, device_ports: Sequence[int]) -> None:
        """Disables and forgets ports."""
        ...

    def port_states(self, device_ports: Sequence[int]) -> tuple[PortState, ...]:
        """As they are now, in this order."""
        ...

    def changed_ports(self) -> tuple[PortState, ...]:
        """What the switch has told of ports since it was asked last, each change by itself and in order."""
        ...

    def digests(self) -> tuple[Digest, ...]:
        """What the program has told since it was asked last, as far as the chip had room for it.

        Of those that are alike, one.
        """
        ...

    def write(self, batch: Sequence[Entry]) -> None:
        """Adds entries, or changes those with the same key.

        All of them or none. Registers, counters and meters, which always are there, come first; they keep
        what was written to them when a table is full.
        """
        ...

    def delete(self, batch: Sequence[Entry]) -> None:
        """Removes entries by their keys; their data are not looked at."""
        ...

    def clear(self, tables: Iterable[str]) -> None:
        """Removes all entries, or sets all numbers of a register to 0."""
        ...

    def sync(self, tables: Sequence[str]) -> None:
        """Has registers and counters copied from the chip, for `read`. Returns when that is done."""
        ...

    def read(self, asked: Sequence[Asked], *, from_chip: bool = False) -> list[Reading]:
        """The data of entries, in this order: from the copy, or one by one from the chip."""
        ...

    def mac_counters(self, device_ports: Sequence[int]) -> list[Reading]:
        """Of the MACs of ports, as they are now, by the names of the table ``$PORT_STAT``.

        Those of a daemon that has no such table are empty.
        """
        ...

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """Makes multicast groups, by number, of device ports."""
        ...

    def remove_groups(self, numbers: Sequence[int]) -> None:
        """Forgets multicast groups."""
        ...

    def on_loss(self, batch: Sequence[Entry]) -> None:
        """Entries that are written when this client ends, in whatever way, in place of those told before."""
        ...

    def send(self, frames: Sequence[bytes]) -> None:
        """Packets to the program through the port of the switch's CPU."""
        ...

    def received(self) -> list[bytes]:
        """Packets that came through that port since it was asked last."""
        ...

    def close(self) -> None:
        """Gives the program free. Never raises."""
        ...
