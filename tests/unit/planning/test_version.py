# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.model.edit import Checksum, ChecksumKind, Coverage, PlannedEditor, Step
from TesterLibrary.model.plan import PlannedStream
from TesterLibrary.planning.version import with_version

ETHER = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")


def stream(packet: Packet) -> PlannedStream:
    return PlannedStream(1, "north", "p1", "p2", (bytes(packet).ljust(60, b"\0"),), True, Fraction(1, 1000))


def with_bit_set(planned: PlannedStream) -> Packet:
    assert planned.version is not None
    frame, bit = bytearray(planned.frames[0]), planned.version.bit_offset
    frame[bit // 8] ^= 0x80 >> bit % 8
    return Ether(bytes(frame))


@pytest.mark.parametrize("tags", [(), (Dot1Q(vlan=5),), (Dot1AD(vlan=5), Dot1Q(vlan=6))])
def test_ipv4_has_it_in_its_identification(tags: tuple[Packet, ...]) -> None:
    packet = ETHER.copy()
    for tag in tags:
        packet /= tag
    planned = with_version(stream(packet / IP(src="198.18.0.1", dst="198.18.0.2", id=7) / UDP()))
    assert with_bit_set(planned)[IP].id == 0x8007
    assert planned.checksums == (Checksum(ChecksumKind.INTERNET, 14 + 4 * len(tags) + 10),)
    assert planned.version is not None
    assert planned.version.coverage == (Coverage(0, 1),)


def test_ipv6_has_it_in_its_flow_label_which_no_checksum_covers() -> None:
    planned = with_version(stream(ETHER / IPv6(src="2001:2::1", dst="2001:2::2", fl=3) / TCP()))
    assert with_bit_set(planned)[IPv6].fl == 0x80003
    assert planned.checksums == ()
    assert planned.version is not None
    assert planned.version.coverage == ()


def test_of_a_tunnel_it_is_the_outer_header() -> None:
    planned = with_version(stream(ETHER / IP(id=1) / IPv6(fl=0) / UDP()))
    assert with_bit_set(planned)[IP].id == 0x8001


def test_a_checksum_that_an_editor_has_is_shared() -> None:
    planned = stream(ETHER / IP() / UDP())
    udp, ip = Checksum(ChecksumKind.INTERNET_NOT_ZERO, 40), Checksum(ChecksumKind.INTERNET, 24)
    found = with_version(replace(planned, checksums=(udp, ip)))
    assert found.checksums == (udp, ip)
    assert found.version is not None
    assert found.version.coverage == (Coverage(1, 1),)


def test_where_there_is_no_bit_to_spare_there_is_no_version() -> None:
    assert with_version(stream(ETHER / ARP())).version is None
    assert with_version(stream(ETHER / IP(id=0x8000) / UDP())).version is None
    edited = PlannedEditor("IP.id", (14 + 4) * 8, 16, 1, Step(0, 1, 100))
    assert with_version(replace(stream(ETHER / IP() / UDP()), editors=(edited,))).version is None
    assert with_version(replace(stream(ETHER / IP() / UDP()), frames=())).version is None
