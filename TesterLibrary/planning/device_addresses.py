# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses that belong to the device or to a whole network: the tester never answers for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Interface

from ..model.plan.plan import PlannedNeighbour
from ..model.ports import Address, Port

_POINT_TO_POINT = 1  # host bits of a network whose addresses are all hosts (RFC 3021, RFC 6164)


class DeviceAddresses:
    """Gateways of all ports; network, broadcast and subnet-router anycast addresses of a port's network."""

    def __init__(self, ports: Mapping[str, Port]) -> None:
        self._ports = ports
        self._gateways = {port.gateway: port.name for port in ports.values() if port.gateway}

    def role(self, address: Address, port: str) -> str:
        """The role of an address in the network of a port; empty: a host of the tester may have it."""
        if owner := self._gateways.get(address):
            return f"gateway of {owner}"
        interface = self._ports[port].address
        if interface is None or address not in interface.network:
            return ""
        network = interface.network
        if network.max_prefixlen - network.prefixlen <= _POINT_TO_POINT:
            return ""
        if address == network.network_address:
            return "network address" if isinstance(address, IPv4Address) else "subnet-router anycast address"
        is_broadcast = isinstance(address, IPv4Address) and address == network.broadcast_address
        return "broadcast address" if is_broadcast else ""

    def objection(self, first: int, last: int, bits: int, port: str) -> str:
        """Why the tester does not answer for a range of addresses of so many bits; empty if it may.

        Network and broadcast addresses are no objection: no host asks for the one that has them.
        """
        kind: type[IPv4Address] | type[IPv6Address] = IPv4Address if bits == 32 else IPv6Address
        routers = set(self._gateways)
        interface = self._ports[port].address
        if isinstance(interface, IPv6Interface):
            routers.add(interface.network.network_address)
        inside = [a for a in routers if a.max_prefixlen == bits and first <= int(a) <= last]
        roles = [
            f"{address} ({role})" for address in sorted(inside, key=int) if (role := self.role(address, port))
        ]
        if not roles:
            return ""
        return (
            f"the tester does not answer for {', '.join(roles)}: that would speak for the device under test; "
            f"give addresses without it, not {kind(first)} to {kind(last)}"
        )

    def remarks(self, neighbours: Iterable[PlannedNeighbour]) -> Iterator[str]:
        """One sentence for each port that has such addresses among these."""
        roles: dict[str, dict[Address, str]] = {}
        for neighbour in neighbours:
            if role := self.role(neighbour.address, neighbour.port):
                roles.setdefault(neighbour.port, {})[neighbour.address] = role
        for port, addresses in roles.items():
            names = ", ".join(f"{address} ({role})" for address, role in addresses.items())
            yield f"port {port} does not answer ARP or neighbour discovery for {names}"
