# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from fractions import Fraction

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.inline import Drop, Event, Mark, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.match import Match
from TesterLibrary.model.planned_path import PlannedPath
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units import Bandwidth, Ratio
from TesterLibrary.planning.compile import compile as compile_job

PORTS = {
    name: Port(name, Bandwidth(10**9), bytes((2, 0, 0, 0, 0, number)), 1518)
    for number, name in enumerate(("p1", "p2"), 1)
}


def planned(*events: Event, between: tuple[str, str] = ("p1", "p2"), seed: int = 1) -> PlannedPath:
    job = Job("job", paths=(Path("wan", between, events),), seed=seed)
    return compile_job(job, ports=PORTS, gateways={}, max_streams=1).paths[0]


def watch(headers: str) -> tuple[Match, ...]:
    return planned(Event(action=Drop(), every=1, headers=HeaderStack.parse(headers))).watches[0]


def holds(matches: tuple[Match, ...], packet: Packet) -> bool:
    frame = bytes(packet).ljust(60, b"\0")
    return all(
        bytes(a & b for a, b in zip(frame[m.offset :], m.mask, strict=False)) == m.value for m in matches
    )


TCP_80 = Ether() / IP(dst="10.0.0.1") / TCP(dport=80, flags="PA")
OTHERS = {
    "another port": Ether() / IP(dst="10.0.0.1") / TCP(dport=81),
    "UDP": Ether() / IP(dst="10.0.0.1") / UDP(dport=80),
    "a tag": Ether() / Dot1Q(vlan=1) / IP(dst="10.0.0.1") / TCP(dport=80),
    "IPv6": Ether() / IPv6() / TCP(dport=80),
    "options": Ether() / IP(dst="10.0.0.1", options=b"\x01\x01\x01\x01") / TCP(dport=80),
    "a later fragment": Ether() / IP(dst="10.0.0.1", frag=100, proto=6) / (b"\x00\x50\x00\x50" * 5),
    "ARP": Ether() / ARP(),
}


@pytest.mark.parametrize(
    "headers", ["IP / TCP(dport=80)", "Ether / IP / TCP(dport=80)", "IP(dst=10.0.0.1) / TCP(dport=80)"]
)
def test_headers_match_what_was_given_and_nothing_else(headers: str) -> None:
    matches = watch(headers)
    assert holds(matches, TCP_80)
    assert holds(matches, Ether(src="02:00:00:00:00:09") / IP(dst="10.0.0.1", ttl=3, tos=3) / TCP(dport=80))
    assert [name for name, packet in OTHERS.items() if holds(matches, packet)] == []


def test_single_fields_match() -> None:
    assert holds(watch("IP / TCP(flags=S)"), Ether() / IP() / TCP(flags="S"))
    assert not holds(watch("IP / TCP(flags=S)"), Ether() / IP() / TCP(flags="SA"))
    assert holds(watch("Dot1Q(vlan=7)"), Ether() / Dot1Q(vlan=7, prio=5) / ARP())
    assert not holds(watch("Dot1Q(vlan=7)"), Ether() / Dot1Q(vlan=8) / ARP())
    assert holds(watch("IPv6 / UDP"), Ether() / IPv6() / UDP())
    assert holds(watch("ARP(op=2)"), Ether() / ARP(op=2))
    assert not holds(watch("ARP(op=2)"), Ether() / ARP(op=1))


def test_events_of_equal_headers_share_a_watch() -> None:
    headers = HeaderStack.parse("IP / TCP")
    path = planned(
        Event(action=Drop(), number=1, headers=headers),
        Event(action=Mark(), number=2),
        Event(action=Mark(), number=3, headers=headers),
    )
    assert [event.watch for event in path.events] == [0, 1, 0]
    assert path.watches[1] == ()
    assert [event.name for event in path.events] == [
        "1: drop packet 1 (IP / TCP)",
        "2: mark packet 2",
        "3: mark packet 3 (IP / TCP)",
    ]


def test_a_ratio_is_a_threshold_with_a_seed_of_its_own() -> None:
    half = Event(action=Drop(), ratio=Ratio(Fraction(1, 2)))
    one, other = planned(half, half).events
    assert one.ratio is not None
    assert other.ratio is not None
    assert one.ratio.threshold == 1 << 63
    assert one.ratio.seed != other.ratio.seed
    assert planned(half, half).events == (one, other)
    assert planned(half, half, seed=2).events != (one, other)


@pytest.mark.parametrize(
    ("events", "refusal"),
    [
        (
            [Event(action=Drop(), every=1, headers=HeaderStack.parse("IP / TCPP"))],
            "path 'wan': drop every packet",
        ),
        (
            [Event(action=Drop(), every=1, headers=HeaderStack.parse("IP(dst=10)"))],
            "path 'wan': drop every packet",
        ),
        ([Event(action=Drop(), number=n, name="same") for n in (1, 2)], "more than one event 'same'"),
        (
            [
                Event(action=Drop(), every=1, headers=HeaderStack.parse(f"IP / UDP(dport={n})"))
                for n in range(17)
            ],
            "look at 17 different headers; 16 are possible",
        ),
        ([Event(action=Drop(), number=n + 1) for n in range(4097)], "4,097 events; a path has 4,096 at most"),
    ],
    ids=["no such header", "no such value", "twice", "many headers", "many events"],
)
def test_what_a_path_cannot_have_is_refused(events: list[Event], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        planned(*events)


def test_ports_have_to_exist() -> None:
    with pytest.raises(PlanError, match="path 'wan': there is no port 'p9'; there are p1, p2"):
        planned(between=("p1", "p9"))
