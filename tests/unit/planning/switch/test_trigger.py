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
from TesterLibrary.planning.switch.trigger import Asking, SwitchTrigger, switch_trigger
from tests.unit.planning.test_trigger import planned, trigger

SENT = "Ether / IP / TCP(flags=R, seq=TCP.ack)"


def lowered(filter: str = "TCP.flags == SA", send: str = SENT, **more: Any) -> SwitchTrigger:  # noqa: A002
    (end,) = planned(trigger(filter, send, **more)).ends
    return switch_trigger(end)


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
    found = lowered(send=send)
    frame = Ether(found.frame)
    assert (frame[IP].ttl, str(frame[TCP].flags), bytes(frame[TCP].payload)[:3]) == (9, "PA", b"GET")
    assert frame[IP].len == 43
    assert (found.asking, found.add) == (
        Asking(("TCP.ack",), ("TCP.seq", "payload.length")),
        (0, 0xFFFFFFFF),
    )
    assert (found.destination, found.source) == (None, None)
    assert lowered(send="Ether / IP / TCP(flags=A, seq=5)").add == (5, 0)


def test_addresses_of_ethernet_may_be_given_and_what_the_filter_fixes_may_be_repeated() -> None:
    found = lowered(
        "TCP.flags == SA and TCP.dport == 80",
        "Ether(dst='02:00:00:00:00:77') / IP / TCP(flags=R, sport=80)",
    )
    assert found.destination == bytes.fromhex("020000000077")


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (
            {"filter": "UDP.dport == 7 and UDP.sport != 7", "send": "Ether / IP / UDP"},
            "its packets are Ether / IP / UDP",
        ),
        (
            {"filter": "IP.src == 10.0.0.1", "send": "Ether / IP(src=10.0.0.9) / TCP"},
            "its packets are Ether / IP, as",
        ),
        ({"send": "Ether / IP / UDP"}, "it sends Ether / IP / UDP; a frame is Ether / IP / TCP"),
        ({"send": "Ether / IP / TCP(flags=R) / Raw(load=payload)"}, "sends the packet itself"),
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
        ({"swap": False}, "swap=False: Ether.src stays as it arrived"),
        ({"vlan": 7}, "vlan=7: it answers packets without a tag; leave vlan= out"),
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
