# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers of which a switch is capable: it sends what an engine does, and counts the same."""

from __future__ import annotations

from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from TesterLibrary.measurement.snapshot import EndCounters
from TesterLibrary.model.headers import HeaderStack

from .rig import Rig
from .test_query import Querying, querying, send, trigger

__all__ = ["querying"]  # a fixture

pytestmark = [
    pytest.mark.refused_by("fake", match="a fake tester (does not count packets by keys|sends nothing)")
]

LINK = Ether(src="02:00:00:00:00:09", dst="02:00:00:00:00:02")
REQUEST = 'Ether / IP / TCP(flags=PA, seq=TCP.ack, ack="TCP.seq + 1") / Raw(load="GET /1kB HTTP/1.0\r\n\r\n")'
RELEASE = "Ether / IP / TCP(flags=R, seq=TCP.ack)"
OPENED = "TCP.flags == SA and TCP.dport == 2000-2005"


def opened(*ports: int, **more: Any) -> list[Any]:
    """Answers of a web server to clients that open connections from these ports."""
    flags = more.pop("flags", "SA")
    return [
        LINK / IP(src="10.0.0.9", dst="10.0.0.1") / TCP(sport=80, dport=n, flags=flags, **more) for n in ports
    ]


def counted(rig: Rig, name: str) -> EndCounters:
    """The counters of a trigger."""
    return rig.target.snapshot([name]).end(name, name)


def figures(end: EndCounters) -> tuple[int, int, tuple[int, ...], int]:
    """Frames taken and sent, the counters matched and sent, and what was not sent."""
    return end.rx_packets, end.tx_packets, tuple(end.counters), end.not_sent


def test_a_packet_has_another_frame_sent_to_whoever_sent_it(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST)
    answer = "TCP.flags == PA and TCP.dport == 80 and IP.src == 10.0.0.1 and IP.dst == 10.0.0.9"
    querying.start(
        "TCP.sport", port="p1", filter=f"{answer} and TCP.sport == 2000-2015 and IP.len == 61", value="length"
    )
    querying.start("", "to", port="p1", filter="Ether.dst == 02:00:00:00:00:09 and TCP.flags == PA")
    send(rig, *opened(2000, 2005, 2006, 2000))
    # 14 of Ethernet, 20 of IP, 20 of TCP, 21 of payload, 4 of FCS
    assert querying.rows() == [("2000", 2, 2 * 79), ("2005", 1, 79)]
    assert querying.rows("to") == [("", 3, None)]
    assert figures(counted(rig, "request")) == (3, 3, (3, 3), 0)


def test_what_it_does_not_wait_for_is_left_to_others(rig: Rig) -> None:
    trigger(rig, "request", f"{OPENED} and IP.src == 10.0.0.0/28", REQUEST)
    foreign = rig.target.snapshot().port("p2").rx_foreign
    segment = TCP(sport=80, dport=2000, flags="SA")
    frames = [
        *opened(2001, flags="A"),
        *opened(2001, flags="SAP"),
        LINK / IP(src="10.0.0.16", dst="10.0.0.1") / segment,
        LINK / Dot1Q(vlan=7) / IP(src="10.0.0.9", dst="10.0.0.1") / segment,
        LINK / IPv6(src="2001:db8::9", dst="2001:db8::1") / segment,
        LINK / IP(src="10.0.0.9", dst="10.0.0.1") / UDP(sport=80, dport=2000) / Raw(bytes(9)),
        LINK / IP(src="10.0.0.9", dst="10.0.0.1", frag=1, proto=6) / Raw(bytes(segment)),
    ]
    send(rig, *frames)
    assert figures(counted(rig, "request")) == (0, 0, (0, 0), 0)
    assert (rig.target.snapshot().port("p2").rx_foreign or 0) - (foreign or 0) == len(frames)
    send(rig, *opened(2001))
    assert figures(counted(rig, "request")) == (1, 1, (1, 1), 0)


def test_in_a_vlan_it_sends_frames_of_that_vlan_for_those_of_no_other(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST, vlan=7)
    trigger(rig, "back", "UDP.dport == 7 and UDP.sport == 5", "Ether / IP / UDP / Raw(load=payload)", vlan=7)
    answer = "TCP.flags == PA and IP.src == 10.0.0.1 and IP.len == 61"
    querying.start("VLAN.vlan", port="p1", filter=f"{answer} and VLAN.vlan == 0-15", value="length")
    querying.start("VLAN.vlan", "back", port="p1", filter="UDP.sport == 7 and VLAN.vlan == 0-15")
    segment = IP(src="10.0.0.9", dst="10.0.0.1") / TCP(sport=80, dport=2000, flags="SA")
    datagram = IP(src="10.0.0.9", dst="10.0.0.1") / UDP(sport=5, dport=7) / Raw(b"anything")
    tags = [Dot1Q(vlan=7), Dot1Q(vlan=7), Dot1Q(vlan=8), Dot1Q(vlan=0)]
    send(rig, *(LINK / tag / packet for tag in tags for packet in (segment, datagram)))
    send(rig, LINK / segment, LINK / datagram)
    assert querying.rows() == [("7", 2, 2 * 83)]
    assert querying.rows("back") == [("7", 2, None)]
    assert figures(counted(rig, "request")) == figures(counted(rig, "back")) == (2, 2, (2, 2), 0)


def test_it_goes_off_by_as_many_packets_as_it_may(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST, most=3)
    querying.start("", port="p1", filter="TCP.flags == PA")
    for port in (2000, 2001, 2002, 2003, 2004):
        send(rig, *opened(port))
    assert querying.rows() == [("", 3, None)]
    assert figures(counted(rig, "request")) == (3, 3, (3, 3), 0)
    rig.target.stop(["request"])
    rig.target.start(["request"])
    send(rig, *opened(2000, 2001))
    assert querying.rows() == [("", 5, None)]
    assert figures(counted(rig, "request")) == (2, 2, (2, 2), 0), "from its start on"


def test_one_that_was_stopped_sends_nothing_and_keeps_its_counters(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST)
    querying.start("", port="p1", filter="TCP.flags == PA")
    send(rig, *opened(2000))
    rig.target.stop(["request"])
    send(rig, *opened(2001, 2002))
    assert querying.rows() == [("", 1, None)]
    assert figures(counted(rig, "request")) == (1, 1, (1, 1), 0)
    assert not counted(rig, "request").answering


def test_triggers_of_a_port_go_off_side_by_side(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST)
    trigger(rig, "release", "TCP.flags has F", RELEASE)
    querying.start("", "requests", port="p1", filter="TCP.flags == PA")
    querying.start("", "resets", port="p1", filter="TCP.flags == R and TCP.dport == 80 and IP.len == 40")
    send(rig, *opened(2000), *opened(2000, 3000, flags="FA"), *opened(2001), *opened(2000, flags="A"))
    assert querying.rows("requests") == [("", 2, None)]
    assert querying.rows("resets") == [("", 2, None)]
    rig.target.unload(["request"])
    send(rig, *opened(2000), *opened(2000, flags="FPA"))
    assert querying.rows("requests") == [("", 2, None)]
    assert querying.rows("resets") == [("", 3, None)]
    assert figures(counted(rig, "release")) == (3, 3, (3, 3), 0)


def test_frames_leave_by_another_port_and_to_an_address_that_is_given(rig: Rig, querying: Querying) -> None:
    segment = 'TCP(flags=A, sport=80, seq=5, ack="TCP.seq + payload.length")'
    gone = f'Ether(dst="02:00:00:00:00:77") / IP(ttl=9) / {segment}'
    trigger(rig, "t", "TCP.flags == SA and TCP.dport == 80", gone, port="p2", out="p1")
    querying.start(
        "TCP.sport", port="p2", filter="TCP.flags == A and TCP.sport == 80 and Ether.dst == 02:00:00:00:00:77"
    )
    querying.start("", "ttl", port="p2", filter="TCP.flags == A and IP.ttl == 9")
    send(rig, *opened(80, 81))
    assert querying.rows() == [("80", 1, None)]
    assert querying.rows("ttl") == [("", 1, None)]
    assert figures(counted(rig, "t")) == (1, 1, (1, 1), 0)


def test_packets_of_streams_set_nothing_off(rig: Rig, querying: Querying) -> None:
    trigger(rig, "request", OPENED, REQUEST)
    querying.start("", port="p1", filter="TCP.flags == PA")
    headers = HeaderStack.parse(
        "Ether / IP(src=10.0.0.9, dst=10.0.0.1) / TCP(sport=80, dport=2000, flags=SA)"
    )
    rig.load(rig.plan("north", headers=headers, signature=False))
    snapshot = rig.run(["north"], packets=20)
    assert snapshot.streams[0].rx_packets == 20
    assert querying.rows() == []
    assert figures(counted(rig, "request")) == (0, 0, (0, 0), 0)
    send(rig, *opened(2001))
    assert figures(counted(rig, "request")) == (1, 1, (1, 1), 0)


def test_a_packet_is_sent_back_itself(rig: Rig, querying: Querying) -> None:
    trigger(rig, "echo", "UDP.dport == 7 and UDP.sport == 2000-2007", "Ether / IP / UDP / Raw(load=payload)")
    trigger(rig, "pong", "ICMP.type == 8 and ICMP.code == 0", "Ether / IP / ICMP(type=0) / Raw(load=payload)")
    answer = "IP.src == 10.0.0.1 and IP.dst == 10.0.0.9 and IP.ttl == 33"
    querying.start("UDP.dport", port="p1", filter=f"{answer} and UDP.sport == 7 and UDP.dport == 2000-2007")
    querying.start("", "pongs", port="p1", filter=f"{answer} and ICMP.type == 0 and IP.len == 48")
    ip = LINK / IP(src="10.0.0.9", dst="10.0.0.1", ttl=33)
    send(
        rig,
        *(
            ip / UDP(sport=port, dport=7) / Raw(bytes(range(size)))
            for port in (1999, 2000, 2007)
            for size in (3, 40)
        ),
        ip / ICMP(type=8, id=5) / Raw(bytes(range(20))),
        ip / ICMP(type=8, code=1, id=5) / Raw(bytes(range(20))),
    )
    assert querying.rows() == [("2000", 2, None), ("2007", 2, None)]
    assert querying.rows("pongs") == [("", 1, None)]
    assert figures(counted(rig, "echo")) == (4, 4, (4, 4), 0)
    assert figures(counted(rig, "pong")) == (1, 1, (1, 1), 0)


def test_a_packet_is_sent_by_another_port_as_often_as_it_may_be(rig: Rig) -> None:
    waits = "UDP.dport == 53 and UDP.sport != 53"
    trigger(rig, "t", waits, "Ether / IP / UDP / Raw(load=payload)", port="p2", out="p1", most=2)
    before = rig.target.snapshot().port("p1").tx_packets
    for n in range(1, 5):
        link = Ether(
            src=f"02:00:00:00:01:{n:02}", dst=f"02:00:00:00:02:{n:02}"
        )  # a bridge learns where they are
        send(rig, link / IP(src=f"10.0.0.{n}", dst="10.0.0.9") / UDP(sport=7, dport=53))
    assert figures(counted(rig, "t")) == (2, 2, (2, 2), 0)
    assert rig.target.snapshot().port("p1").tx_packets - before == 4 + 2
