# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of neighbour discovery against Scapy, and what is no question."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from TesterLibrary.planning.frame import question as planned_question
from TesterLibrary.targets.tofino.neighbours.discovery import advertised, advertisement, asked_for

OURS, THEIRS = IPv6Address("2001:db8::3"), IPv6Address("2001:db8::1")
MAC, PEER = bytes.fromhex("020000000002"), bytes.fromhex("02ff00000001")
MAC_TEXT, PEER_TEXT = "02:00:00:00:00:02", "02:ff:00:00:00:01"


def question(source: IPv6Address = THEIRS, **changes: object) -> Packet:
    header = {"src": str(source), "dst": "ff02::1:ff00:3", "hlim": 255} | changes
    return Ether(dst="33:33:ff:00:00:03", src=PEER_TEXT) / IPv6(**header) / ICMPv6ND_NS(tgt=str(OURS))


def same(octets: bytes, expected: Packet) -> None:
    """Byte for byte, but for the flow label and traffic class, which both leave 0."""
    assert octets == bytes(expected), Ether(octets).show(dump=True)


def test_a_question_is_that_of_a_planned_frame() -> None:
    expected = (
        Ether(dst="33:33:ff:00:00:01", src=MAC_TEXT)
        / IPv6(src=str(OURS), dst="ff02::1:ff00:1", hlim=255)
        / ICMPv6ND_NS(tgt=str(THEIRS))
        / ICMPv6NDOptSrcLLAddr(lladdr=MAC_TEXT)
    )
    same(planned_question(MAC, OURS, THEIRS), expected)
    assert asked_for(bytes(expected)) == THEIRS


def test_an_answer_goes_to_who_asked() -> None:
    expected = (
        Ether(dst=PEER_TEXT, src=MAC_TEXT)
        / IPv6(src=str(OURS), dst=str(THEIRS), hlim=255)
        / ICMPv6ND_NA(tgt=str(OURS), R=0, S=1, O=1)
        / ICMPv6NDOptDstLLAddr(lladdr=MAC_TEXT)
    )
    asked = bytes(question() / ICMPv6NDOptSrcLLAddr(lladdr=PEER_TEXT))
    assert asked_for(asked) == OURS
    same(advertisement(asked, OURS, MAC), expected)
    assert advertised(bytes(expected)) == (OURS, MAC)


def test_who_has_no_address_yet_is_told_with_all_others() -> None:
    expected = (
        Ether(dst="33:33:00:00:00:01", src=MAC_TEXT)
        / IPv6(src=str(OURS), dst="ff02::1", hlim=255)
        / ICMPv6ND_NA(tgt=str(OURS), R=0, S=0, O=1)
        / ICMPv6NDOptDstLLAddr(lladdr=MAC_TEXT)
    )
    same(advertisement(bytes(question(IPv6Address("::"))), OURS, MAC), expected)


def damaged() -> bytes:
    octets = bytearray(bytes(question()))
    octets[-1] ^= 1
    return bytes(octets)


@pytest.mark.parametrize(
    "frame",
    [
        bytes(question(hlim=64)),
        bytes(question())[:-1],
        damaged(),
        bytes(Ether() / IPv6(dst=str(OURS), hlim=255) / ICMPv6EchoRequest(data=b"x" * 24)),
        b"",
    ],
    ids=["forwarded", "cut", "damaged", "echo", "nothing"],
)
def test_what_is_no_question(frame: bytes) -> None:
    assert asked_for(frame) is None


def test_an_advertisement_without_an_address_of_ethernet_says_nothing() -> None:
    header = IPv6(src=str(OURS), dst=str(THEIRS), hlim=255)
    assert advertised(bytes(Ether() / header / ICMPv6ND_NA(tgt=str(OURS)))) is None
