# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from scapy.contrib.gtp import GTP_U_Header
from scapy.layers.dns import DNS, DNSQR, DNSRR, DNSRROPT
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import (
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
)
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from .dialogue import LINK, OUR_MAC, OURS, PEER, PEER_MAC, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

IPV4 = LINK / IP(src=PEER, dst=OURS)


def test_arp_is_answered_for_a_range_and_without_padding() -> None:
    arp = Dialogue("arp", first="198.18.0.2", last="198.18.0.3", mac=OUR_MAC)
    ask = Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=PEER_MAC, psrc=PEER, pdst="198.18.0.3")
    (answer,) = arp.hears(ask / Raw(bytes(18)))
    assert len(answer) == 42
    assert (answer.src, answer.dst, answer[ARP].op) == (OUR_MAC, PEER_MAC, 2)
    assert (answer[ARP].hwsrc, answer[ARP].psrc) == (OUR_MAC, "198.18.0.3")
    assert (answer[ARP].hwdst, answer[ARP].pdst) == (PEER_MAC, PEER)
    for other in ("198.18.0.1", "198.18.0.4"):
        ask[ARP].pdst = other
        assert arp.hears(ask) == []
    ask[ARP].pdst, ask[ARP].op = "198.18.0.2", 2
    assert arp.hears(ask) == []


@pytest.mark.parametrize(("asking", "solicited", "to"), [("2001:2::9", 1, "2001:2::9"), ("::", 0, "ff02::1")])
def test_neighbours_are_advertised(asking: str, solicited: int, to: str) -> None:
    nd = Dialogue("nd", first="2001:2::2", last="2001:2::3", mac=OUR_MAC)
    ask = Ether(src=PEER_MAC, dst="33:33:ff:00:00:03") / IPv6(src=asking, dst="ff02::1:ff00:3", hlim=255)
    option = [ICMPv6NDOptSrcLLAddr(lladdr=PEER_MAC)] if solicited else []
    for part in [ICMPv6ND_NS(tgt="2001:2::3"), *option]:
        ask /= part
    (answer,) = nd.hears(ask)
    assert (answer[IPv6].src, answer[IPv6].dst, answer[IPv6].hlim) == ("2001:2::3", to, 255)
    assert (answer[ICMPv6ND_NA].S, answer[ICMPv6ND_NA].O, answer[ICMPv6ND_NA].tgt) == (
        solicited,
        1,
        "2001:2::3",
    )
    assert answer[ICMPv6NDOptDstLLAddr].lladdr == OUR_MAC
    ask[IPv6].hlim = 64  # from another network (RFC 4861 §7.1.1)
    assert nd.hears(ask) == []


def test_a_ping_comes_back() -> None:
    ping = Dialogue("icmp-echo")
    (answer,) = ping.hears(IPV4 / ICMP(id=7, seq=8) / Raw(b"abc"))
    assert (answer[ICMP].type, answer[ICMP].id, answer[ICMP].seq) == (0, 7, 8)
    assert (answer[IP].src, answer[IP].dst, bytes(answer[ICMP].payload)) == (OURS, PEER, b"abc")
    assert ping.hears(answer) == []


@pytest.mark.parametrize("length", [0, 1, 2, 17, 1400])
def test_a_datagram_comes_back(length: int) -> None:
    (answer,) = Dialogue("udp-echo").hears(IPV4 / UDP(sport=5, dport=7) / Raw(b"x" * length))
    assert (answer[UDP].sport, answer[UDP].dport, answer[UDP].len) == (7, 5, 8 + length)


def test_a_datagram_without_checksum_comes_back_without_one() -> None:
    packet = IPV4 / UDP(sport=5, dport=7, chksum=0) / Raw(b"x")
    (frame,) = Dialogue("udp-echo").interpreter.receive(bytes(packet), 0)
    assert Ether(frame)[UDP].chksum == 0


@pytest.mark.parametrize(("kind", "address"), [("A", "198.51.100.1"), ("AAAA", "2001:db8::1"), ("MX", None)])
def test_names_are_known(kind: str, address: str | None) -> None:
    dns = Dialogue("dns")
    ask = DNS(id=5, qd=DNSQR(qname="www.example.org", qtype=kind), ar=DNSRROPT())
    (answer,) = dns.hears(IPV4 / UDP(sport=9, dport=53) / ask)
    found = answer[DNS]
    assert (found.id, found.qr, found.rcode, found.arcount) == (5, 1, 0, 0)
    if address:
        assert (found.qd[0].qname, found.an[0].rrname) == (b"www.example.org.", b"www.example.org.")
        assert (found.ancount, found.an[0].rdata, found.an[0].ttl) == (1, address, 60)
    else:
        assert found.ancount == 0


def test_a_name_is_answered_in_the_letter_case_in_which_it_was_asked() -> None:
    """RFC 4343 §3; a resolver may choose it at random, and compares."""
    ask = DNS(id=5, qd=DNSQR(qname="wWw.eXAmple.ORG"))
    (answer,) = Dialogue("dns").hears(IPV4 / UDP(sport=9, dport=53) / ask)
    assert answer[DNS].qd[0].qname == b"wWw.eXAmple.ORG."
    assert answer[DNS].an[0].rdata == "198.51.100.1"


def test_what_is_no_query_is_not_answered() -> None:
    dns = Dialogue("dns")
    answer = DNS(qr=1, qd=DNSQR(qname="a"), an=DNSRR(rrname="a", rdata="192.0.2.1"))
    assert dns.hears(IPV4 / UDP(dport=53) / answer) == []
    assert dns.hears(IPV4 / UDP(dport=53) / Raw(b"short")) == []
    assert (dns.count("ignored"), dns.count("foreign")) == (1, 1)


def test_a_server_for_one_name_answers_that_with_the_number_of_the_query() -> None:
    dns = Dialogue("dns-one")
    query = IPV4 / UDP(sport=9, dport=53)
    (answer,) = dns.hears(query / DNS(id=7, qd=DNSQR(qname="www.example.com")))
    assert (answer[UDP].sport, answer[UDP].dport, answer[DNS].id, answer[DNS].qr) == (53, 9, 7, 1)
    assert (answer[DNS].qd[0].qname, answer[DNS].an[0].rdata) == (b"www.example.com.", "198.51.100.1")
    assert dns.hears(query / DNS(id=7, qd=DNSQR(qname="example.com"))) == []
    assert dns.hears(query / DNS(id=7, qr=1, qd=DNSQR(qname="www.example.com"))) == []
    assert dns.hears(query / DNS(id=7, qd=DNSQR(qname="wWw.example.com"))) == []  # a template has one case
    assert (dns.count("answered"), dns.count("ignored")) == (1, 3)


def test_gtp_u_is_alive() -> None:
    ask = IPV4 / UDP(sport=2152, dport=2152) / GTP_U_Header(S=1, gtp_type=1, teid=0, seq=321)
    (answer,) = Dialogue("gtpu-echo").hears(ask)
    found = answer[GTP_U_Header]
    assert (found.gtp_type, found.seq, found.length, bytes(found.payload)) == (2, 321, 6, b"\x0e\0")


def test_a_syn_is_reset_without_state() -> None:
    bypass = Dialogue("syn-reset")
    (answer,) = bypass.hears(IPV4 / TCP(sport=1, dport=2, seq=99, flags="S", options=[("MSS", 1460)]))
    assert (str(answer[TCP].flags), answer[TCP].ack, answer[TCP].dport) == ("RA", 100, 1)
    assert bypass.interpreter.flows == {}


def test_a_flood_keeps_nothing_and_counts_answers() -> None:
    flood = Dialogue("syn-flood", resets=1)
    numbers = set()
    for port in range(1000, 1100):
        (syn,) = flood.opens(TCP_sport=port, TCP_dport=80)
        numbers.add(syn[TCP].seq)
        (reset,) = flood.hears(IPV4 / TCP(sport=80, dport=port, flags="SA", ack=syn[TCP].seq + 1))
        assert (str(reset[TCP].flags), reset[TCP].seq) == ("R", syn[TCP].seq + 1)
    assert flood.interpreter.flows == {}
    assert (len(numbers), flood.count("answered")) == (100, 100)


@pytest.mark.parametrize(
    "change",
    [
        {"chksum": 1},
        {"len": 500},
        {"len": 10},
        {"ihl": 4},
        {"ihl": 15},
        {"version": 5},
        {"flags": "MF"},
    ],
)
def test_what_is_broken_is_counted_and_not_answered(change: dict[str, object]) -> None:
    ping = Dialogue("icmp-echo")
    packet = LINK / IP(src=PEER, dst=OURS, **change) / ICMP() / Raw(b"abcdefgh")
    assert ping.hears(packet) == []
    assert ping.count("malformed") == 1


def test_what_is_of_another_protocol_is_foreign() -> None:
    ping = Dialogue("icmp-echo")
    for packet in (IPV4 / UDP(), LINK / ARP(), LINK / IPv6(), Raw(b"short"), IPV4 / Raw(b"x")):
        assert ping.hears(packet) == []
    assert (ping.count("foreign"), ping.count("malformed")) == (5, 0)


def test_a_question_is_repeated_until_its_own_answer_comes() -> None:
    client = Dialogue("dns-client", wait="100 ms")
    (asked,) = client.opens(UDP_sport=5000, UDP_dport=53)
    question = asked[DNS]
    assert (question.qd[0].qname, question.qd[0].qtype, question.rd) == (b"www.example.com.", 1, 1)
    record = DNSRR(rrname="www.example.com", rdata="192.0.2.1")
    answer = DNS(id=question.id, qr=1, qd=question.qd, an=record)
    other = IPV4 / UDP(sport=53, dport=5000) / DNS(id=question.id ^ 1, qr=1, qd=question.qd, an=record)
    assert client.hears(other) == []
    assert [packet[DNS].id for packet in client.waits(101)] == [question.id]
    assert client.hears(IPV4 / UDP(sport=53, dport=5000) / answer) == []
    assert client.waits(1000) == []
    assert [client.count(name) for name in ("answered", "retransmitted", "ignored")] == [1, 1, 1]


QUESTION = DNSQR(qname="www.example.com")
RECORD = DNSRR(rrname="www.example.com", rdata="192.0.2.1")


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({}, "answered"),
        ({"an": [RECORD, RECORD]}, "answered"),
        ({"qd": DNSQR(qname="wWw.EXAMPLE.cOm")}, "answered"),  # RFC 4343 §3
        ({"qd": DNSQR(qname="WWW.EXAMPLE.ORG")}, "mismatched"),
        ({"qd": DNSQR(qname="www-example.com")}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.org"), "an": [], "rcode": 3}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.com.org"), "an": []}, "mismatched"),
        ({"qd": DNSQR(qname="a"), "an": []}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.org")}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.com", qtype="AAAA")}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.com", qclass=3)}, "mismatched"),
        ({"qd": DNSQR(qname="www.example.com.org")}, "mismatched"),
        ({"qd": []}, "mismatched"),
        ({"qd": [QUESTION, QUESTION]}, "mismatched"),
        ({"opcode": 4}, "mismatched"),
        ({"qd": [], "an": [], "rcode": 1}, "refused"),
        ({"an": [], "rcode": 3}, "refused"),
        ({"an": []}, "refused"),
        ({"tc": 1}, "truncated"),
        ({"tc": 1, "an": []}, "truncated"),
        ({"an": [RECORD] * 40}, "malformed"),
    ],
)
def test_an_answer_has_the_question_that_was_asked(changed: dict[str, object], name: str) -> None:
    client = Dialogue("dns-client")
    (asked,) = client.opens(UDP_sport=5000, UDP_dport=53)
    answer = DNS(**{"id": asked[DNS].id, "qr": 1, "qd": QUESTION, "an": RECORD, **changed})
    assert client.hears(IPV4 / UDP(sport=53, dport=5000) / answer) == []
    counted = ["answered", *client.interpreter.protocol.failures]
    assert {one: client.count(one) for one in counted if client.count(one)} == {name: 1}
    assert client.interpreter.flows == {}


GLUE = DNSRR(rrname="ns.example.com", rdata="198.51.100.1")
ALIAS = DNSRR(rrname="www.example.com", type="CNAME", rdata="a.example.net")


@pytest.mark.parametrize(
    ("answer", "records", "name"),
    [
        ("192.0.2.1", {"an": [RECORD]}, "answered"),
        ("192.0.2.1", {"an": [ALIAS, DNSRR(rrname="a.example.net", rdata="192.0.2.1")]}, "answered"),
        ("192.0.2.1", {"an": [ALIAS, RECORD]}, "wrong_answer"),  # the alias has no address of its own
        ("192.0.2.1", {"an": [RECORD], "ar": [GLUE]}, "answered"),  # the address of a name server
        ("192.0.2.2", {"an": [RECORD]}, "wrong_answer"),
        ("192.0.3.1", {"an": [RECORD]}, "wrong_answer"),
        ("193.0.2.1", {"an": [RECORD]}, "wrong_answer"),
        ("192.0.2.1", {"an": [RECORD, GLUE]}, "wrong_answer"),
        ("192.0.2.1", {"an": [ALIAS]}, "wrong_answer"),
        ("198.51.100.1", {"an": [ALIAS], "ar": [GLUE]}, "wrong_answer"),
        ("0.0.0.0", {"an": [ALIAS]}, "answered"),
        ("192.0.2.2", {"an": [RECORD], "tc": 1}, "truncated"),
    ],
)
def test_an_answer_has_the_address_that_the_author_says(
    answer: str, records: dict[str, object], name: str
) -> None:
    client = Dialogue("dns-client", answer=answer)
    (asked,) = client.opens(UDP_sport=5000, UDP_dport=53)
    said = DNS(**{"id": asked[DNS].id, "qr": 1, "qd": QUESTION, **records})
    assert client.hears(IPV4 / UDP(sport=53, dport=5000) / said) == []
    counted = ["answered", *client.interpreter.protocol.failures]
    assert {one: client.count(one) for one in counted if client.count(one)} == {name: 1}


OTHER = DNSRR(rrname="www.example.com", type="CNAME", rdata="a.b.example.net")
SERVER = DNSRR(rrname="example.com", type="NS", rdata="ns.example.com")
ANSWERS = {
    "one": {"an": [RECORD]},
    "an alias first": {"an": [OTHER, DNSRR(rrname="a.b.example.net", rdata="192.0.2.9")]},
    "of all sections": {
        "an": [RECORD],
        "ns": [SERVER],
        "ar": [DNSRR(rrname="ns.example.com", type="AAAA", rdata="2001:db8::1")],
    },
    "with a name of no label": {"an": [RECORD], "ar": [DNSRROPT()]},
}


def answered(change: object, given: dict[str, object]) -> dict[str, int]:
    """The counters of a client that gets an answer with changed bytes."""
    client = Dialogue("dns-client")
    (asked,) = client.opens(UDP_sport=5000, UDP_dport=53)
    octets = bytes(DNS(id=asked[DNS].id, qr=1, qd=[QUESTION], **given))
    assert callable(change)
    assert client.hears(IPV4 / UDP(sport=53, dport=5000) / Raw(change(octets))) == []
    assert client.interpreter.flows == {}
    counted = ["answered", *client.interpreter.protocol.failures]
    return {name: client.count(name) for name in counted if client.count(name)}


@pytest.mark.parametrize("given", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_has_each_record_whole(given: dict[str, object]) -> None:
    assert answered(bytes, given) == {"answered": 1}
    assert answered(lambda octets: octets + b"\0", given) == {"malformed": 1}
    length = len(bytes(DNS(qr=1, qd=[QUESTION], **given)))
    for kept in range(12 + 21, length):
        assert answered(lambda octets, kept=kept: octets[:kept], given) == {"malformed": 1}


@pytest.mark.parametrize(
    "tail",
    [
        b"\x40" + bytes(20),  # no label is so long
        b"\xc0",
        b"\xc0\x0c\0\1\0\1\0\0\0\1\0\5\1\2\3\4",
        b"\x3f" + bytes(20),
        b"\1a" * 220,
        b"\1a" * 240 + b"\0" + bytes(8) + b"\0\0",
    ],
)
def test_a_record_that_says_more_than_is_there_is_malformed(tail: bytes) -> None:
    assert answered(lambda octets: octets[:33] + tail, {"an": [RECORD]}) == {"malformed": 1}


def test_the_longest_name_that_fits_is_walked_through() -> None:
    tail = b"\0" + b"\0\x2e\0\1\0\0\0\1\0\4\1\2\3\4"  # RRSIG, which may be of any name
    assert answered(lambda octets: octets[:33] + b"\1a" * 127 + tail, {"an": [RECORD]}) == {"answered": 1}
    assert answered(lambda octets: octets[:33] + b"\1a" * 128 + tail, {"an": [RECORD]}) == {"malformed": 1}


def test_a_question_that_nobody_answers_is_given_up() -> None:
    client = Dialogue("dns-client", wait="100 ms", tries=2)
    client.opens(UDP_sport=5000, UDP_dport=53)
    assert [len(client.waits(101)) for _ in range(3)] == [1, 0, 0]
    assert (client.count("timed_out"), client.count("answered")) == (1, 0)


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ([("MSS", 1460), ("SAckOK", b""), ("Timestamp", (1, 2)), ("WScale", 7)], []),
        ([("MSS", 1460), ("Timestamp", (1, 2)), ("WScale", 7)], ["without_sack"]),
        ([], ["without_mss", "without_scale", "without_sack", "without_stamp"]),
    ],
)
def test_options_that_do_not_come_back_are_counted(options: list[object], missing: list[str]) -> None:
    probe = Dialogue("tcp-probe")
    (syn,) = probe.opens(TCP_sport=5000, TCP_dport=80)
    assert {name for name, _ in syn[TCP].options} >= {"MSS", "SAckOK", "Timestamp", "WScale"}
    back = IPV4 / TCP(sport=80, dport=5000, flags="SA", ack=syn[TCP].seq + 1, options=options)
    (reset,) = probe.hears(back)
    assert reset[TCP].flags == "R"
    counted = [name for name in probe.interpreter.counters if name.startswith("without_")]
    assert [name for name in counted if probe.count(name)] == missing
