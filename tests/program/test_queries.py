# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries at random are asked of the fake chip and of the program: both have the same rows."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP, IPOption
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether

from TesterLibrary.errors import PlanError
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.plan.planned_query import Matcher
from TesterLibrary.model.query import LENGTH, PacketFilter, Query, QueryKeys
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.query import plan_query
from TesterLibrary.planning.switch.resources import QUERIES
from tests.contract.rig import SwitchRig

from .program import P4Program
from .test_frames import frame_at_random
from .twins import Twins

_LINK = (
    "Ether.type == 0x0800",
    "Ether.dst != ff:ff:ff:ff:ff:ff",
    "Ether.src == 02:00:00:00:00:01",
    "port != p1",
)
_TAG = ("VLAN.vlan == 5-7", "VLAN.prio == 0", "VLAN.dei == 0", "VLAN.type != 0x0806")
_IP = (
    *("IP.src == 198.18.0.0/30", "IP.dst != 198.18.0.77", "IP.proto > 5", "IP.ttl < 64", "IP.tos <= 2"),
    *("IP.len >= 40", "IP.flags lacks DF", "IP.frag == 0", "IP.ihl == 5"),
)
_IPV6 = ("IPv6.nh <= 17", "IPv6.hlim == 64", "IPv6.tc == 0")
_TCP = ("TCP.flags has S", "TCP.flags == SA", "TCP.flags lacks RF", "TCP.sport == 7-100", "TCP.dport != 80")
_UDP = ("UDP.dport == 7", "UDP.sport >= 80")
_ICMP = ("ICMP.type == 8", "ICMP.code != 1")
_ARP = ("ARP.op == 1-2", "ARP.psrc == 198.18.0.0/24", "ARP.pdst != 198.18.0.2")
_STACKS = (
    _LINK,
    _TAG,
    (*_TAG, *_IP),
    _IP,
    _IPV6,
    (*_IP, *_TCP),
    (*_IP, *_UDP),
    (*_IP, *_ICMP),
    _ARP,
    _TCP,
    _UDP,
)
_KEYS = {  # with the condition that enumerates them
    "IP.src": "IP.src == 198.18.0.2-198.18.0.9",
    "TCP.dport": "TCP.dport == 80-81",
    "TCP.flags": "TCP.flags lacks PUEC",
    "UDP.sport": "UDP.sport == 7-90",
    "VLAN.vlan": "VLAN.vlan == 1-9",
    "ARP.op": "ARP.op == 1-3",
    "IP.ttl": "IP.ttl == 1-64",
    "port": "port != p9",
}


_LABELLED = HeaderStack.parse("Ether / MPLS(label=77) / IP / UDP")
_RESPONDERS = (("http-get", "198.18.0.3:80"), ("icmp-echo", "198.18.0.3"), ("udp-echo", "198.18.0.3:7"))


def _query(draw: Random, number: int) -> Query:
    stack = draw.choice(_STACKS)
    conditions = draw.sample(stack, min(len(stack), draw.randrange(1, 4)))
    headers = {condition.partition(".")[0] for condition in stack}
    possible = [key for key in _KEYS if key.partition(".")[0] in headers]
    keys = draw.sample(possible, min(len(possible), draw.randrange(3)))
    conditions += [_KEYS[key] for key in keys]
    whose: dict[str, Any] = draw.choice(
        ({}, {}, {"foreign": True}, {"streams": ("north",)}, {"streams": ("north", "south")})
    )
    return Query(
        **whose,
        name=f"q{number}",
        port=draw.choice(("p1", "p2", None)),
        filter=PacketFilter.parse(" and ".join(conditions)),
        keys=QueryKeys.parse([*keys, *(["port"] if draw.random() < 0.2 else [])]),
        value=draw.choice((LENGTH, None)),
        direction=draw.choice(tuple(Direction)),
    )


def _load(rig: SwitchRig) -> None:
    streams = (
        Stream("north", "p1", "p2", FrameSize(128), Rate.parse("1 kpps")),
        Stream("south", "p2", "p1", FrameSize(128), Rate.parse("1 kpps"), signature=False),
        Stream("label", "p1", "p2", FrameSize(128), Rate.parse("1 kpps"), headers=_LABELLED),
    )
    ends = tuple(
        Responder(name=protocol, port="p2", protocol=protocol, servers=Endpoints.parse(servers))
        for protocol, servers in _RESPONDERS
    )
    rig.load(compile_job(Job("job", streams, ends=ends), ports=rig.ports, gateways={}, max_streams=9))
    rig.target.start(["job"], packets=30)
    rig.pass_time(0.1)


def _frame(draw: Random) -> bytes:
    """A frame like those that queries are about; some are behind headers that the parser does not reach."""
    layer_4 = draw.choice((TCP(dport=80, flags="S"), UDP(sport=80, dport=7)))
    ip = IP(
        src="198.18.0.2", dst="198.18.0.3", options=[IPOption(b"\x94\x04\0\0")], frag=draw.choice((0, 0, 9))
    )
    upper = draw.choice((ip, IPv6() / IPv6ExtHdrDestOpt(), IP(src="198.18.0.3")))
    tags = draw.choice(
        (Dot1Q(vlan=5) / Dot1Q(vlan=9), Dot1AD(vlan=5), Dot1Q(vlan=5) / Dot1AD(), Dot1Q(vlan=7))
    )
    link = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    packet = draw.choice((link / upper, link / tags / upper)) / layer_4
    return frame_at_random(draw) if draw.random() < 0.6 else bytes(packet).ljust(60, b"\0")


@pytest.mark.parametrize("seed", range(12))
def test_queries_have_the_same_rows_on_both(program: P4Program, seed: int) -> None:
    draw = Random(seed)
    queries = [_query(draw, number) for number in range(QUERIES)]
    twins = Twins(program)

    def start(rig: SwitchRig) -> list[str]:
        refused = []
        for query in queries:
            try:
                rig.target.queries.start(plan_query(query, rig.ports, list(rig.ports), Matcher.SWITCH))
            except PlanError as problem:
                refused.append(f"{query.name} {problem}")
        return refused

    def read(rig: SwitchRig) -> Any:
        counting = [query.name for query in rig.target.snapshot().queries]
        found = [rig.target.queries.read(name) for name in counting]
        return [(summary.counters, summary.unread, list(rows)) for summary, rows in found]

    twins.both(start)
    twins.both(_load)
    known = [bytes.fromhex(octets) for _, _, octets in twins.sent]
    for _ in range(150):
        twins.arrive(draw.choice((0, 4)), draw.choice(known) if draw.random() < 0.1 else _frame(draw))
    own = [LearningFrame(draw.choice(("p1", "p2")), _frame(draw)) for _ in range(30)]
    twins.both(lambda rig: rig.target.frames.inject(own))
    twins.both(lambda rig: rig.pass_time(0.01))
    twins.both(read)


def test_a_frame_of_the_driver_leaves_as_it_is(program: P4Program) -> None:
    """A checksum that is wrong stays so, and one is not made of the first 20 bytes of a longer header."""
    link = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    options = IP(options=[IPOption(b"\x94\x04\0\0")])
    frames = [
        bytes(packet).ljust(60, b"\0")
        for packet in (
            link / IP(chksum=7) / TCP(chksum=9),
            link / IP() / TCP(chksum=0xFFFF),
            link / Dot1Q(vlan=5) / IP(chksum=7) / UDP(chksum=8),
            link / options / UDP(dport=7),
            link / IPv6() / UDP(chksum=8),
        )
    ]
    twins = Twins(program)
    twins.both(lambda rig: rig.target.frames.inject([LearningFrame("p1", frame) for frame in frames]))
    twins.both(lambda rig: rig.pass_time(0.01))
    twins.both(lambda rig: rig.target.snapshot().port("p2").rx_packets)
    assert [bytes.fromhex(octets) for _, _, octets in twins.sent] == frames
