# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of an end, and addresses that it asks for before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address

from ..model.ports import Address, Port
from ..model.protocol import Protocol
from ..model.responder import Clients, End, Responder
from ..protocols.checker import load_protocol
from ..wire.address import Station, station_of

MOST_TARGETS = 64  # addresses that clients reach without a gateway
_IPV4 = IPv4Address(0)


def protocol_of(end: End, ports: Mapping[str, Port]) -> Protocol:
    """The table of an end, over the IP version of its addresses, or of its port if it names none."""
    own = ports[end.port].address if end.port in ports else None
    addresses = end.target.addresses if isinstance(end, Clients) else None
    if isinstance(end, Responder) and end.servers:
        addresses = end.servers.addresses
    return load_protocol(end.protocol, (addresses.first if addresses else own or _IPV4).version)


def asked_for(end: End, ports: Mapping[str, Port]) -> Iterator[tuple[Station, Address]]:
    """Addresses whose MAC addresses clients without a gateway need, and who asks for them.

    PlanError if they are too many.
    """
    port = ports.get(end.port)
    if isinstance(end, Clients) and port and not port.gateway:
        station = station_of(port, ports)
        if end.target.addresses.count > MOST_TARGETS:
            raise end.refused(
                f"{end.target.addresses} are {end.target.addresses.count:,} addresses; without a gateway "
                f"{MOST_TARGETS} at most are asked for"
            )
        yield from ((station, address) for address in end.target.addresses)
