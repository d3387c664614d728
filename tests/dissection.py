# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header stacks that tests send, and whether every checksum of a frame is right, by arithmetic of our own."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import scapy.contrib.geneve
import scapy.contrib.gtp
import scapy.contrib.mpls
import scapy.contrib.roce  # noqa: F401 - a header is dissected once its module is there
from scapy.contrib.roce import BTH
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrSegmentRouting
from scapy.layers.l2 import GRE, Ether
from scapy.layers.sctp import SCTP
from scapy.packet import NoPayload, Packet

# What is asked for, and the layers that Scapy finds in it.
STACKS = {
    "Ether": "Ether Raw",
    "Ether / IP": "Ether IP Raw",
    "Ether / IPv6": "Ether IPv6 Raw",
    "Ether / IP / UDP(sport=1000, dport=0x2000)": "Ether IP UDP Raw",
    "Ether / IPv6(fl=0xabcde) / UDP": "Ether IPv6 UDP Raw",
    "Ether / Dot1Q(vlan=100) / IP / UDP": "Ether Dot1Q IP UDP Raw",
    "Ether / Dot1AD(vlan=7) / Dot1Q(prio=5) / IPv6 / TCP(flags=SA)": "Ether Dot1AD Dot1Q IPv6 TCP Raw",
    "Ether / MPLS(label=16) / MPLS(label=17) / IP / UDP": "Ether MPLS MPLS IP UDP Raw",
    "Ether / IP(tos=0xb8, flags=DF) / ICMP": "Ether IP ICMP Raw",
    "Ether / IPv6 / ICMPv6EchoRequest(id=9)": "Ether IPv6 ICMPv6EchoRequest",
    "Ether / IPv6 / SRv6(addresses=[2001:2::9, 2001:2::8]) / UDP": (
        "Ether IPv6 IPv6ExtHdrSegmentRouting UDP Raw"
    ),
    "Ether / IP / GRE(chksum_present=1) / IP / UDP": "Ether IP GRE IP UDP Raw",
    "Ether / IP / GRE(key_present=1, key=77) / Ether / IP / TCP": "Ether IP GRE Ether IP TCP Raw",
    "Ether / IP / UDP / VXLAN(vni=42) / Ether / IP / UDP": "Ether IP UDP VXLAN Ether IP UDP Raw",
    "Ether / IPv6 / UDP / GENEVE(vni=42) / Ether / IPv6 / UDP": "Ether IPv6 UDP GENEVE Ether IPv6 UDP Raw",
    "Ether / IP / UDP / GTPU(teid=0x1234) / IP / TCP": "Ether IP UDP GTP_U_Header IP TCP Raw",
    "Ether / IP / SCTP": "Ether IP SCTP SCTPChunkData Padding",
    "Ether / IPv6 / SCTP(tag=5) / SCTPChunkData(tsn=1)": "Ether IPv6 SCTP SCTPChunkData Padding",
    "Ether / IP / UDP / VXLAN / Ether / IP / SCTP": "Ether IP UDP VXLAN Ether IP SCTP SCTPChunkData Padding",
    "Ether / IP / UDP / BTH(opcode=0x64, dqpn=17)": "Ether IP UDP BTH Raw Padding",
    "Ether / IPv6 / UDP / BTH": "Ether IPv6 UDP BTH Raw Padding",
    "Ether / ARP(op=is-at)": "Ether ARP Padding",
    "Ether / contrib.nsh.NSH / IP / UDP": "Ether NSH IP UDP Raw",
}


def layers(packet: Packet) -> Iterator[Packet]:
    while not isinstance(packet, NoPayload):
        yield packet
        packet = packet.payload


def ones_complement_sum(data: bytes) -> int:
    """RFC 1071 over whole 16-bit words, folded; 0xFFFF where a checksum in it is right."""
    total = sum(int.from_bytes(data[i : i + 2].ljust(2, b"\0"), "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def wrong_checksums(frame: bytes) -> list[str]:
    """The layers of a frame, at any depth, whose checksum is wrong."""
    wrong, network, segments = [], None, None
    for layer in layers(Ether(frame)):
        body = layer.original
        if isinstance(layer, IP):
            network, segments = layer, None
            right = ones_complement_sum(body[: 4 * layer.ihl]) == 0xFFFF
        elif isinstance(layer, IPv6):
            network, segments, right = layer, None, True
        elif isinstance(layer, IPv6ExtHdrSegmentRouting):
            segments, right = layer, True
        elif isinstance(layer, (UDP, TCP)) or "cksum" in layer.fields:
            assert network is not None
            number = {UDP: 17, TCP: 6}.get(type(layer), 58)
            right = ones_complement_sum(_pseudo(network, segments, len(body), number) + body) == 0xFFFF
        elif isinstance(layer, ICMP) or (isinstance(layer, GRE) and layer.chksum_present):
            right = ones_complement_sum(body) == 0xFFFF
        elif isinstance(layer, SCTP):
            right = _crc32c(body[:8] + bytes(4) + body[12:]) == int.from_bytes(body[8:12], "big")
        elif isinstance(layer, BTH):
            assert network is not None
            right = _invariant_crc(network, body[:-4]) == body[-4:]
        else:
            continue
        if not right:
            wrong.append(type(layer).__name__)
    return wrong


def _pseudo(network: Packet, segments: Packet | None, length: int, protocol: int) -> bytes:
    if isinstance(network, IP):
        return network.original[12:20] + bytes([0, protocol]) + length.to_bytes(2, "big")
    final = segments.original[8:24] if segments and segments.segleft else network.original[24:40]
    return network.original[8:24] + final + length.to_bytes(4, "big") + bytes([0, 0, 0, protocol])


def _crc32c(data: bytes) -> int:
    """Castagnoli's, as SCTP sends it (RFC 9260 appendix A): the lowest byte first."""
    crc = 0xFFFFFFFF
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return int.from_bytes((crc ^ 0xFFFFFFFF).to_bytes(4, "little"), "big")


def _invariant_crc(network: Packet, transport: bytes) -> bytes:
    """RoCEv2's ICRC: CRC-32 with all that a router may change as ones (InfiniBand annex A17)."""
    size = 20 if isinstance(network, IP) else 40
    header, udp, bth = (
        bytearray(network.original[:size]),
        bytearray(network.original[size : size + 8]),
        bytearray(),
    )
    bth += transport
    if size == 20:
        header[1], header[8], header[10:12] = 0xFF, 0xFF, b"\xff\xff"
    else:
        header[0:4], header[7] = bytes([header[0] | 0x0F]) + b"\xff\xff\xff", 0xFF
    udp[6:8], bth[4] = b"\xff\xff", 0xFF
    return zlib.crc32(b"\xff" * 8 + header + udp + bth).to_bytes(4, "little")
