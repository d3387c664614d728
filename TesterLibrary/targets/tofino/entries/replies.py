# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of protocols without state (p4/templates/replies.p4.j2): rows in ingress, replies in egress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

from ....model.plan.plan import PlannedNeighbour
from ....model.plan.planned_end import Accept
from ....planning.switch.chip import PORT_MASK
from ....planning.switch.match_action import MatchAction, match_action, reply_action, row_key
from ....planning.switch.replies import accepted_fields, header_key, known_by, reply_rows
from ....protocols.checker import load_protocol
from .classifier import accepts, vlan_key
from .entry import Masked, TableEntry, Value

_ROWS = "ExternalIngress.reply_rows"
_REPLIES = "ExternalEgress.replies"


@dataclass(frozen=True)
class BypassRow:
    """An entry of a row, and the counters that a matching packet adds to."""

    entry: TableEntry
    counts: tuple[str, ...]
    replies: bool


def reply_entries(
    program: MatchAction, parameters: Mapping[str, int], numbers: Sequence[int]
) -> Iterator[TableEntry]:
    """The entries in egress, which give each number the action of a protocol's reply."""
    protocol = program.protocol
    bits = {parameter.name for parameter in protocol.parameters}
    for reply, number in enumerate(numbers):
        fields = reply_rows(program).replies[reply].fields
        needed = {name for _, value in fields for name in value.names} & bits
        yield TableEntry(
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
        program: A protocol without state.
        taken: The fields that select the end's packets.
        port: The device port that they arrive by, and replies leave by.
        vlan: VLAN of the packets; None: untagged packets.
        numbers: The numbers of the protocol's replies.
        priority: Priority of the first row; rows with a lower number are tried first.
    """
    common: dict[str, Value] = {
        "ingress_port": Masked(port, PORT_MASK),
        **vlan_key(vlan),
        header_key(known_by(program.protocol)): Masked(1, 1),
    }
    for accepted in accepts(tuple(taken), accepted_fields(program.protocol)):
        ours = {row_key(name): masked for name, masked in accepted.items()}
        for row in reply_rows(program).rows:
            key = {
                row_key(ternary.key): Masked(ternary.value, ternary.mask)
                for ternary in row.entry.match
                if ternary.mask
            }
            clash = {name for name in key.keys() & ours.keys() if not _meet(key[name], ours[name])}
            if clash:
                continue
            both = {**ours, **{name: _both(masked, ours.get(name)) for name, masked in key.items()}}
            sends = row.reply is not None
            entry = TableEntry(
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
        """The ARP responder of these addresses."""
        return match_action(load_protocol("arp"), self.parameters)

    @property
    def parameters(self) -> Mapping[str, int]:
        """The parameters of the ARP protocol."""
        mac = int.from_bytes(self.mac, "big")
        return {"first": int(self.first), "last": int(self.last), "mac": mac}


def answered_ranges(neighbours: Iterable[PlannedNeighbour]) -> list[AnsweredRange]:
    """The ranges of IPv4 neighbours' addresses, as few as possible."""
    found: list[AnsweredRange] = []
    answered = {(n.port, n.mac, n.address) for n in neighbours if isinstance(n.address, IPv4Address)}
    for port, mac, address in sorted(answered):
        if found and (found[-1].port, found[-1].mac, found[-1].last + 1) == (port, mac, address):
            found[-1] = AnsweredRange(port, mac, found[-1].first, address)
        else:
            found.append(AnsweredRange(port, mac, address, address))
    return found


def _meet(one: Masked, other: Masked) -> bool:
    return not (one.value ^ other.value) & one.mask & other.mask


def _both(one: Masked, other: Masked | None) -> Masked:
    return one if other is None else Masked(one.value | other.value, one.mask | other.mask)
