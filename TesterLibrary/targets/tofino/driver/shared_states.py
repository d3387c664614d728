# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Flows of clients that a responder of the same switch cannot tell apart, as their numbers are the same.

A responder numbers flows by the last bits of the client's port and address (see `FlowRange`), so two clients
with equal ones share a state: each gets what the other one's packets led to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ....model.plan.planned_end import Accept
from ....planning.switch.classes import IPV6_SERVERS
from ....planning.switch.starts import Starts
from .loaded import LoadedEnd

_FIELDS = (("IP.src", "IP.dst"), ("TCP.sport", "TCP.dport"))  # of what comes to clients, and to a responder


def shared_states(loaded: Sequence[LoadedEnd]) -> dict[str, str]:
    """Why flows of clients may have gone wrong by the tester, by the names of the clients."""
    return {
        clients.planned.name: text
        for clients in loaded
        if clients.starts is not None and clients.keeps
        for text in _shared(clients, clients.starts.planned, loaded)
    }


def _shared(clients: LoadedEnd, found: Starts, loaded: Iterable[LoadedEnd]) -> Iterator[str]:
    flows = found.hosts.count * found.ports.count
    for server in loaded:
        if server.flows is None or not server.keeps or not _serves(server, clients, found):
            continue
        told_apart = server.flows.told_apart(found.hosts.count, found.ports.count)
        if told_apart < flows:
            hosts = server.flows.hosts
            yield (
                f"connections of clients {clients.planned.name!r} may have mixed up one another's states: "
                f"responder {server.planned.name!r} of the same switch numbers connections by "
                f"{server.flows.port_bits} bits of the port and {hosts.bit_length() - 1} of the address, so "
                f"it tells {told_apart:,} of these {flows:,} apart; give one address with more ports as "
                "sources="
            )


def _serves(server: LoadedEnd, clients: LoadedEnd, found: Starts) -> bool:
    """Whether clients ask for what a responder answers, in its VLAN."""
    if server.starts is not None or server.planned.vlan != clients.planned.vlan:
        return False
    target = {accept.field: accept for accept in found.target}
    served = {accept.field: accept for accept in server.planned.accepts}
    return IPV6_SERVERS not in served and all(
        there not in served or _overlap(target[here], served[there]) for here, there in _FIELDS
    )


def _overlap(one: Accept, other: Accept) -> bool:
    """Whether some value is taken by both."""
    return one.first < other.first + other.count and other.first < one.first + one.count
