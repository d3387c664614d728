# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How frames without signature are known where they arrive."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.errors import PlanError
from TesterLibrary.model.editor import FieldPath, RandomField, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.plan.match import Match, exclude
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.stream import VersionField
from TesterLibrary.planning.flows import FlowSpace

from .bench import ROUTED, compiled, stream
from .edits import edited, editor, planned

PORTS = {"first": "5000", "last": "5999"}


def holds(match: Match, frame: bytes) -> bool:
    seen = frame[match.offset : match.offset + len(match.mask)]
    return bytes(a & b for a, b in zip(seen, match.mask, strict=True)) == match.value


def known(planned: PlannedStream, frame: bytes) -> bool:
    return all(holds(match, frame) for match in planned.matches)


def unsigned(stack: str, *editors: object, **changes: object) -> PlannedStream:
    return planned(stack, *editors, signature=False, **changes)  # type: ignore[arg-type]


def changed(planned: PlannedStream, **fields: int | str) -> bytes:
    """Its first frame, as Scapy builds it with other fields, checksums included."""
    packet: Packet = Ether(planned.frame)
    for path, value in fields.items():
        header, field = path.split("_")
        layer = packet[{"IP": IP, "IPv6": IPv6, "UDP": UDP, "Ether": Ether, "Dot1Q": Dot1Q}[header]]
        layer.setfieldval(field, value)
        for name in ("chksum",):
            for carrier in (IP, UDP):
                if carrier in packet:
                    packet[carrier].delfieldval(name)
    return bytes(packet)


@pytest.mark.parametrize("stack", ["Ether / IP / UDP", "Ether / Dot1Q(vlan=5) / IPv6 / UDP", "Ether / ARP"])
def test_a_stream_knows_its_own_frames(stack: str) -> None:
    unmarked = unsigned(stack)
    assert not unmarked.signature
    assert unmarked.payload_offset == 0
    assert known(unmarked, unmarked.frame)


def test_edited_fields_sizes_and_versions_are_left_out() -> None:
    edited = unsigned("Ether / IP / UDP", editor("UDP.dport", Sweep(**PORTS)), size=256)
    frames = [FlowSpace.of(edited).frame(number) for number in range(0, 2000, 7)]
    assert all(known(edited, frame) for frame in frames)
    (mixed,) = compiled(replace(stream(signature=False), frame_size=parse_frame_sizes("imix"))).streams
    assert len(mixed.frames) == 3
    assert all(known(mixed, frame) for frame in mixed.frames)
    assert mixed.version
    frame, bit = bytearray(mixed.frame), mixed.version.bit_offset
    frame[bit // 8] ^= 0x80 >> bit % 8
    assert known(mixed, bytes(frame))


@pytest.mark.parametrize(
    "fields", [{"IP_ttl": 3}, {"IP_tos": 0xB8}, {"IP_id": 4711}, {"UDP_chksum": 1}, {"IP_chksum": 1}]
)
def test_devices_may_write_some_fields(fields: dict[str, int]) -> None:
    unmarked = unsigned("Ether / IP / UDP")
    assert known(unmarked, changed(unmarked, **fields))


@pytest.mark.parametrize(
    "fields",
    [{"IP_src": "10.9.9.9"}, {"IP_dst": "10.9.9.9"}, {"IP_proto": 6}, {"UDP_dport": 5353}, {"UDP_sport": 1}],
)
def test_others_tell_a_stream_apart(fields: dict[str, int | str]) -> None:
    unmarked = unsigned("Ether / IP / UDP")
    assert not known(unmarked, changed(unmarked, **fields))


def test_a_bridge_keeps_mac_addresses_and_a_router_does_not() -> None:
    (bridged,) = compiled(stream(signature=False)).streams
    (routed,) = compiled(stream(signature=False), ports=ROUTED).streams
    other = {"Ether_src": "02:00:00:00:00:77", "Ether_dst": "02:00:00:00:00:78"}
    assert not known(bridged, changed(bridged, **other))
    assert known(routed, changed(routed, **other))


def test_they_are_as_short_as_a_tester_takes_them() -> None:
    deep = unsigned("Ether / IP / UDP" + 3 * " / VXLAN / Ether / IP / UDP", size=512)
    assert sum(bool(byte) for match in deep.matches for byte in match.mask) == 128
    assert all(1 <= len(match.mask) <= 64 and match.mask[0] and match.mask[-1] for match in deep.matches)


def test_streams_that_cannot_be_told_apart_are_refused() -> None:
    one = stream(signature=False, rate="10 %")
    two = replace(one, name="other")
    with pytest.raises(PlanError, match="streams 'north' and 'other' cannot be told apart on port 'p2'"):
        compiled(one, two)
    any_port = edited(
        "Ether / IP / UDP", editor("UDP.dport", RandomField()), size=64, signature=False, rate="10 %"
    )
    with pytest.raises(PlanError, match="cannot be told apart"):
        compiled(any_port, replace(two, headers=HeaderStack.parse("Ether / IP / UDP(dport=9)")))
    compiled(one, replace(two, tx="p2", rx="p1"))
    compiled(one, replace(two, signature=True))
    compiled(one, replace(two, headers=HeaderStack.parse("Ether / IP / UDP(dport=9)")))


def test_addresses_may_all_change() -> None:
    addresses = [editor(f"Ether.{end}", RandomField()) for end in ("src", "dst")]
    assert unsigned("Ether(type=0x88b5)", *addresses).matches == (Match(12, b"\xff\xff", b"\x88\xb5"),)


def test_matches_exclude_each_other_by_a_bit_that_both_look_at() -> None:
    assert exclude([Match(0, b"\xff", b"\x01")], [Match(0, b"\x01", b"\x00")])
    assert not exclude([Match(0, b"\xff", b"\x02")], [Match(0, b"\x01", b"\x00")])
    assert not exclude([Match(0, b"\xff", b"\x01")], [Match(1, b"\xff", b"\x02")])
    assert exclude([Match(0, b"\x0f\xf0", b"\x01\x10")], [Match(1, b"\xff", b"\x20")])


def test_flows_need_the_signature() -> None:
    with pytest.raises(PlanError, match="it has no signature, by which flows are told apart"):
        unsigned("Ether / IP / UDP", editor("UDP.dport", Sweep(**PORTS)), count_flows=True)


def test_without_a_signature_there_are_sixteen_bytes_more() -> None:
    assert len(unsigned("Ether / IP / UDP", size=64).frame) == 60
    short = unsigned("Ether / IP / TCP", size=64)
    assert Ether(short.frame)["TCP"].payload.load == bytes(range(6))
    with pytest.raises(PlanError, match="too short"):
        planned("Ether / IP / TCP", size=64)
    assert ARP in Ether(unsigned("Ether / ARP", size=64).frame)


def test_the_chosen_version_is_left_out() -> None:
    versioned = unsigned("Ether / IP / UDP(sport=1)", version=VersionField(FieldPath("UDP", "sport"), 9))
    assert known(versioned, changed(versioned, UDP_sport=1 | 1 << 9))
    assert not known(versioned, changed(versioned, UDP_sport=1 | 1 << 8))
