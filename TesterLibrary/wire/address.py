# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of a stream's ports on the network, where the testbed gives none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address

from ..errors import PlanError
from ..model.ports import Address, Forwarding, Port
from ..model.stream import Stream

# Set aside for benchmarks: 198.18.0.0/15 (RFC 2544 C.2.2) and 2001:2::/48 (RFC 5180 §8). Hosts begin at 2, as
# in the RFC, where 1 is the device.
_FIRST_IPV4 = IPv4Address("198.18.0.2")
_FIRST_IPV6 = IPv6Address("2001:2::2")
_IP = ("IP", "IPv6")


@dataclass(frozen=True)
class Station:
    """A port with the address it has for one stream, and one of the other IP version for other headers."""

    port: Port
    address: Address
    other: Address

    def host(self, version: int) -> Address:
        """Its address of IP version 4 or 6."""
        return self.address if self.address.version == version else self.other


def stations(stream: Stream, ports: Mapping[str, Port]) -> tuple[Station, Station]:
    """The sender and the receiver of a stream, both of one IP version unless its device translates.

    A port without an address gets one of the benchmark range, of its peer's IP version (IPv4 if neither has
    an address), and the same one whenever the tester has the same ports.

    Raises:
        PlanError: a port that does not exist, two ports with one address, one IPv4 and one IPv6 address and
            no NAT64 between them, or a gateway without an address.
    """
    tx, rx = _port(stream, stream.tx, "tx", ports), _port(stream, stream.rx, "rx", ports)
    if tx is not rx and tx.address and rx.address and tx.address.ip == rx.address.ip:
        raise PlanError(
            f"stream {stream.name!r}: ports {tx.name!r} and {rx.name!r} both have the address "
            f"{tx.address.ip}; give each its own in the testbed"
        )
    if tx.address and rx.address and tx.address.version != rx.address.version and not _is_translated(stream):
        raise PlanError(
            f"stream {stream.name!r}: port {tx.name!r} has the address {tx.address} and port {rx.name!r} "
            f"{rx.address}; both must be IPv4 or both IPv6, unless the device translates (forwarding: "
            "translated) and the stream's headers give a destination"
        )
    for port in (tx, rx):
        _check_gateway(port)
    version = next((p.address.version for p in (tx, rx) if p.address), 4)
    order = sorted(ports)
    return _station(tx, order.index(tx.name), version), _station(rx, order.index(rx.name), version)


def station_of(port: Port, ports: Mapping[str, Port]) -> Station:
    """A port by itself; without an address it gets one of the benchmark range, IPv4.

    Raises:
        PlanError: a gateway without an address.
    """
    _check_gateway(port)
    return _station(port, sorted(ports).index(port.name), port.address.version if port.address else 4)


def _is_translated(stream: Stream) -> bool:
    """Whether its frames go to an address that stands for one of the other IP version (RFC 6052)."""
    headers = stream.headers.headers if stream.headers else ()
    return stream.forwarding is Forwarding.TRANSLATED and any(
        "dst" in dict(h.fields) for h in headers if h.name in _IP
    )


def _check_gateway(port: Port) -> None:
    if port.gateway and not port.address:
        raise PlanError(f"port {port.name!r} has the gateway {port.gateway} but no address; it needs both")


def _port(stream: Stream, name: str, role: str, ports: Mapping[str, Port]) -> Port:
    if name not in ports:
        raise PlanError(
            f"stream {stream.name!r}: {role}={name!r} is no port of this tester; "
            f"it has {', '.join(sorted(ports))}"
        )
    return ports[name]


def _station(port: Port, index: int, version: int) -> Station:
    address = port.address.ip if port.address else _benchmark(index, version)
    return Station(port, address, other=_benchmark(index, 10 - address.version))


@lru_cache(maxsize=256)
def _benchmark(index: int, version: int) -> Address:
    return _FIRST_IPV6 + index if version == 6 else _FIRST_IPV4 + index
