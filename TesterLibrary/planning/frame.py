# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of frames: test frames and the frames from which a device learns addresses.

Scapy is imported when the first frame is built: it takes a second, which `import TesterLibrary` should not.
"""

from __future__ import annotations

import random
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from ..errors import PlanError
from ..model.ports import Address
from ..model.stream import Stream
from ..model.units import FCS_LENGTH
from .address import Station

if TYPE_CHECKING:
    from scapy.packet import Packet

SIGNATURE_LENGTH = 16  # bytes at the end of a test frame: `plan.proto`, SIGNATURE
ECHO_PORT = 7  # destination, and 0xC020 the source, of the test frame in RFC 2544 C.2.6.4
SOURCE_PORT = 0xC020
TTL = 64

_HEADERS = {4: 14 + 20 + 8, 6: 14 + 40 + 8}  # Ethernet, IP, UDP


def measured_frame(
    stream: Stream, stream_id: int, seed: int, tx: Station, rx: Station, next_hop: bytes
) -> bytes:
    """The test frame of RFC 2544 C.2.6.4 for one stream, without FCS: UDP, filled with counting octets.

    Its last 16 bytes are the place of the signature, filled at random from the seed and the stream's id. The
    checksums are right for that fill, and a tester keeps its one's-complement sum.

    Raises:
        PlanError: the frame size has no room for headers and signature, or a port cannot take it.
    """
    _check_size(stream, tx, rx)
    from scapy.layers.inet import UDP
    from scapy.layers.l2 import Ether

    length = stream.frame_size.bytes - FCS_LENGTH - _HEADERS[tx.address.version] - SIGNATURE_LENGTH
    filling = bytes(i % 256 for i in range(length))
    signature = random.Random(f"signature {seed} {stream_id}").randbytes(SIGNATURE_LENGTH)
    return bytes(
        Ether(dst=_text(next_hop), src=_text(tx.port.mac))
        / _ip(tx.address, rx.address)
        / UDP(sport=SOURCE_PORT, dport=ECHO_PORT)
        / (filling + signature)
    )


def announcement(station: Station) -> bytes:
    """A frame from which bridges learn the MAC address of a port and routers its neighbour entry.

    On a port with a gateway it asks for the gateway (RFC 2544 C.2.4: the learning frame of a router is an ARP
    request), because a router may ignore an answer it has not asked for but keeps the address of who asks
    (RFC 826; RFC 4861 §7.2.3). Elsewhere it announces the port itself: a gratuitous ARP request (RFC 5227 §3)
    or an unsolicited neighbour advertisement (RFC 4861 §7.2.6); bridges learn from its source (RFC 2544 §23).
    """
    if isinstance(station.address, IPv4Address):
        frame = _arp_request(station)
    elif station.port.gateway:
        frame = _solicitation(station, station.port.gateway)
    else:
        frame = _advertisement(station)
    return bytes(frame).ljust(60, b"\0")


def _check_size(stream: Stream, tx: Station, rx: Station) -> None:
    version = tx.address.version
    least = _HEADERS[version] + SIGNATURE_LENGTH + FCS_LENGTH
    if stream.frame_size.bytes < least:
        raise PlanError(
            f"stream {stream.name!r}: a frame size of {stream.frame_size} is too short for an IPv{version} "
            f"UDP frame with a signature of {SIGNATURE_LENGTH} bytes; it needs at least {least} bytes"
        )
    for port in (tx.port, rx.port):
        if stream.frame_size.bytes > port.max_frame_size:
            raise PlanError(
                f"stream {stream.name!r}: a frame size of {stream.frame_size} is too long for port "
                f"{port.name!r}; it takes at most {port.max_frame_size} bytes, FCS included"
            )


def _arp_request(station: Station) -> Packet:
    from scapy.layers.l2 import ARP, Ether

    asked = station.port.gateway or station.address
    mac = _text(station.port.mac)
    return Ether(dst="ff:ff:ff:ff:ff:ff", src=mac) / ARP(
        op="who-has", hwsrc=mac, psrc=str(station.address), hwdst="00:00:00:00:00:00", pdst=str(asked)
    )


def _solicitation(station: Station, asked: Address) -> Packet:
    from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
    from scapy.layers.l2 import Ether

    mac, low = _text(station.port.mac), asked.packed[-3:]
    group = f"ff02::1:ff{low[0]:02x}:{low[1]:02x}{low[2]:02x}"
    return (
        Ether(dst=_text(b"\x33\x33\xff" + low), src=mac)
        / IPv6(src=str(station.address), dst=group, hlim=255)
        / ICMPv6ND_NS(tgt=str(asked))
        / ICMPv6NDOptSrcLLAddr(lladdr=mac)
    )


def _advertisement(station: Station) -> Packet:
    from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6NDOptDstLLAddr, IPv6
    from scapy.layers.l2 import Ether

    mac = _text(station.port.mac)
    return (
        Ether(dst="33:33:00:00:00:01", src=mac)
        / IPv6(src=str(station.address), dst="ff02::1", hlim=255)
        / ICMPv6ND_NA(tgt=str(station.address), R=0, S=0, O=1)
        / ICMPv6NDOptDstLLAddr(lladdr=mac)
    )


def _ip(source: Address, destination: Address) -> Packet:
    if isinstance(source, IPv4Address):
        from scapy.layers.inet import IP

        return IP(src=str(source), dst=str(destination), ttl=TTL, id=0)
    from scapy.layers.inet6 import IPv6

    return IPv6(src=str(source), dst=str(destination), hlim=TTL)


def _text(mac: bytes) -> str:
    return mac.hex(":")
