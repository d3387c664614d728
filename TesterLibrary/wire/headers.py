# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lays a header stack out with Scapy; fields that its author left open follow from the ports.

Scapy's own defaults are not used for addresses: it would look them up on this machine and on its networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from ipaddress import ip_address
from itertools import takewhile
from operator import truediv
from typing import TYPE_CHECKING, Any

from ..errors import PlanError, did_you_mean
from ..model.headers import Header, HeaderStack, HeaderType, Value
from .address import Station
from .header_catalog import Catalog, scapys_field
from .header_values import converted, resolved

if TYPE_CHECKING:
    from scapy.packet import Packet

ECHO_PORT = 7  # destination, and 0xC020 the source, of the test frame in RFC 2544 C.2.6.4
SOURCE_PORT = 0xC020
TTL = 64
EXPERIMENTAL_TYPE = 0x88B5  # EtherType for local experiments (IEEE 802)
_EXPERIMENTAL_PROTOCOL = 253  # RFC 3692

_PORTS = {"sport": SOURCE_PORT, "dport": ECHO_PORT}
# Values of fields that neither the author nor the header above sets.
_DEFAULTS: Mapping[str, Mapping[str, int]] = {
    "Ether": {"type": EXPERIMENTAL_TYPE},
    "Dot1Q": {"type": EXPERIMENTAL_TYPE},
    "Dot1AD": {"type": EXPERIMENTAL_TYPE},
    "GRE": {"proto": EXPERIMENTAL_TYPE},
    "GENEVE": {"proto": EXPERIMENTAL_TYPE},
    "GTP_U_Header": {"gtp_type": 255},  # a user's packet
    "IP": {"ttl": TTL, "id": 0, "proto": _EXPERIMENTAL_PROTOCOL},
    "IPv6": {"hlim": TTL},
    "MPLS": {"ttl": TTL},
    "UDP": _PORTS,
    "TCP": _PORTS,
    "SCTP": _PORTS,
    "SCTPChunkData": {"beginning": 1, "ending": 1},
}


@dataclass(frozen=True)
class Route:
    """The sender and receiver of a stream's frames, and the MAC address of the next hop."""

    tx: Station
    rx: Station
    next_hop: bytes


def lay_out(stack: HeaderStack, ends: Route) -> Packet:
    """The headers, every field of them set, without payload.

    Raises:
        PlanError: naming the header and the field: what was given, what is allowed.
    """
    catalog = Catalog(stack.types)
    layers = [_layer(header, catalog[header.name]) for header in stack.headers]
    if type(layers[0]).__name__ not in ("Ether", "Dot3"):
        raise PlanError(f"{stack.names} does not begin with Ether; a frame does")
    if type(layers[-1]).__name__ == "SCTP":  # it carries nothing but chunks
        layers.append(catalog["SCTPChunkData"]())
    packet = reduce(truediv, layers)
    for index, layer in enumerate(chain := list(layers_of(packet))):
        _complete(chain, index, layer, ends, catalog.types)
    return packet


def layers_of(packet: Packet) -> Iterator[Packet]:
    """The headers of a packet, the outermost first."""
    from scapy.packet import NoPayload

    while not isinstance(packet, NoPayload):
        yield packet
        packet = packet.payload


def _layer(header: Header, kind: type[Packet]) -> Packet:
    layer = kind()
    layer.fields.clear()  # Scapy counts its defaults of lists among what was given
    for name, value in header.fields:
        _set(layer, scapys_field(header.name, name), value, header.name)
    return layer


def _set(layer: Packet, name: str, value: Value, header: str) -> None:
    """Sets a field to what was written for it, or refuses that."""
    known = {field.name: field for field in layer.fields_desc}
    if name not in known:
        hint = did_you_mean(name, known)
        raise PlanError(f"{header} has no field {name!r}{hint}. It has {', '.join(known)}")
    try:
        layer.setfieldval(name, converted(resolved(known[name], layer), value))
    except ValueError as problem:
        written = value if isinstance(value, str) else f"[{', '.join(value)}]"
        raise PlanError(f"{header}: {name}={written}: {problem}") from None


def _complete(
    chain: list[Packet], index: int, layer: Packet, ends: Route, types: Mapping[str, HeaderType]
) -> None:
    """Sets the fields that nobody has set."""
    name = type(layer).__name__
    above = chain[index + 1] if index + 1 < len(chain) else None
    for field, number in _announcements(name, type(above).__name__, types):
        if field not in layer.fields:
            _set(layer, field, str(number), name)
    wanted: dict[str, Any] = {**_DEFAULTS.get(name, {}), **_addresses(layer, ends)}
    if index == 0:
        wanted |= {"dst": _destination(chain, ends)}
    wanted |= _by_neighbours(layer, above, ends)
    for field, value in wanted.items():
        if field not in layer.fields and field not in layer.overloaded_fields:
            layer.setfieldval(field, value)


def _announcements(name: str, follower: str, types: Mapping[str, HeaderType]) -> Iterator[tuple[str, int]]:
    """Fields by which a header announces the next one, where a header file defines either of them."""
    if follower in types:
        yield from types[follower].follows.get(name, {}).items()
    if name in types:
        yield from types[name].carries.get(follower, {}).items()


def _addresses(layer: Packet, ends: Route) -> dict[str, str]:
    """The addresses of fields that Scapy would look up."""
    from scapy.fields import DestIP6Field, SourceIP6Field, SourceIPField
    from scapy.layers.inet import DestIPField
    from scapy.layers.l2 import DestMACField, SourceMACField

    tx, rx = ends.tx, ends.rx
    found = {
        SourceMACField: text(tx.port.mac),
        DestMACField: text(rx.port.mac),
        SourceIPField: str(tx.host(4)),
        DestIPField: str(rx.host(4)),
        SourceIP6Field: str(tx.host(6)),
        DestIP6Field: str(rx.host(6)),
    }
    return {
        field.name: value
        for field in layer.fields_desc
        for kind, value in found.items()
        if isinstance(resolved(field, layer), kind)
    }


def _by_neighbours(layer: Packet, above: Packet | None, ends: Route) -> dict[str, Any]:
    """Values that depend on the header above, for fields that Scapy leaves to its user."""
    name, follower = type(layer).__name__, type(above).__name__
    if name == "MPLS":
        return {"s": int(follower != "MPLS")}
    if name == "VXLAN" and follower == "Ether":
        layer.overloaded_fields = {}  # Scapy makes it VXLAN-GPE, which plain VXLAN tunnels may refuse
        return {"flags": 0x08}
    if name == "ARP":
        return {"pdst": str(ends.tx.port.gateway or ends.rx.host(4))}
    if name == "IPv6ExtHdrSegmentRouting":
        return {"addresses": [str(ends.rx.host(6))]}
    if name == "IPv6" and above is not None and follower == "IPv6ExtHdrSegmentRouting":
        segments = above.fields.get("addresses") or [str(ends.rx.host(6))]
        left = above.fields.get("segleft", len(segments) - 1)
        return {"dst": segments[left]} if left < len(segments) else {}
    return {}


def _destination(chain: list[Packet], ends: Route) -> str:
    """The frame's destination MAC address: the next hop, or the group that its network header is for."""
    tags = ("Dot1Q", "Dot1AD", "MPLS")
    network = chain[1 + len(list(takewhile(lambda layer: type(layer).__name__ in tags, chain[1:]))) :][:1]
    name = type(network[0]).__name__ if network else ""
    if name == "ARP" and network[0].op == 1:
        return "ff:ff:ff:ff:ff:ff"
    given = network[0].fields.get("dst") if name in ("IP", "IPv6") else None
    if given == "255.255.255.255":
        return "ff:ff:ff:ff:ff:ff"
    if given and ip_address(given).is_multicast:
        low = ip_address(given).packed
        group = (
            b"\x33\x33" + low[-4:] if name == "IPv6" else bytes([1, 0, 0x5E, low[1] & 0x7F, low[2], low[3]])
        )
        return text(group)
    return text(ends.next_hop)


def text(mac: bytes) -> str:
    """A MAC address in the usual notation: `02:00:00:00:00:01`."""
    return mac.hex(":")
