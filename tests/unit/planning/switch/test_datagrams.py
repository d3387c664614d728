# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of UDP for a switch: fields behind UDP are words, answers whole datagrams, or refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scapy.layers.dns import DNS
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.model.expression import Expression
from TesterLibrary.p4.build import generate
from TesterLibrary.planning.switch.answers import answer_frame
from TesterLibrary.planning.switch.datagrams import FIRST_WORD, carried_word, seen_words
from TesterLibrary.planning.switch.match_action import Ternary, match_action
from TesterLibrary.protocols.checker import load_protocol

TABLE = resource("protocols", "dns-one").read_text(encoding="utf-8")
SET = "{Ether.src: Ether.dst, Ether.dst: Ether.src, IP.src: IP.dst, IP.dst: IP.src, UDP.dport: UDP.sport, "
TUNNEL = """
version: 1
name: tunnel
description: Answers hellos of a tunnel
headers: Ether / IP / UDP(dport=7000) / Tunnel
definitions:
  - name: Tunnel
    fields:
      - {name: kind, bits: 4}
      - {name: flags, bits: 12}
      - {name: session, bits: 32}
      - {name: rest, bits: 96}
flow: [[IP.src, IP.dst], [UDP.sport, UDP.dport]]
counters: [answered]
templates:
  welcome:
    headers: Ether / IP / UDP(sport=7000) / Tunnel(kind=2)
    set: {Ether.src: Ether.dst, Ether.dst: Ether.src, IP.src: IP.dst, IP.dst: IP.src, UDP.dport: UDP.sport}
states: [idle]
table:
  - in: idle
    on: packet
    when: {Tunnel.kind: 1, Tunnel.session: 0x12345678}
    do: [count: answered, send: welcome]
  - {in: any, on: packet}
"""


def _changed(folder: Path, text: str = TABLE, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    path = folder / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_fields_behind_udp_and_the_payload_are_words_of_16_bits() -> None:
    asked, other = match_action(load_protocol("dns-one")).entries
    assert asked.match == (
        Ternary("payload.valid", 1, 1),
        Ternary("payload.word1", 0, 0xF800),  # a query: QR and the opcode are 0
        Ternary("payload.word2", 1, 0xFFFF),
        Ternary("payload.word6", 0x0377, 0xFFFF),
        Ternary("payload.word7", 0x7777, 0xFFFF),
    )
    assert (asked.payload, other.match) == (b"", ())


def test_a_field_may_lie_in_two_words(tmp_path: Path) -> None:
    row, _ = match_action(load_protocol(_changed(tmp_path, TUNNEL))).entries
    assert row.match[1:] == (
        Ternary("payload.word0", 0x1000, 0xF000),
        Ternary("payload.word1", 0x1234, 0xFFFF),
        Ternary("payload.word2", 0x5678, 0xFFFF),
    )


def test_what_nothing_is_asked_of_need_not_be_there() -> None:
    assert seen_words(load_protocol("dns-one"), [], b"") == {}


def test_an_answer_is_a_whole_datagram_with_its_checksums() -> None:
    protocol = load_protocol("dns-one")
    for vlan in (None, 7):
        octets = answer_frame(protocol, protocol.templates[0], vlan)
        frame = Ether(octets)
        assert (frame[UDP].sport, frame[DNS].qr, frame[DNS].an[0].rdata) == (53, 1, "198.51.100.1")
        assert frame[DNS].qd[0].qname == b"www.example.com."
        assert frame[IP].len == len(octets) - 14 - 4 * (vlan is not None)
        given = frame[IP].chksum, frame[UDP].chksum
        del frame[IP].chksum, frame[UDP].chksum
        again = Ether(bytes(frame))
        assert (again[IP].chksum, again[UDP].chksum) == given


def test_a_queue_carries_the_first_word_of_the_packet_or_of_the_template(tmp_path: Path) -> None:
    protocol = load_protocol("dns-one")
    assert carried_word(protocol, protocol.templates[0]) == Expression(FIRST_WORD)
    own = load_protocol(_changed(tmp_path, TABLE, ("DNS.id: DNS.id", "DNS.id: 0x1234")))
    assert carried_word(own, own.templates[0]) == Expression(0x1234)
    text = generate([str(own.path)])["efsm.p4"]
    assert "reply.word = 4660;" in text
    assert "reply.word = hdr.signature.id;" in generate(["dns-one"])["efsm.p4"]
    assert "reply.word" not in generate(["http-get"])["efsm.p4"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "UDP.dport: UDP.sport, ",
            "",
            "line 14: template answer does not set UDP.dport; on a switch an answer of UDP goes",
        ),
        ("IP.src: IP.dst, ", "IP.src: IP.src, ", "sets IP.src to IP.src; .* give IP.src: IP.dst"),
        ("UDP.dport: UDP.sport", "UDP.dport: 9", "sets UDP.dport to 9; .* give UDP.dport: UDP.sport"),
        ("UDP(sport=53)", "UDP(sport=54)", "does not set UDP.sport; .* give UDP.sport: UDP.dport"),
        (
            "DNS.id: DNS.id",
            "DNS.id: DNS.id + 1",
            r"sets DNS.id to DNS.id \+ 1; on a switch the first 16 bits",
        ),
        (
            "DNS.id: DNS.id",
            "DNS.id: DNS.nscount",
            "sets DNS.id to DNS.nscount; on a switch the first 16 bits",
        ),
        (
            "DNS.id: DNS.id",
            "DNS.nscount: DNS.nscount",
            "sets DNS.nscount to DNS.nscount; on a switch the first 16",
        ),
        (
            "DNS.qdcount: 1, payload",
            "payload.length: 21, payload",
            "line 20: a row tests payload.length, which is no",
        ),
        (
            'begins: "\\x03www"',
            'begins: "\\x03www\\x07"',
            "bytes of payload: 17 needed, 16 there, 1 too many",
        ),
        (
            "do: [count: answered, send",
            "do: [count: {answered: payload.length}, send",
            "is not in the switch's program",
        ),
    ],
)
def test_what_an_answer_of_a_switch_has_not_is_refused_by_its_line(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises(PlanError, match=problem):
        generate([_changed(tmp_path, TABLE, (old, new))])


def test_fields_behind_the_first_16_bytes_are_no_keys(tmp_path: Path) -> None:
    text = ("{name: rest, bits: 96}", "{name: rest, bits: 96}\n      - {name: last, bits: 8}")
    path = _changed(tmp_path, TUNNEL, text, ("Tunnel.kind: 1", "Tunnel.last: 1"))
    with pytest.raises(
        PlanError, match=r"line 22: a row tests Tunnel.last, which is no key .*, and 16 bytes behind UDP"
    ):
        generate([path])


@pytest.mark.parametrize(
    ("stack", "why"),
    [
        (
            "IPv6 / TCP",
            r"line 8: template syn_ack: Ether / IPv6 / TCP for Ether / IPv6 / TCP; .* of 32 bits",
        ),
        (
            "IP / UDP(dport=2152) / GTPU / IP / TCP",
            "line 8: template syn_ack does not set Ether.dst; on a switch",
        ),
        (
            "IP / UDP(dport=4789) / VXLAN / Ether / IP / TCP",
            "line 8: template syn_ack does not set Ether.dst",
        ),
        (
            "Dot1Q / IP / TCP",
            "template syn_ack: Ether / Dot1Q / IP / TCP for Ether / Dot1Q / IP / TCP; a switch",
        ),
        (
            "IPv6 / UDP(dport=53)",
            "template syn_ack: Ether / IPv6 / UDP for Ether / IPv6 / UDP; a switch answers",
        ),
    ],
)
def test_answers_behind_other_headers_are_refused_by_line_and_resource(
    tmp_path: Path, stack: str, why: str
) -> None:
    path = tmp_path / "other.yaml"
    source, destination = ("2001:db8::1", "2001:db8::2") if "IPv6" in stack else ("192.0.2.1", "192.0.2.2")
    addressed = re.sub(r"(IPv6|IP)\b", rf"\1(src={source}, dst={destination})", stack, count=1)
    path.write_text(
        f"""
version: 1
name: other
description: Answers behind other headers
headers: Ether / {stack}
counters: [answered]
templates:
  syn_ack:
    headers: Ether / {addressed}
states: [idle]
table:
  - {{in: idle, on: packet, do: [count: answered, send: syn_ack]}}
""",
        encoding="utf-8",
    )
    with pytest.raises(PlanError, match=why):
        generate([str(path)])


def test_a_tunnel_around_an_answer_is_refused_by_the_field_that_depends_on_the_packet(tmp_path: Path) -> None:
    inner = "GTPU / IP / UDP"
    text = TABLE.replace("UDP(dport=53) / layers.dns.DNS\n", f"UDP(dport=2152) / {inner}\n")
    text = text.replace(
        "UDP(sport=53) / layers.dns.DNS(qr=1, aa=1, qdcount=1, ancount=1)", f"UDP(sport=2152) / {inner}"
    )
    text = text.replace("DNS.id: DNS.id", "IP2.src: IP2.dst").replace(
        'when: {DNS.qr: 0, DNS.opcode: 0, DNS.qdcount: 1, payload: {begins: "\\x03www"}}',
        "when: {GTPU.version: 1}",
    )
    path = tmp_path / "tunnel.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        PlanError, match=r"template answer sets IP2.src to IP2.dst; on a switch the first 16 bits"
    ):
        generate([str(path)])


def test_flows_of_udp_keep_no_state_there(tmp_path: Path) -> None:
    path = _changed(
        tmp_path, TUNNEL, ("[idle]", "[idle, open]"), ("send: welcome]", "send: welcome]\n    to: open")
    )
    with pytest.raises(
        PlanError, match="2 states of flows of UDP; a switch keeps states of flows of TCP only"
    ):
        generate([path])
