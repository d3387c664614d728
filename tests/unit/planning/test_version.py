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

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import FieldPath, Sweep
from TesterLibrary.model.plan.edit import Checksum, ChecksumKind, Coverage, PlannedEditor, Step
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.stream import VersionField
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.planning.version import with_version
from tests.dissection import layers, wrong_checksums

from .bench import ROUTED, compiled
from .edits import edited, editor, planned

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


CHOSEN = [
    ("Ether / IP / UDP", "IP.tos", 2, 1),
    ("Ether / IP / UDP", "IP.ttl", 7, 1),
    ("Ether / IP / UDP(sport=1)", "UDP.sport", None, 1),
    ("Ether / Dot1Q(vlan=5) / IPv6 / TCP", "Dot1Q.dei", None, 0),
    ("Ether / IPv6 / TCP", "TCP.seq", 31, 1),
    ("Ether / IP / UDP / VXLAN / Ether / IP / TCP", "IP[2].id", 15, 1),
    ("Ether / IP / SCTP", "SCTP.tag", 3, 1),
    ("Ether / MPLS / IP / UDP", "MPLS.label", 19, 0),
]


@pytest.mark.parametrize(("stack", "path", "bit", "checksums"), CHOSEN)
def test_an_author_chooses_any_bit(stack: str, path: str, bit: int | None, checksums: int) -> None:
    field = VersionField(FieldPath.parse(path), bit)
    versioned = planned(stack, version=field)
    assert versioned.version is not None
    assert len(versioned.version.coverage) == checksums
    # As an editor of one bit, which is how a tester writes it, with every checksum right.
    as_editor = PlannedEditor(
        "version", versioned.version.bit_offset, 1, 1, Step(0, 1, 2), versioned.version.coverage
    )
    zero, one = (FlowSpace([as_editor], versioned.checksums, versioned.template).frame(k) for k in (0, 1))
    assert zero == versioned.frame
    assert wrong_checksums(Ether(one)) == []
    changed = value(one, field.path) ^ value(zero, field.path)
    assert changed == 1 << ({"UDP.sport": 15, "Dot1Q.dei": 0}[path] if bit is None else bit)


def value(frame: bytes, path: FieldPath) -> int:
    """The value that Scapy reads from a field."""
    named = [layer for layer in layers(Ether(frame)) if type(layer).__name__ == path.header]
    return int(named[path.number - 1].getfieldval(path.field))


@pytest.mark.parametrize(
    ("stack", "path", "bit", "message"),
    [
        ("Ether / IP / UDP", "IP.tos", 8, "bit 8 is not in IP.tos, which has bits 0, the lowest, to 7"),
        ("Ether / IP(tos=4) / UDP", "IP.tos", 2, "bit 2 of IP.tos is 1 in the headers (0x4)"),
        ("Ether / IP / UDP", "TCP.seq", 1, "there is no header 'TCP'"),
        ("Ether / IP / UDP", "UDP.dport", 1, "UDP.dport changes from frame to frame"),
        ("Ether / IP / UDP", "IP.chksum", 1, "it is a length or a checksum"),
        ("Ether / IP / UDP", "IP.proto", 7, "it tells which headers follow"),
    ],
)
def test_what_cannot_be_a_version_is_refused(stack: str, path: str, bit: int, message: str) -> None:
    field = VersionField(FieldPath.parse(path), bit)
    with pytest.raises(PlanError) as refused:
        planned(stack, editor("UDP.dport", Sweep("1", count=9)), version=field)
    assert str(refused.value).startswith("stream 'north': ")
    assert message in str(refused.value)


def test_both_addresses_are_answered_for() -> None:
    """A version bit in an address makes two addresses."""
    field = VersionField(FieldPath("IP", "dst"), 1)
    plan = compiled(edited("Ether / IP(dst='198.19.1.9') / UDP", version=field), ports=ROUTED)
    assert {"198.19.1.9", "198.19.1.11"} <= {str(neighbour.address) for neighbour in plan.neighbours}
