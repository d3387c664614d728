# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A switch has some triggers, as entries and a template, and refuses the others by name."""

from __future__ import annotations

from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.planning.switch.match_action import Ternary
from TesterLibrary.planning.switch.trigger import (
    RETURNING,
    Asking,
    ReturnedFrame,
    SwitchTrigger,
    TemplateFrame,
    switch_trigger,
)
from tests.unit.planning.test_trigger import planned, trigger

SENT = "Ether / IP / TCP(flags=R, seq=TCP.ack)"


def lowered(filter: str = "TCP.flags == SA", send: str = SENT, **more: Any) -> SwitchTrigger:  # noqa: A002
    (end,) = planned(trigger(filter, send, **more)).ends
    return switch_trigger(end)


def template(*given: str, **more: Any) -> TemplateFrame:
    found = lowered(*given, **more).sends
    assert isinstance(found, TemplateFrame)
    return found


def returned(filter: str, send: str) -> ReturnedFrame:  # noqa: A002
    found = lowered(filter, send).sends
    assert isinstance(found, ReturnedFrame)
    return found


def test_a_filter_becomes_entries() -> None:
    assert lowered().waits == ((Ternary("TCP.flags", 0x12, 0xFF), Ternary("TCP.reserved", 0, 1)),)
    assert lowered("TCP.flags has SA and IP.src == 10.0.0.0/24 and TCP.dport == 2000-2047").waits == tuple(
        (
            Ternary("TCP.flags", 0x12, 0x12),
            Ternary("IP.src", 0x0A000000, 0xFFFFFF00),
            Ternary("TCP.dport", value, mask),
        )
        for value, mask in ((2000, 0xFFF0), (2016, 0xFFE0))
    )
    assert lowered("TCP.flags has N").waits == ((Ternary("TCP.reserved", 1, 1),),)


def test_a_frame_is_a_template_with_sums_for_its_numbers() -> None:
    send = (
        'Ether / IP(ttl=9) / TCP(flags=PA, seq=TCP.ack, ack="payload.length + TCP.seq - 1") / Raw(load="GET")'
    )
    found = template(send=send)
    frame = Ether(found.frame)
    assert (frame[IP].ttl, str(frame[TCP].flags), bytes(frame[TCP].payload)[:3]) == (9, "PA", b"GET")
    assert frame[IP].len == 43
    assert (found.asking, found.add) == (
        Asking(("TCP.ack",), ("TCP.seq", "payload.length")),
        (0, 0xFFFFFFFF),
    )
    assert (found.destination, found.source) == (None, None)
    assert template(send="Ether / IP / TCP(flags=A, seq=5)").add == (5, 0)


def test_addresses_of_ethernet_may_be_given_and_what_the_filter_fixes_may_be_repeated() -> None:
    found = template(
        "TCP.flags == SA and TCP.dport == 80",
        "Ether(dst='02:00:00:00:00:77') / IP / TCP(flags=R, sport=80)",
    )
    assert found.destination == bytes.fromhex("020000000077")


def test_a_packet_is_sent_back_with_the_addresses_of_an_answer() -> None:
    back = returned("UDP.dport == 7 and UDP.sport != 7", "Ether / IP / UDP / Raw(load=payload)")
    assert (back.returning, dict(back.data)) == (RETURNING["UDP"], {})
    pong = "Ether / IP / ICMP(type=0) / Raw(load=payload)"
    back = returned("ICMP.type == 8 and ICMP.code == 3", pong)
    assert (back.returning, dict(back.data)) == (RETURNING["ICMP"], {"message_type": 0, "message_code": 3})


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (
            {"filter": "UDP.dport == 7 and UDP.sport != 7", "send": "Ether / IP / UDP"},
            "it sends Ether / IP / UDP for packets of UDP; a frame with a payload of its own is Ether / IP",
        ),
        (
            {"filter": "IP.src == 10.0.0.1", "send": "Ether / IP(src=10.0.0.9) / TCP"},
            "its packets are Ether / IP, as",
        ),
        ({"send": "Ether / IP / UDP"}, "it sends Ether / IP / UDP for packets of TCP; a frame"),
        (
            {"send": "Ether / IP / TCP(flags=R) / Raw(load=payload)"},
            "which is one of TCP; those of UDP, ICMP are sent back",
        ),
        ({"send": f"{SENT}; {SENT}"}, "2 frames for a packet; one packet has one frame sent"),
        ({"filter": 'TCP.flags == SA and payload == "a"'}, "its filter looks at the payload"),
        ({"filter": "TCP.flags == SA and IP.id == 7"}, "its filter tests IP.id; a switch compares IP.src, "),
        ({"filter": "TCP.flags == SA and Ether.dst == 02:00:00:00:00:09"}, "its filter tests Ether.dst"),
        (
            {"send": "Ether / IP / TCP(flags=R, seq=TCP.dport)"},
            "TCP.seq is TCP.dport; there it is a number, or one of",
        ),
        ({"send": 'Ether / IP / TCP(flags=R, ack="TCP.seq & 7")'}, "TCP.ack is TCP.seq & 7; there"),
        ({"send": 'Ether / IP / TCP(flags=R, ack="1 - TCP.seq")'}, "TCP.ack is 1 - TCP.seq; there"),
        (
            {"send": "Ether / IP(ttl=IP.ttl) / TCP(flags=R)"},
            "IP.ttl is IP.ttl; TCP.seq and TCP.ack follow from the packet",
        ),
        (
            {"send": "Ether / IP(dst=10.0.0.3) / TCP(flags=R)"},
            "IP.dst is 167772163; an answer's is the IP.src of the",
        ),
        (
            {"send": "Ether / IP / TCP(flags=R, dport=9)"},
            "TCP.dport is 9; an answer's is the TCP.sport of the",
        ),
        (
            {"filter": "UDP.dport == 7", "send": "Ether / IP / UDP(dport=9) / Raw(load=payload)"},
            "UDP.dport is 9; a packet that is sent back keeps its fields",
        ),
        (
            {
                "filter": "UDP.dport == 7 and IP.ttl == 9",
                "send": "Ether / IP(ttl=8) / UDP / Raw(load=payload)",
                "swap": False,
                "out": "p2",
            },
            "swap=False: Ether.src stays as it arrived",
        ),
        (
            {"filter": "ICMP.type == 8", "send": "Ether / IP / ICMP(type=0) / Raw(load=payload)"},
            "ICMP.code is kept; give a number for it, or have the filter wait for one",
        ),
        (
            {"filter": "ARP.op == 1", "send": "Ether / ARP(op=2) / Raw(load=payload)"},
            "its packets are Ether / ARP, as its filter and its values name them",
        ),
        (
            {"filter": "IPv6.hlim == 1 and TCP.flags == S", "send": "Ether / IPv6(hlim=9) / TCP(flags=R)"},
            "its packets are Ether / IPv6 / TCP",
        ),
        ({"swap": False}, "swap=False: Ether.src stays as it arrived"),
        ({"most": 2**32}, "most=4,294,967,296: it counts 4,294,967,295 packets at most"),
        (
            {"filter": "TCP.flags == SA and TCP.dport != 7 and IP.src != 9.9.9.9 and IP.dst != 9.9.9.9"},
            "takes 16,384 entries, and 1,024",
        ),
    ],
)
def test_what_a_switch_cannot_do_is_refused_by_name(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError) as refused:
        lowered(**wish)
    text = str(refused.value)
    assert text.startswith("trigger 't': not on a switch: ")
    assert says in text
    assert text.endswith("; or use a testerd")
