# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams learn translated flows (RFC 9693, test phase 1)."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, RandomField
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.running.procedures import translation
from TesterLibrary.running.procedures.translation import Place, Translations, Way

from ..testers import fake_tester, stream

SLOW = Rate.parse("1000 pps")
MINUTE = Duration(60 * 10**9)
INSIDE = [Place("UDP", IPv4Address("198.18.1.2"), 10_000 + number) for number in range(3)]


def outside(*ports: int) -> dict[int, Place]:
    return {n: Place("UDP", IPv4Address("198.19.1.1"), port) for n, port in enumerate(ports)}


def frame(octets: bytes, sequence: int | None = 0, *, transmitted: bool = False) -> CapturedFrame:
    return CapturedFrame(0, "p2", transmitted, 1, sequence, len(octets), octets)


def test_ways_are_read_behind_tags_and_options() -> None:
    ip = IP(src="198.19.1.1", dst="198.18.1.2", options=[b"\x01\x01\x01\x00"])
    v4 = IPv4Address("198.19.1.1"), IPv4Address("198.18.1.2")
    v6 = IPv6Address("2001:2::1"), IPv6Address("2001:2::2")
    for packet, protocol, (source, destination) in (
        (Ether() / IP(src=str(v4[0]), dst=str(v4[1])) / UDP(sport=77, dport=7), "UDP", v4),
        (Ether() / Dot1Q() / ip / TCP(sport=77, dport=7), "TCP", v4),
        (Ether() / Dot1Q() / IPv6(src=str(v6[0]), dst=str(v6[1])) / UDP(sport=77, dport=7), "UDP", v6),
    ):
        way = Way(Place(protocol, source, 77), Place(protocol, destination, 7))
        assert translation._way(bytes(packet)) == way
    for packet in (Ether() / Raw(bytes(60)), Ether() / IPv6(nh=59), Ether() / IP(proto=1) / Raw(bytes(30))):
        assert translation._way(bytes(packet)) is None


def test_frames_that_were_sent_or_have_no_number_tell_nothing() -> None:
    octets = bytes(Ether() / IP(src="198.19.1.1") / UDP(sport=77))
    seen = [frame(octets, None), frame(octets, 5, transmitted=True), frame(octets, 4), frame(octets[:20], 3)]
    assert list(translation._numbered(seen)) == [4]


def test_each_flow_has_its_place() -> None:
    found = outside(7, 8, 9)
    assert translation._checked("north", tuple(INSIDE), found) == tuple(found.values())
    learned = Translations("north", "south", tuple(INSIDE), tuple(found.values()))
    assert str(learned) == (
        "north: 3 flows translated to 1 address, such as 198.18.1.2:10000 to 198.19.1.1:7; south answers them"
    )


@pytest.mark.parametrize(
    ("inside", "found", "message"),
    [
        (INSIDE, {0: INSIDE[0]}, r"2 of 3 flows of north did not arrive .* the first is 198.18.1.2:10001"),
        (INSIDE, dict(enumerate(INSIDE)), "3 of 3 flows of north .* device does not translate"),
        (INSIDE, outside(7, 8, 7), "2 flows of north had the same address and port, 198.19.1.1:7,"),
        ([INSIDE[0]] * 3, outside(7, 8, 7), "1 flows of north had several addresses and ports"),
    ],
)
def test_what_cannot_be_answered_is_said(inside: list[Place], found: dict[int, Place], message: str) -> None:
    with pytest.raises(Inconclusive, match=message):
        translation._checked("north", tuple(inside), found)


def test_entries_that_answer_their_flows_are_valid() -> None:
    translation._validate("south", tuple(INSIDE), dict(enumerate(INSIDE)))


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (
            {0: INSIDE[0]},
            r"2 of 3 answers of south did not arrive, the first is that to 198.18.1.2:10001: .* ports",
        ),
        (
            dict(enumerate((INSIDE[0], INSIDE[2], INSIDE[1]))),
            "2 of 3 answers of south arrived at other flows, such as that to 198.18.1.2:10001 at "
            "198.18.1.2:10002: the device mixes connections up",
        ),
    ],
)
def test_entries_that_do_not_answer_their_flows_are_named(found: dict[int, Place], message: str) -> None:
    with pytest.raises(Inconclusive, match=message):
        translation._validate("south", tuple(INSIDE), found)


def test_who_answers_speaks_as_the_flows_arrive() -> None:
    seen = (Place("UDP", IPv6Address("2001:2::1"), 7),)
    assert str(seen[0]) == "[2001:2::1]:7"
    back = replace(stream("south", tx="p2", rx="p1"), headers=HeaderStack.parse("Ether / IP / UDP"))
    with pytest.raises(
        PlanError, match=r"over IPv6 and UDP, such as from \[2001:2::1\]:7, .* is Ether / IP / UDP"
    ):
        translation._answering(back, seen)
    six = replace(back, headers=HeaderStack.parse("Ether / IPv6 / UDP"))
    answering = translation._answering(six, seen)
    assert [str(editor.path) for editor in answering.editors] == ["IPv6.dst", "UDP.dport"]


def test_a_device_that_does_not_translate_is_known(tmp_path: Path) -> None:
    tester = fake_tester(tmp_path)
    forward = stream().with_editor(Editor(FieldPath("UDP", "sport"), FieldValues(("5", "6"))))
    with pytest.raises(Inconclusive, match="2 of 2 flows of north arrived with their own address and port"):
        translation.learn(tester, forward, stream("south", tx="p2", rx="p1"), rate=SLOW, timeout=MINUTE)


def test_streams_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    tester, south = fake_tester(tmp_path), stream("south", tx="p2", rx="p1")
    for forward, back, message in (
        (stream(), stream("south"), "'south' does not go the way of 'north' back"),
        (
            stream().with_editor(Editor(FieldPath("UDP", "sport"), RandomField())),
            south,
            "'north' has no number of flows",
        ),
        (
            stream().with_editor(Editor(FieldPath("UDP", "dport"), FieldValues(("5", "6")))),
            south,
            "'north': UDP.dport changes, but 'south' has one source",
        ),
    ):
        with pytest.raises(PlanError, match=message):
            translation.learn(tester, forward, back, rate=SLOW, timeout=MINUTE)
