# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of frames: test frames and the frames from which a device learns addresses.

Scapy is imported when the first frame is built: it takes a second, which `import TesterLibrary` should not.
"""

from __future__ import annotations

import random
from ipaddress import IPv4Address
from math import ceil
from typing import TYPE_CHECKING

from ..errors import PlanError
from ..model.headers import Header, HeaderStack
from ..model.ports import Address
from ..model.stream import Stream
from ..model.units.units import FCS_LENGTH
from ..wire.address import Station
from ..wire.headers import EXPERIMENTAL_TYPE, Route, lay_out, layers_of, text
from .payload import filling
from .template import FrameTemplate

if TYPE_CHECKING:
    from scapy.packet import Packet

SIGNATURE_LENGTH = 16  # bytes at the end of a test frame: `plan.proto`, SIGNATURE

_ETHERNET = 18  # bytes of a frame that an MTU does not count: header and FCS
_CYCLIC = ("SCTP", "BTH")  # headers with a CRC over the payload, which a signature in it would break
_IP_VERSIONS = {"IP": 4, "IPv6": 6}
_CYCLIC_UNIT = 4  # the length of such packets is a multiple of so many bytes


def measured_frame(
    stream: Stream, stream_id: int, seed: int, tx: Station, rx: Station, next_hop: bytes
) -> FrameTemplate:
    """The test frame of a stream whose frames have one size.

    Unless the stream says otherwise it is that of RFC 2544 C.2.6.4: UDP, filled with counting octets.

    Its last 16 bytes are the place of the signature, filled at random from the seed and the stream's id. The
    checksums are right for that fill, and a tester keeps its one's-complement sum. It does not keep a CRC:
    behind SCTP and RoCEv2 the signature follows the packet as an Ethernet trailer, which bridges forward.
    A stream without signature has a longer payload instead.

    Raises:
        PlanError: a header or field that there is not, a value that does not fit its field, no room for
            headers, payload and signature, a port that cannot take the frame, or a trailer through a router.
    """
    stack = stream.headers or _default_stack(tx.address.version)
    try:
        _check_longest(stream, tx, rx)
        headers = lay_out(stack, Route(tx, rx, next_hop))
        _check_addresses(stack, headers, tx, rx)
        if not stream.signature:
            room = _room(stream, stack, len(_built(stack, headers)), 0)
            octets = filling(stream.payload, room, f"{seed} {stream.name}")
            return _carrying(stack, headers, octets, b"")
        cyclic = any(type(layer).__name__ in _CYCLIC for layer in layers_of(headers))
        if cyclic and (port := tx.port).gateway:
            raise PlanError(
                f"{stack.names}: its CRC leaves the signature no place but a trailer behind the packet, "
                f"which the router at port {port.name!r} ({port.gateway}) would cut; only bridges forward it"
            )
        room = _room(stream, stack, len(_built(stack, headers)), SIGNATURE_LENGTH)
        spare = room % _CYCLIC_UNIT if cyclic else 0
        octets = filling(stream.payload, room - spare, f"{seed} {stream.name}")
        signature = random.Random(f"signature {seed} {stream_id}").randbytes(SIGNATURE_LENGTH)
        inside, behind = (octets, bytes(spare) + signature) if cyclic else (octets + signature, b"")
        return _carrying(stack, headers, inside, behind)
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None


def _check_addresses(stack: HeaderStack, headers: Packet, tx: Station, rx: Station) -> None:
    """Refuses frames that no device forwards: to their source, or in an IP version that the router lacks."""
    written = {header.name: dict(header.fields) for header in reversed(stack.headers)}
    for layer in layers_of(headers):
        name = type(layer).__name__
        if name not in _IP_VERSIONS:
            continue
        if layer.src == layer.dst and tx != rx:
            raise PlanError(f"source and destination of its {name} header are both {layer.dst}; give two")
        port, version = tx.port, _IP_VERSIONS[name]
        if port.gateway and port.gateway.version != version and "dst" not in written.get(name, {}):
            raise PlanError(
                f"its frames are IPv{version}, and the testbed knows the router at port {port.name!r} by "
                f"IPv{port.gateway.version} only ({port.gateway}); give the ports IPv{version} addresses and "
                f"gateways, or {name}.dst an address that the router knows"
            )
        return


def _default_stack(version: int) -> HeaderStack:
    return HeaderStack((Header("Ether"), Header("IP" if version == 4 else "IPv6"), Header("UDP")))


def _carrying(stack: HeaderStack, headers: Packet, octets: bytes, trailer: bytes) -> FrameTemplate:
    """A template with headers, a payload and a trailer behind the packet."""
    payload_offset = len(_built(stack, headers))
    last = list(layers_of(headers))[-1]
    if type(last).__name__ == "SCTPChunkData":
        last.data = octets
    elif octets:
        last.add_payload(octets)
    if len(_built(stack, headers)) != payload_offset + len(octets):
        raise PlanError(f"{stack}: its headers change their length with the payload, which has no place then")
    return FrameTemplate(stack, headers, trailer, payload_offset)


def _built(stack: HeaderStack, headers: Packet) -> bytes:
    try:
        return bytes(headers)
    except Exception as problem:  # whatever Scapy makes of values that do not go together
        raise PlanError(f"{stack}: Scapy cannot lay it out: {problem}") from problem


def _room(stream: Stream, stack: HeaderStack, length: int, signature: int) -> int:
    """Bytes that are left for the payload, possibly 0, with a signature of that length."""
    least = length + signature + FCS_LENGTH
    if stream.frame_size.mean < least:
        beside = f" with a signature of {signature} bytes" if signature else ""
        raise PlanError(
            f"a frame size of {stream.frame_size} is too short for {stack.names} ({length} bytes){beside}; "
            f"it needs at least {least} bytes"
        )
    return int(stream.frame_size.mean) - least


def announcement(station: Station) -> bytes:
    """A frame from which bridges learn the MAC address of a port and routers its neighbour entry.

    On a port with a gateway of its version it asks for that (RFC 2544 C.2.4: the learning frame of a router
    is an ARP request), because a router may ignore an answer it has not asked for but keeps the address of
    who asks (RFC 826; RFC 4861 §7.2.3). Elsewhere it announces the port itself: a gratuitous ARP request
    (RFC 5227 §3) or an unsolicited neighbour advertisement (RFC 4861 §7.2.6); bridges learn from its source
    (RFC 2544 §23).
    """
    gateway = station.port.gateway
    if gateway and gateway.version == station.address.version:
        return question(station.port.mac, station.address, gateway)
    if isinstance(station.address, IPv4Address):
        return question(station.port.mac, station.address, station.address)
    return bytes(_advertisement(station))


def question(mac: bytes, source: Address, asked: Address) -> bytes:
    """A frame that asks for the MAC address of a neighbour: an ARP request, or a solicitation.

    Args:
        mac: Of who asks.
        source: Its address.
        asked: The address of the neighbour, of the same version.
    """
    frame = _arp_request if isinstance(source, IPv4Address) else _solicitation
    return bytes(frame(text(mac), source, asked)).ljust(60, b"\0")


def mac_announcement(mac: bytes) -> bytes:
    """A frame that only tells bridges where a MAC address is."""
    from scapy.layers.l2 import Ether

    return bytes(Ether(dst="ff:ff:ff:ff:ff:ff", src=text(mac), type=EXPERIMENTAL_TYPE)).ljust(60, b"\0")


def _check_longest(stream: Stream, tx: Station, rx: Station) -> None:
    for port in (tx.port, rx.port):
        if stream.frame_size.mean > port.max_frame_size:
            raise PlanError(
                f"a frame size of {stream.frame_size} is too long for port "
                f"{port.name!r}; it takes at most {port.max_frame_size} bytes, FCS included; "
                "where the MTU of its interface is the limit, raise that, such as by ip link set DEV mtu "
                f"{ceil(stream.frame_size.mean) - _ETHERNET}, and open the tester anew"
            )


def _arp_request(mac: str, source: Address, asked: Address) -> Packet:
    from scapy.layers.l2 import ARP, Ether

    return Ether(dst="ff:ff:ff:ff:ff:ff", src=mac) / ARP(
        op="who-has", hwsrc=mac, psrc=str(source), hwdst="00:00:00:00:00:00", pdst=str(asked)
    )


def _solicitation(mac: str, source: Address, asked: Address) -> Packet:
    from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
    from scapy.layers.l2 import Ether

    low = asked.packed[-3:]
    group = f"ff02::1:ff{low[0]:02x}:{low[1]:02x}{low[2]:02x}"
    return (
        Ether(dst=text(b"\x33\x33\xff" + low), src=mac)
        / IPv6(src=str(source), dst=group, hlim=255)
        / ICMPv6ND_NS(tgt=str(asked))
        / ICMPv6NDOptSrcLLAddr(lladdr=mac)
    )


def _advertisement(station: Station) -> Packet:
    from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6NDOptDstLLAddr, IPv6
    from scapy.layers.l2 import Ether

    mac = text(station.port.mac)
    return (
        Ether(dst="33:33:00:00:00:01", src=mac)
        / IPv6(src=str(station.address), dst="ff02::1", hlim=255)
        / ICMPv6ND_NA(tgt=str(station.address), R=0, S=0, O=1)
        / ICMPv6NDOptDstLLAddr(lladdr=mac)
    )
