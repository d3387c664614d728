# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import FieldType, Header, HeaderStack, HeaderType
from TesterLibrary.wire.header_catalog import COMMON, Catalog
from tests.dissection import STACKS, layers, ones_complement_sum, wrong_checksums

from ...examples import examples
from ..planning.bench import BRIDGED, GATEWAY, MAC1, MAC2, ROUTED, ROUTED6, compiled, stream

TAG = HeaderType(
    "MyTag",
    (FieldType("kind", 4, default=3), FieldType("id", 12), FieldType("next", 16)),
    follows={"Ether": {"type": 0x1234}, "UDP": {"dport": 9999}},
    carries={"IP": {"next": 0x0800}},
)


def frame(text: str, size: int = 256, ports: dict[str, object] = BRIDGED, *types: HeaderType) -> bytes:  # type: ignore[assignment]
    stack = replace(HeaderStack.parse(text), types=types)
    return compiled(stream(frame_size=size, headers=stack), ports=ports).streams[0].frame  # type: ignore[arg-type]


def dissected(text: str) -> Packet:
    return Ether(frame(text))


@pytest.mark.parametrize("text", STACKS)
@settings(deadline=None, max_examples=10)  # the first takes as long as Scapy's import
@given(size=st.integers(160, 1518), written=st.binary(min_size=14, max_size=14))
def test_every_stack_is_laid_out_with_right_checksums_whatever_the_signature_says(
    text: str, size: int, written: bytes
) -> None:
    sent = frame(text, size)
    assert len(sent) == size - 4
    assert sent == frame(text, size)
    assert [type(layer).__name__ for layer in layers(Ether(sent))] == STACKS[text].split()
    assert wrong_checksums(sent) == []
    rest = (ones_complement_sum(sent[-16:]) - ones_complement_sum(written)) % 0xFFFF
    assert wrong_checksums(sent[:-16] + written + rest.to_bytes(2, "big")) == []


@pytest.mark.parametrize(
    "text", ["Ether / IP / UDP", "Ether / IP / SCTP", "Ether / IPv6 / UDP / BTH", "Ether / IP / ICMP"]
)
def test_the_check_of_checksums_finds_wrong_ones(text: str) -> None:
    sent = bytearray(frame(text))
    sent[-40] ^= 1
    assert wrong_checksums(bytes(sent)) != []


def test_what_is_not_given_follows_from_the_ports() -> None:
    bridged = dissected("Ether / Dot1Q(vlan=7) / IP / UDP")
    assert (bridged.dst, bridged.src) == (MAC2.hex(":"), MAC1.hex(":"))
    assert (bridged[IP].src, bridged[IP].dst, bridged[IP].ttl, bridged[IP].id) == (
        "198.18.0.2",
        "198.18.0.3",
        64,
        0,
    )
    assert (bridged[UDP].sport, bridged[UDP].dport) == (0xC020, 7)
    routed = Ether(frame("Ether / IP / UDP / VXLAN / Ether / IPv6 / UDP", 256, ROUTED))  # type: ignore[arg-type]
    assert (routed.dst, routed[IP].dst) == (GATEWAY.hex(":"), "198.19.1.2")
    inner = routed[UDP].payload.payload
    assert (inner.dst, inner.src, inner[IPv6].src, inner[IPv6].dst) == (
        MAC2.hex(":"),
        MAC1.hex(":"),
        "2001:2::2",
        "2001:2::3",
    )


def test_what_is_given_stays() -> None:
    given = dissected("Ether(dst=02:AA:00:00:00:09) / IP(src=10.0.0.1, chksum=0xdead) / UDP(chksum=0, len=9)")
    assert (given.dst, given[IP].src, given[IP].chksum) == ("02:aa:00:00:00:09", "10.0.0.1", 0xDEAD)
    assert (given[UDP].chksum, given[UDP].len) == (0, 9)


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("Ether / IP(dst=224.129.2.3) / UDP", "01:00:5e:01:02:03"),
        ("Ether / Dot1Q / IPv6(dst=ff02::1:2) / UDP", "33:33:00:01:00:02"),
        ("Ether / IP(dst=255.255.255.255) / UDP", "ff:ff:ff:ff:ff:ff"),
        ("Ether / ARP", "ff:ff:ff:ff:ff:ff"),
        ("Ether / ARP(op=2)", MAC2.hex(":")),
        ("Ether(dst=02:00:00:00:00:09) / IP(dst=224.1.2.3)", "02:00:00:00:00:09"),
    ],
)
def test_groups_have_their_addresses(text: str, group: str) -> None:
    assert dissected(text).dst == group


def test_arp_asks_for_the_gateway_or_the_other_port() -> None:
    assert dissected("Ether / ARP")[ARP].pdst == "198.18.0.3"
    asked = Ether(frame("Ether / ARP", 256, ROUTED))[ARP]  # type: ignore[arg-type]
    assert (asked.psrc, asked.hwsrc, asked.pdst) == ("198.18.1.2", MAC1.hex(":"), "198.18.1.1")


def test_the_active_segment_is_the_destination() -> None:
    asked = "Ether / IPv6 / SRv6(addresses=[2001:2::a, 2001:2::b, 2001:2::c]{}) / UDP"
    assert dissected(asked.format(""))[IPv6].dst == "2001:2::c"
    assert dissected(asked.format(", segleft=1"))[IPv6].dst == "2001:2::b"
    unasked = dissected("Ether / IPv6 / SRv6 / UDP")
    assert (unasked[IPv6].dst, unasked[IPv6].payload.addresses) == ("2001:2::3", ["2001:2::3"])


def test_a_header_of_one_s_own() -> None:
    sent = frame("Ether / MyTag(id=0xabc) / IP / UDP", 256, BRIDGED, TAG)  # type: ignore[arg-type]
    assert sent[12:18] == bytes.fromhex("1234 3abc 0800")
    assert IP(sent[18:]).proto == 17
    over_udp = frame("Ether / IP / UDP / MyTag", 256, BRIDGED, TAG)  # type: ignore[arg-type]
    assert Ether(over_udp)[UDP].dport == 9999
    assert over_udp[42:46] == bytes.fromhex("3000 0000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IP / UDP", "IP / UDP does not begin with Ether; a frame does"),
        ("Ether / Ipv4", "there is no header 'Ipv4' (did you mean 'IPv6'?). There are Ether, Dot1Q, "),
        ("Ether / vxlan", "did you mean 'VXLAN'?"),
        ("Ether / os.system", "there is no header 'os.system'. There are"),
        ("Ether / layers.l2.subprocess", "there is no header"),
        ("Ether / contrib.nope.NOPE", "there is no header"),
        (
            "Ether / IP(ttt=1)",
            "IP has no field 'ttt' (did you mean 'ttl'?). It has version, ihl, tos, len, id",
        ),
        ("Ether / Dot1Q(vlan=4096)", "Dot1Q: vlan=4096: it takes 0 to 4095 (12 bits)"),
        ("Ether / IP(ttl=-1)", "IP: ttl=-1: it takes 0 to 255 (8 bits)"),
        ("Ether / IP(dst=www.example.org)", "IP: dst=www.example.org: it takes an IPv4 address"),
        ("Ether / IP(dst=10.0.0.0/8)", "IP: dst=10.0.0.0/8: it takes an IPv4 address"),
        ("Ether / IPv6(src=10.0.0.1)", "IPv6: src=10.0.0.1: it takes an IPv6 address"),
        ("Ether(src=1)", "Ether: src=1: it takes a MAC address such as 02:00:00:00:00:01"),
        ("Ether / IP / TCP(flags=XZ)", "TCP: flags=XZ: it takes 0 to 511 (9 bits) or one of A, C, E"),
        ("Ether / ARP(op=ask)", "ARP: op=ask: it takes 0 to 65535 (16 bits) or one of Dyn-RAR-rep"),
        ("Ether / IP(ttl=[1, 2])", "IP: ttl=[1, 2]: it takes one value, no list"),
        (
            "Ether / IP / TCP(options=x)",
            "TCP: options=x: a field of the kind TCPOptionsField cannot be given",
        ),
        (
            "Ether / IPv6 / SRv6(addresses=[x])",
            "SRv6: addresses=[x]: it takes an IPv6 address",
        ),
        (
            " / ".join(["Ether", "IP"] * 8),
            "Ether / IP (272 bytes) with a signature of 16 bytes; it needs at least 292 bytes",
        ),
    ],
)
def test_what_there_is_not_or_does_not_fit_is_refused_before_anything_is_sent(
    text: str, message: str
) -> None:
    with pytest.raises(PlanError) as error:
        frame(text)
    assert str(error.value).startswith("stream 'north': ")
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["Ether / IPv6 / SCTP", "Ether / IPv6 / UDP / BTH"])
def test_a_trailer_does_not_survive_a_router(text: str) -> None:
    with pytest.raises(
        PlanError, match="its CRC leaves the signature no place but a trailer behind the packet"
    ):
        frame(text, 256, ROUTED6)  # type: ignore[arg-type]


def test_a_header_of_broken_bytes_is_refused() -> None:
    with pytest.raises(PlanError, match="header 'Odd' is no whole number of bytes long"):
        frame("Ether / Odd", 256, BRIDGED, HeaderType("Odd", (FieldType("x", 3),)))  # type: ignore[arg-type]


WORDS = [
    "0",
    "1",
    "255",
    "0xffff",
    "70000",
    "10.0.0.1",
    "2001:2::1",
    "02:00:00:00:00:01",
    "S",
    "who-has",
    "",
    "0x00",
]
values = st.sampled_from(WORDS) | st.lists(st.sampled_from(WORDS), max_size=2).map(tuple)


@st.composite
def stacks(draw: st.DrawFn) -> HeaderStack:
    names = draw(st.lists(st.sampled_from([*COMMON.split(", "), "contrib.nsh.NSH"]), max_size=5))
    made = []
    for name in ["Ether", *names]:
        known = [field.name for field in Catalog(())[name].fields_desc]
        given_fields = draw(st.dictionaries(st.sampled_from(known), values, max_size=2))
        made.append(Header(name, tuple(given_fields.items())))
    return HeaderStack(tuple(made))


@settings(deadline=None, max_examples=examples(150))
@given(stack=stacks(), size=st.integers(64, 1518))
def test_whatever_is_asked_is_sent_at_its_size_or_refused_without_asking_a_network(
    stack: HeaderStack, size: int
) -> None:
    with mock.patch("socket.socket", side_effect=AssertionError("a network was asked")):
        try:
            sent = compiled(stream(frame_size=size, headers=stack)).streams[0].frame
        except PlanError as error:
            assert str(error).startswith("stream 'north': ")  # noqa: PT017 - refusing is one of two right answers
        else:
            assert len(sent) == size - 4


def test_a_tag_may_be_called_vlan_as_in_paths_of_fields() -> None:
    scapys = frame("Ether / Dot1Q(vlan=100, prio=3) / IP / UDP")
    for tag in ("VLAN(vlan=100, prio=3)", "VLAN(vid=100, prio=3)", "Dot1Q(vid=100, prio=3)"):
        assert frame(f"Ether / {tag} / IP / UDP") == scapys
