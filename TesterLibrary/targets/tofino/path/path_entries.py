# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of a path in a switch: what p4/path_pipeline.p4 matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ....model.inline import Corrupt, Drop, Mark
from ....planning.switch.inline import REACHED_BITS, SLOTS, FollowedFlow, SelectedPacket, SwitchPath
from ....planning.switch.watch import Watch
from ..copies.copies import MIRROR
from ..entries.entry import Masked, TableEntry, Value

INGRESS, EGRESS = "path.PathIngress", "path.PathEgress"
PORTS = f"{INGRESS}.ends.ports"
WATCHES = f"{INGRESS}.watches.watches"
FLOWS = f"{INGRESS}.progress.followed_flows"
NUMBERED = f"{INGRESS}.numbered.packets"
REPEATED = f"{INGRESS}.repeated.packets"
NUMBERS, DUE = f"{INGRESS}.copying.numbers", f"{INGRESS}.due"  # of copies
REGISTERS = tuple(  # that numbers of flows and packets are kept in
    f"{INGRESS}.{name}"
    for name in (
        "flows.appeared",
        "flows.flows",
        "flows.numbers",
        "flows.owners",
        "flows.openings",
        "progress.progress",
        "progress.numbers",
        "first.transmissions",
        "second.transmissions",
        "third.transmissions",
        "fourth.transmissions",
    )
)
_SLOTS = ("first", "second", "third", "fourth")
_HEADINGS = ("forward", "backward")
_LAYERS = {"": (0, 0), "_tcp": (1, 0), "_udp": (0, 1)}
_ACTIONS = {Drop: "drop", Mark: "mark", Corrupt: "corrupt"}
assert len(_SLOTS) == SLOTS


@dataclass(frozen=True)
class CountedPacket:
    """A selected transmission, and the entry that counts it."""

    packet: SelectedPacket
    happens: bool  # whether its event can happen to it
    entry: TableEntry


@dataclass(frozen=True)
class CountedFlow:
    """A followed direction of a flow, and the entry that counts its packets."""

    flow: FollowedFlow
    entry: TableEntry


@dataclass(frozen=True)
class LoadedPath:
    """A path in a switch, ready to be written.

    Args:
        path: What it is planned as.
        ports: Its device ports, in the order of its ports.
        series: The series of the copies of its packets; 0: it is not traced.
    """

    path: SwitchPath
    ports: tuple[int, int]
    series: int = 0

    def traced_as(self, series: int) -> LoadedPath:
        """The same path, whose packets are copied in this series; 0: it is not traced."""
        return replace(self, series=series)

    @property
    def forwarding(self) -> tuple[TableEntry, ...]:
        """The entries that make it forward."""
        return tuple(
            _entry(
                PORTS,
                {"ingress_port": port, "tcp_valid": tcp, "udp_valid": udp},
                f"ends.{heading}{layer}",
                {"port": other, "series": self.series, "session": MIRROR if self.series else 0},
            )
            for port, other, heading in zip(self.ports, self.ports[::-1], _HEADINGS, strict=True)
            for layer, (tcp, udp) in _LAYERS.items()
        )

    @property
    def watches(self) -> tuple[TableEntry, ...]:
        """The entries of the packets that its events see, one for each of its ports."""
        watch = self.path.watch
        return () if watch is None else tuple(_watch(watch, port) for port in self.ports)

    @property
    def flows(self) -> tuple[CountedFlow, ...]:
        """The directions of flows that are followed."""
        return tuple(
            CountedFlow(
                flow,
                _entry(
                    FLOWS,
                    {"flow": flow.flow, "heading": flow.direction, "data": flow.data},
                    "progress.follow",
                    {"own": flow.place, "counted": flow.tally},
                ),
            )
            for flow in self.path.followed
        )

    @property
    def packets(self) -> tuple[CountedPacket, ...]:
        """The transmissions that are selected."""
        return tuple(map(self._selected, self.path.packets))

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """All of its entries but those that make it forward."""
        return (*self.watches, *self.counted)

    @property
    def counted(self) -> tuple[TableEntry, ...]:
        """The entries that count: those of flows, then those of packets."""
        return (*(flow.entry for flow in self.flows), *(packet.entry for packet in self.packets))

    def _selected(self, packet: SelectedPacket) -> CountedPacket:
        action = None if packet.event is None else self.path.planned.events[packet.event].action
        happens = action is not None and (packet.has_payload or not isinstance(action, Corrupt))
        verb = _ACTIONS[type(action)] if happens and action is not None else "pass"
        data: dict[str, Value] = {}
        if happens and packet.event is not None:
            data["happens"] = packet.event + 1
        if happens and isinstance(action, Corrupt):
            data["mask"] = 1 << REACHED_BITS - 1 - action.bit
        if packet.is_first:
            key = {"tally": packet.tally, "number": packet.number, "heading": packet.direction}
            begins = {name: int(slot == packet.slot) for slot, name in enumerate(_SLOTS, 1)}
            table, control, data = NUMBERED, "numbered", {**begins, **data}
        else:
            times = {
                name: packet.iteration if slot == packet.slot else 0 for slot, name in enumerate(_SLOTS, 1)
            }
            table, control, key = REPEATED, "repeated", {"place": packet.place, **times}
        key["payload_valid"] = int(packet.has_payload)
        return CountedPacket(packet, happens, _entry(table, key, f"{control}.{verb}", data))


def _watch(watch: Watch, port: int) -> TableEntry:
    key: dict[str, Value] = {"$MATCH_PRIORITY": 0, "ingress_port": Masked(port, 0x1FF)}
    key |= {name: Masked(*bits) for name, bits in watch.items()}
    return _entry(WATCHES, key, "watches.see", {})


def _entry(table: str, key: Mapping[str, Value], action: str, data: Mapping[str, Value]) -> TableEntry:
    return TableEntry(table, key, f"PathIngress.{action}", data)


def resets(path: LoadedPath) -> Iterator[TableEntry]:
    """The entries that count, with counts of 0."""
    for entry in path.counted:
        yield TableEntry(entry.table, entry.key, entry.action, {**entry.data, "$COUNTER_SPEC_PKTS": 0})
