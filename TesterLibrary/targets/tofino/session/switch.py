# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface to a switch: all requests of a driver, without the vendor's words.

`RemoteSwitch` speaks to the vendor's client in a separate process; `FakeSwitch` simulates a switch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ....errors import TargetError
from ..entries.entry import TableEntry, Value

Reading = Mapping[str, int | str | bool | Sequence[int]]  # by field; a list has one number for each pipe


def number_of(reading: Reading, name: str) -> int:
    """The number of a field. TargetError if the switch has answered something else."""
    value = reading[name]
    if isinstance(value, int):
        return value
    raise TargetError(f"the switch answered {value!r} for {name}, which is no number; look at its driver")


def numbers_of(reading: Reading, name: str) -> list[int]:
    """The numbers of a field, one for each pipe. TargetError as `number_of`."""
    value = reading[name]
    if isinstance(value, str):
        raise TargetError(f"the switch answered {value!r} for {name}, which is no number; look at its driver")
    return [value] if isinstance(value, int) else list(value)


MEDIA = ("copper", "optical", "none")
FECS = ("none", "fc", "rs")


class SwitchGone(TargetError):
    """The daemon of the switch cannot be reached any more. When it is back, its tables are empty."""


@dataclass(frozen=True)
class PortSetup:
    """The settings with which a port is brought up."""

    device_port: int
    speed_bps: int
    fec: str = "none"  # one of FECS
    loopback: bool = False  # egress wired to ingress, next to the MAC


@dataclass(frozen=True)
class PortState:
    """The state of a port."""

    device_port: int
    up: bool
    medium: str = "copper"  # one of MEDIA; none: no transceiver


@dataclass(frozen=True)
class Digest:
    """A message of the program about a packet."""

    name: str  # the kind, by its name in the schema: `external.ExternalIngressDeparser.misrouted`
    fields: Mapping[str, int]


@dataclass(frozen=True)
class Asked:
    """An entry to be read: its table and key."""

    table: str
    key: Mapping[str, Value]


class Switch(Protocol):
    """One switch with one program.

    Every call raises SwitchGone when its daemon is gone, TargetError when the daemon answers with an error,
    and PlanError when it refuses the request, after which nothing has changed.
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
        """The present states of ports, in this order."""
        ...

    def changed_ports(self) -> tuple[PortState, ...]:
        """The changes of ports that the switch has notified since the last call, one by one and in order."""
        ...

    def digests(self) -> tuple[Digest, ...]:
        """The program's digests since the last call, as far as the chip had room for them.

        Equal digests are given once.
        """
        ...

    def take_worst_pause_ns(self) -> int | None:
        """The longest time since the last call in which a fake switch had no CPU; None where none can be."""
        ...

    def write(self, batch: Sequence[TableEntry]) -> None:
        """Adds entries, or changes those with the same key.

        All of them are written or none. Registers, counters and meters, which always exist, come first; they
        keep the values that were written even if a table is full.
        """
        ...

    def delete(self, batch: Sequence[TableEntry]) -> None:
        """Removes entries by their keys; their data do not matter."""
        ...

    def clear(self, tables: Iterable[str]) -> None:
        """Removes all entries, or sets all numbers of a register to 0."""
        ...

    def sync(self, tables: Sequence[str]) -> None:
        """Copies registers and counters from the chip for `read`. Returns when that is done."""
        ...

    def read(self, asked: Sequence[Asked], *, from_chip: bool = False) -> list[Reading]:
        """The data of entries, in this order: from the copy, or one by one from the chip."""
        ...

    def mac_counters(self, device_ports: Sequence[int]) -> list[Reading]:
        """The present counters of the ports' MACs, by the names of the table ``$PORT_STAT``.

        They are empty if the daemon has no such table.
        """
        ...

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """Makes multicast groups of device ports, by number."""
        ...

    def remove_groups(self, numbers: Sequence[int]) -> None:
        """Forgets multicast groups."""
        ...

    def set_mirror(self, session: int, device_port: int | None) -> None:
        """Leads the copies of a mirror session, from 1, to a device port; None: to none."""
        ...

    def on_loss(self, batch: Sequence[TableEntry], removed: Sequence[TableEntry] = ()) -> None:
        """Sets what is done when this client ends in any way; it replaces an earlier call.

        Args:
            batch: Entries to write then.
            removed: Entries to delete then.
        """
        ...

    def send(self, frames: Sequence[bytes]) -> None:
        """Sends packets to the program through the port of the switch's CPU."""
        ...

    def received(self) -> list[bytes]:
        """Packets that came through that port since the last call."""
        ...

    def close(self) -> None:
        """Releases the program. Never raises."""
        ...
