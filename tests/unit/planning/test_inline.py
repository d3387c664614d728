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
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.inline import ChecksumPolicy, Drop, Event, Mark, Part, Path, Rewrite
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.match import Match
from TesterLibrary.model.plan.planned_path import PlannedPath, PlannedRewrite
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth, Ratio
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


def rewritten(
    field: str, value: str, headers: str = "", checksum: ChecksumPolicy = ChecksumPolicy.REPAIR
) -> PlannedRewrite:
    stack = HeaderStack.parse(headers) if headers else None
    rewrite = Rewrite(field=FieldPath.parse(field), value=value, checksum=checksum)
    action = planned(Event(action=rewrite, number=1, headers=stack)).events[0].action
    assert isinstance(action, PlannedRewrite)
    return action


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("IP.ttl", "1", PlannedRewrite(Part.NETWORK, 8, b"\xff", b"\x01", ip_version=4)),
        ("IPv6.fl", "5", PlannedRewrite(Part.NETWORK, 1, b"\x0f\xff\xff", b"\0\0\x05", ip_version=6)),
        ("TCP.flags", "SA", PlannedRewrite(Part.TRANSPORT, 12, b"\x01\xff", b"\0\x12", protocol=6)),
        ("UDP.dport", "0x35", PlannedRewrite(Part.TRANSPORT, 2, b"\xff\xff", b"\0\x35", protocol=17)),
        ("ICMP.type", "0", PlannedRewrite(Part.TRANSPORT, 0, b"\xff", b"\0", ip_version=4, protocol=1)),
        (
            "Ether.src",
            "02:00:00:00:00:05",
            PlannedRewrite(Part.FRAME, 6, b"\xff" * 6, bytes((2, 0, 0, 0, 0, 5))),
        ),
    ],
)
def test_known_headers_are_found_in_any_packet(field: str, value: str, wanted: PlannedRewrite) -> None:
    assert rewritten(field, value) == wanted


def test_other_headers_are_where_the_event_says() -> None:
    assert rewritten("VLAN.vid", "5", "VLAN / IP") == PlannedRewrite(Part.FRAME, 14, b"\x0f\xff", b"\0\x05")
    assert rewritten("TCP.window", "0", "VLAN / IP / TCP").offset == 18 + 20 + 14
    assert rewritten("VXLAN.vni", "4", "IP / UDP / VXLAN").offset == 14 + 20 + 8 + 4
    inner = rewritten("IP[2].ttl", "4", "IP / UDP / VXLAN / Ether / IP", ChecksumPolicy.KEEP)
    assert (inner.offset, inner.repair) == (14 + 20 + 8 + 8 + 14 + 8, False)


@pytest.mark.parametrize(
    ("field", "value", "headers", "refusal"),
    [
        ("IP.tll", "1", "", "this IP has no field 'tll' (did you mean 'ttl'?)"),
        ("IP.ttl", "256", "", "'256': it takes 0 to 255"),
        ("VLAN.vlan", "5", "", "give some that have it, or a field of Ether, IP, IPv6, TCP, UDP"),
        ("IP[2].ttl", "5", "", "give some that have it"),
        ("IP[2].ttl", "5", "IP / TCP", "there is 1 header 'IP'"),
        ("TCP.options", "5", "", "this TCP has no field 'options'. It has sport"),
        ("IP.chksum", "0", "", "it is a checksum, which repairing would undo; give checksum=keep"),
        (
            "IP[2].ttl",
            "4",
            "IP / UDP / VXLAN / Ether / IP",
            "an inner packet are not repaired; give checksum",
        ),
        ("SCTP.tag", "4", "", "the checksum of SCTP is not repaired; give checksum=keep"),
    ],
)
def test_a_field_that_cannot_be_set_is_refused(field: str, value: str, headers: str, refusal: str) -> None:
    with pytest.raises(PlanError) as error:
        rewritten(field, value, headers)
    assert str(error.value).startswith(f"path 'wan': rewrite {field} of packet 1")
    assert refusal in str(error.value)


def test_checksums_are_set_where_they_are_kept() -> None:
    assert rewritten("UDP.chksum", "0xbad", checksum=ChecksumPolicy.KEEP) == PlannedRewrite(
        Part.TRANSPORT, 6, b"\xff\xff", b"\x0b\xad", protocol=17, repair=False
    )


def test_ports_have_to_exist() -> None:
    with pytest.raises(PlanError, match="path 'wan': there is no port 'p9'; there are p1, p2"):
        planned(between=("p1", "p9"))


@pytest.mark.parametrize("headers", ["IP / UDP", "IP / UDP(dport=53)", "IP / ICMP", "ARP"])
def test_another_transmission_of_what_has_no_sequence_number_is_refused(headers: str) -> None:
    event = Event(action=Drop(), number=3, flow=1, iteration=2, headers=HeaderStack.parse(headers))
    with pytest.raises(PlanError, match="only TCP and RoCEv2 number what they send, so iteration=2 of"):
        planned(event)


@pytest.mark.parametrize(
    "headers", ["IP / TCP", "IP", "Dot1Q / IPv6", "IP / UDP(dport=4791)", "IP / UDP(dport=4791) / BTH", ""]
)
def test_another_transmission_of_what_may_have_one_is_planned(headers: str) -> None:
    stack = HeaderStack.parse(headers) if headers else None
    (event,) = planned(Event(action=Drop(), number=3, flow=1, iteration=2, headers=stack)).events
    assert event.iteration == 2
