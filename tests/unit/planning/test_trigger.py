# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.errors import PlanError, UnitError
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import PacketFilter
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.trigger import SentFrames, Trigger
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.protocols.interpreter import Interpreter

PORTS = {
    name: Port(name, Bandwidth(10**9), bytes([2, 0, 0, 0, 0, n]), 1518, IPv4Interface(f"198.18.0.{n}/24"))
    for n, name in enumerate(("p1", "p2"), 2)
}
SYN_ACK = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:02") / IP(src="10.0.0.9", dst="10.0.0.1", ttl=9)
SYN_ACK /= TCP(sport=80, dport=1000, flags="SA", seq=5, ack=7)


def trigger(
    filter: str = "TCP.flags == SA",  # noqa: A002
    send: str = "Ether / IP / TCP(flags=R, seq=TCP.ack)",
    name: str = "t",
    **more: Any,
) -> Trigger:
    more = {"port": "p1"} | more
    return Trigger(name=name, filter=PacketFilter.parse(filter), send=SentFrames.parse(send), **more)


def planned(*ends: Trigger | Responder, beside: list[Plan] | None = None) -> Plan:
    return compile_job(Job("job", ends=ends), ports=PORTS, gateways={}, max_streams=1, beside=beside or [])


def sent(end: Trigger, packet: Packet) -> list[Packet]:
    """The frames of a trigger for a packet, by the reference interpreter."""
    (plan,) = planned(end).ends
    return [
        Ether(frame) for frame in Interpreter(plan.protocol, plan.parameters).receive(bytes(packet), now=0)
    ]


def test_a_frame_has_what_was_given_and_otherwise_the_addresses_of_an_answer() -> None:
    send = 'Ether / IP(ttl=1) / TCP(flags=A, seq=TCP.ack, ack="TCP.seq + 1") / Raw(load="GET")'
    (frame,) = sent(trigger(send=send), SYN_ACK)
    assert (frame.dst, frame.src) == (SYN_ACK.src, SYN_ACK.dst)
    assert (frame[IP].src, frame[IP].dst, frame[IP].ttl) == ("10.0.0.1", "10.0.0.9", 1)
    assert (frame[TCP].sport, frame[TCP].dport) == (1000, 80)
    assert (str(frame[TCP].flags), frame[TCP].seq, frame[TCP].ack) == ("A", 7, 6)
    assert bytes(frame[TCP].payload) == b"GET"
    for layer in (IP, TCP):  # Scapy works a checksum out where there is none
        again = Ether(bytes(frame))
        del again[layer].chksum
        assert Ether(bytes(again))[layer].chksum == frame[layer].chksum


def test_the_payload_is_what_follows_the_headers_that_are_named_whichever_they_are() -> None:
    link = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:02")
    behind_arp = trigger("ARP.op == 1 and payload == pad", send="Ether / ARP(op=2) / Raw(load=payload)")
    assert len(sent(behind_arp, link / ARP() / Raw("pad"))) == 1
    behind_ethernet = trigger(
        "Ether.type == 0x0806 and payload == 0x0001", send="Ether / IP(src=10.0.0.1, dst=10.0.0.3) / UDP"
    )
    assert len(sent(behind_ethernet, link / ARP())) == 1


def test_addresses_of_ethernet_that_are_given_are_those_of_the_frame() -> None:
    (frame,) = sent(trigger(send="Ether(dst='02:00:00:00:00:77') / IP / TCP(flags=A)"), SYN_ACK)
    assert (frame.dst, frame.src) == ("02:00:00:00:00:77", SYN_ACK.dst)


def test_frames_may_go_on_as_the_packet_came() -> None:
    (frame,) = sent(trigger(send="Ether / IP(dst=10.0.0.3) / UDP(dport=TCP.sport)", swap=False), SYN_ACK)
    assert (frame.src, frame[IP].src, frame[IP].dst) == (SYN_ACK.src, "10.0.0.9", "10.0.0.3")
    assert frame[UDP].dport == 80


def test_several_frames_leave_in_their_order_and_the_last_one_may_be_the_packet_itself() -> None:
    packet = SYN_ACK / Raw(b"abc")
    send = "Ether / IP / TCP(flags=A); Ether / IP(tos=8) / TCP(flags=R) / Raw(load=payload)"
    first, second = sent(trigger(send=send), packet)
    assert (str(first[TCP].flags), bytes(first[TCP].payload).strip(b"\0")) == ("A", b"")
    assert (str(second[TCP].flags), second[IP].tos, second[IP].ttl) == ("R", 8, 9)
    assert bytes(second[Raw])[:3] == b"abc"
    with pytest.raises(PlanError, match="has to be the last one"):
        planned(trigger(send="Ether / IP / TCP / Raw(load=payload); Ether / IP / TCP(flags=R)"))


@pytest.mark.parametrize(
    ("text", "goes_off"),
    [
        ("TCP.flags == SA", True),
        ("TCP.flags == S", False),
        ("TCP.flags has S", True),
        ("TCP.flags lacks A", False),
        ("TCP.flags has S and IP.src == 10.0.0.0/8", True),
        ("TCP.flags has S and IP.src == 11.0.0.0/8", False),
        ("TCP.sport == 79-81 and IP.ttl != 9", False),
        ("TCP.sport == 79-81 and IP.ttl != 8", True),
        ('TCP.sport == 80 and payload == "ab"', True),
        ('TCP.sport == 80 and payload == "b"', False),
        ("UDP.sport == 80", False),
    ],
)
def test_a_trigger_goes_off_by_what_its_filter_says(text: str, goes_off: bool) -> None:
    udp = text.startswith("UDP")
    send = "Ether / IP / UDP(sport=9)" if udp else "Ether / IP(ttl=255) / TCP(flags=RA, sport=1)"
    assert bool(sent(trigger(text, send), SYN_ACK / Raw(b"abc"))) is goes_off


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({"port": "p9"}, "port='p9' is no port"),
        ({"out": "p9"}, "out='p9' is no port of this tester; it has p1, p2"),
        ({"most": 0}, "most=0 packets are too few"),
        ({"filter": "TCP.flags == Q"}, "filter 'TCP.flags == Q'"),
        ({"filter": "length > 5"}, "slices of it, length and port are for queries"),
        ({"filter": "payload[1:2] == 0x00"}, "slices of it, length and port are for queries"),
        ({"filter": 'payload != "a"'}, "compares the begin of the payload by == only"),
        ({"filter": "IP.src != 10.0.0.0/8"}, "a trigger compares a network by == only"),
        ({"filter": "UDP.dport == 7"}, "no packet has TCP and UDP together"),
        ({"filter": "VLAN.vlan == 7"}, "and none of VLAN; vlan= is for the packets of a VLAN"),
        (
            {"filter": "TCP.flags has S and TCP.flags lacks S"},
            "no packet passes its filter: TCP.flags has S and TCP.flags lacks S exclude each other",
        ),
        ({"filter": "IP.version == 6"}, "no packet passes its filter: IP.version == 6: IP.version is 4"),
        # A trigger takes sound packets only: no fragments, and lengths that agree.
        ({"filter": "IP.ihl < 5"}, "IP.ihl < 5: IP.ihl is 5 to 15; change it"),
        ({"filter": "IP.len < 20"}, "IP.len < 20: IP.len is 20 to 65535; change it"),
        ({"filter": "IP.frag > 0"}, "IP.frag > 0: IP.frag is 0; change it"),
        ({"filter": "IP.flags has MF"}, "IP.flags has MF: IP.flags is "),
        ({"filter": "UDP.len < 8", "send": "Ether / IP / UDP"}, "UDP.len < 8: UDP.len is 8 to 65535"),
        ({"filter": "TCP.dataofs < 5"}, "TCP.dataofs < 5: TCP.dataofs is 5 to 15; change it"),
        ({"filter": "IP.len < 40 and TCP.flags has S"}, "IP.len < 40 and TCP.flags has S exclude each other"),
        (
            {"filter": "UDP.len == 10 and payload == abc", "send": "Ether / IP / UDP"},
            "UDP.len == 10 and payload == abc exclude each other",
        ),
        (
            {"filter": "IPv6.nh == 0 and TCP.flags has S"},
            "IPv6.nh == 0 and TCP.flags has S exclude each other",
        ),
        ({"send": "IP / TCP(flags=R)"}, "IP / TCP does not begin with Ether"),
        ({"send": "Ether / IP / TCP(flags=TCP.flag)"}, "there is no field 'TCP.flag'"),
        ({"send": "Ether / IP / TCP(flgs=R)"}, "TCP has no field 'flgs' (did you mean 'flags'"),
        (
            {"send": "Ether / IP / UDP / Raw(load=payload)"},
            "keeps the packet, whose headers are Ether / IP / TCP",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_the_trigger(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError) as error:
        planned(trigger(**wish))
    assert str(error.value).startswith("trigger 't': ")
    assert says in str(error.value)


def test_a_payload_is_written_behind_headers() -> None:
    for text in ("Raw(load=abc)", "Ether / IP / Raw", "Ether / Raw(lod=x)"):
        with pytest.raises(UnitError):
            SentFrames.parse(text)
    with pytest.raises(UnitError, match="no bytes"):
        SentFrames.parse("Ether / Raw(load=\u20ac)")
    with pytest.raises(UnitError, match="17 frames"):
        SentFrames.parse(";".join(["Ether / IP"] * 17))


def test_triggers_that_would_go_off_by_one_packet_are_refused_by_their_names() -> None:
    both = planned(trigger("TCP.flags has S and IP.ttl > 5", name="first"))
    with pytest.raises(PlanError, match=r"'second'.*'first' on port 'p1' would both go off.*IP.ttl = 6"):
        compile_job(
            Job("other", ends=(trigger("TCP.flags has SA", name="second"),)),
            ports=PORTS,
            gateways={},
            max_streams=1,
            beside=[both],
        )
    apart = [
        trigger("TCP.flags lacks S and TCP.flags has A", name="second"),
        trigger("UDP.dport == 7", "Ether / IP / UDP(dport=8)", name="third"),
        trigger("TCP.flags has SA", name="fourth", port="p2"),
        trigger("TCP.flags has SA", name="fifth", vlan=7),
    ]
    for other in apart:
        compile_job(Job("other", ends=(other,)), ports=PORTS, gateways={}, max_streams=1, beside=[both])


def test_a_trigger_beside_a_responder_for_the_same_headers_is_refused_and_the_other_way_round() -> None:
    responder = Responder(name="web", port="p1", protocol="tcp-server")
    for first, second in ((responder, trigger()), (trigger(), responder)):
        with pytest.raises(PlanError, match="both take packets with the headers Ether / IP / TCP"):
            planned(first, second)


def test_triggers_that_set_off_each_other_are_refused_by_their_names() -> None:
    ping = trigger("UDP.dport == 7", "Ether / IP / UDP(dport=8)", name="ping")
    pong = trigger("UDP.dport == 8", "Ether / IP / UDP(dport=7)", name="pong", port="p2")
    planned(ping)
    with pytest.raises(PlanError, match=r"loop.*'ping' may set off 'pong', whose frames may set off 'ping'"):
        planned(ping, pong)
    echo = trigger("UDP.dport == 7", "Ether / IP / UDP / Raw(load=payload)", name="echo")
    with pytest.raises(PlanError, match="frames of trigger 'echo' may set off 'echo'"):
        planned(echo)
    planned(trigger("UDP.dport == 7 and UDP.sport != 7", "Ether / IP / UDP / Raw(load=payload)", name="echo"))
