# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Internet checksums, and the messages that a router sends by itself. Only the standard library."""

from __future__ import annotations

import struct
from ipaddress import IPv6Address

ARP, IPV4, IPV6 = b"\x08\x06", b"\x08\x00", b"\x86\xdd"
ICMP, UDP, ROUTING, ICMPV6 = 1, 17, 43, 58
SEGMENT_ROUTING = 4  # type of a routing header (RFC 8754)
ERRORS = (3, 4, 5, 11, 12)  # of ICMP
SOLICITATION, ADVERTISEMENT = 135, 136
ROUTER, SOLICITED, OVERRIDE = 0x80, 0x40, 0x20  # flags of an advertisement
DONT_FRAGMENT, MORE_FRAGMENTS, FRAGMENT_OFFSET = 0x4000, 0x2000, 0x1FFF
SHORTEST = 60  # bytes of a frame, without FCS


def checksum(octets: bytes) -> int:
    """RFC 1071."""
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total >> 16) + (total & 0xFFFF)
    return ~total & 0xFFFF


def with_checksum(header: bytes) -> bytes:
    """An IPv4 header with the right checksum."""
    return header[:10] + struct.pack("!H", checksum(header[:10] + bytes(2) + header[12:])) + header[12:]


def ipv4(source: bytes, destination: bytes, protocol: int, payload: bytes) -> bytes:
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0)
    return with_checksum(head + source + destination) + payload


def icmp_error(kind: int, code: int, quote: bytes, *, mtu: int = 0) -> bytes:
    message = struct.pack("!BBHHH", kind, code, 0, 0, mtu) + quote
    return message[:2] + struct.pack("!H", checksum(message)) + message[4:]


def icmpv6(source: bytes, destination: bytes, message: bytes, *, hop_limit: int) -> bytes:
    """An IPv6 packet with an ICMPv6 message, whose checksum is filled in."""
    pseudo = source + destination + struct.pack("!II", len(message), ICMPV6)
    summed = message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:]
    return struct.pack("!IHBB", 0x60000000, len(message), ICMPV6, hop_limit) + source + destination + summed


def advertisement(target: bytes, mac: bytes, flags: int) -> bytes:
    """A neighbour advertisement without its checksum (RFC 4861 §4.4); an empty `mac` is left out."""
    option = b"\x02\x01" + mac if mac else b""
    return struct.pack("!BBHI", ADVERTISEMENT, 0, 0, flags << 24) + target + option


def udp_checksum(packet: bytes) -> int:
    """The checksum of an IPv4 packet with UDP, as a sender fills it in."""
    payload = packet[20:26] + bytes(2) + packet[28:]
    pseudo = packet[12:20] + struct.pack("!HH", UDP, len(payload))
    return checksum(pseudo + payload) or 0xFFFF


def is_multicast(address: bytes) -> bool:
    return IPv6Address(address).is_multicast
