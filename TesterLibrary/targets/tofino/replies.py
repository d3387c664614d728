# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of protocols that keep nothing (p4/templates/replies.p4.j2): rows in ingress, replies in egress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

from ...model.plan import PlannedNeighbour
from ...model.planned_end import Accept
from ...planning.match_action import MatchAction, match_action
from ...planning.row_names import reply_action, row_key
from ...planning.switch_replies import header_key, known_by, reply_rows
from ...protocols.checker import load_protocol
from . import device_port
from .classifier import accepts
from .entry import Entry, Masked, Value

_ROWS = "ExternalIngress.reply_rows"
_REPLIES = "ExternalEgress.replies"


@dataclass(frozen=True)
class BypassRow:
    """An entry of a row, and what a packet that matches it adds to."""

    entry: Entry
    counts: tuple[str, ...]
    replies: bool


def reply_entries(
    program: MatchAction, parameters: Mapping[str, int], numbers: Sequence[int]
) -> Iterator[Entry]:
    """What egress does by the numbers of a protocol's replies."""
    protocol = program.protocol
    bits = {own.name for own in protocol.parameters}
    for reply, number in enumerate(numbers):
        fields = reply_rows(program).replies[reply].fields
        needed = {name for _, value in fields for name in value.names} & bits
        yield Entry(
            f"external.{_REPLIES}.numbers",
            {"number": number},
            f"{_REPLIES}.{reply_action(protocol, reply)}",
            {name: parameters[name] for name in sorted(needed)},
        )


def bypass_rows(
    program: MatchAction,
    taken: Sequence[Accept],
    *,
    port: int,
    vlan: int | None,
    numbers: Sequence[int],
    priority: int,
) -> Iterator[BypassRow]:
    """Rows of an end at a device port.

    Args:
        program: A protocol that keeps nothing.
        taken: Which packets are the end's.
        port: The device port that they arrive by, and replies leave by.
        vlan: Of the packets; None: untagged ones.
        numbers: Of the protocol's replies.
        priority: Of the first row; the lower, the earlier a row is tried.
    """
    common: dict[str, Value] = {
        "ingress_port": Masked(port, device_port.MASK),
        "vlan_valid": Masked(int(vlan is not None), 1),
        header_key(known_by(program.protocol)): Masked(1, 1),
    }
    if vlan is not None:
        common["vlan"] = Masked(vlan, 0xFFF)
    for accepted in accepts(tuple(taken)):
        ours = {row_key(name): own for name, own in accepted.items()}
        for row in reply_rows(program).rows:
            key = {row_key(own.key): Masked(own.value, own.mask) for own in row.entry.match if own.mask}
            clash = {name for name in key.keys() & ours.keys() if not _meet(key[name], ours[name])}
            if clash:
                continue
            both = {**ours, **{name: _both(own, ours.get(name)) for name, own in key.items()}}
            sends = row.reply is not None
            entry = Entry(
                f"external.{_ROWS}.rows",
                {**common, **both, "$MATCH_PRIORITY": priority + row.entry.priority},
                f"{_ROWS}.{'reply' if sends else 'silent'}",
                {"number": numbers[row.reply]} if row.reply is not None else {},
            )
            yield BypassRow(entry, row.entry.counts, sends)


@dataclass(frozen=True)
class AnsweredRange:
    """Adjacent IPv4 addresses for which a port gives one MAC address."""

    port: str
    mac: bytes
    first: IPv4Address
    last: IPv4Address

    def program(self) -> MatchAction:
        """ARP for them."""
        return match_action(load_protocol("arp"), self.parameters)

    @property
    def parameters(self) -> Mapping[str, int]:
        """Of the protocol."""
        mac = int.from_bytes(self.mac, "big")
        return {"first": int(self.first), "last": int(self.last), "mac": mac}


def answered_ranges(neighbours: Iterable[PlannedNeighbour]) -> list[AnsweredRange]:
    """As few as there can be; addresses of IPv6 are left out."""
    found: list[AnsweredRange] = []
    own = [n for n in neighbours if isinstance(n.address, IPv4Address)]
    for neighbour in sorted(set(own), key=lambda n: (n.port, n.mac, int(n.address))):
        assert isinstance(neighbour.address, IPv4Address)
        port, mac, address = neighbour.port, neighbour.mac, neighbour.address
        if found and (found[-1].port, found[-1].mac, found[-1].last + 1) == (port, mac, address):
            found[-1] = AnsweredRange(port, mac, found[-1].first, address)
        else:
            found.append(AnsweredRange(port, mac, address, address))
    return found


def _meet(one: Masked, other: Masked) -> bool:
    return not (one.value ^ other.value) & one.mask & other.mask


def _both(one: Masked, other: Masked | None) -> Masked:
    return one if other is None else Masked(one.value | other.value, one.mask | other.mask)
