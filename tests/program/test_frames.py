# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames at random arrive at the fake chip and at the program: both do the same with each of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import DEFAULT_CAPACITY, Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.copies.copies import carriers
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_OURS = ("198.18.0.2", "198.18.0.3", "198.18.0.77")
_MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99", "ff:ff:ff:ff:ff:ff")
_PORTS = (7, 53, 80, 81, 1024, 40000)
_FLAGS = ("S", "SA", "A", "PA", "FA", "R", "RA", "")
_LABELLED = HeaderStack.parse("Ether / MPLS(label=77) / IP / UDP")
_RESPONDERS = (
    ("web", "http-get", "198.18.0.3:80"),
    ("pings", "icmp-echo", "198.18.0.3"),
    ("echo", "udp-echo", "198.18.0.3:7"),
    ("names", "dns-one", "198.18.0.3"),
)


def _load(rig: SwitchRig, vlan: int | None = None, flows: int = DEFAULT_CAPACITY) -> None:
    """Streams and responders; the web server is in a VLAN, if any."""
    streams = (
        Stream("north", "p1", "p2", FrameSize(128), Rate.parse("1 kpps")),
        Stream("south", "p2", "p1", FrameSize(128), Rate.parse("1 kpps"), signature=False),
        Stream("label", "p1", "p2", FrameSize(128), Rate.parse("1 kpps"), headers=_LABELLED),
    )
    ends = tuple(
        Responder(
            name=name,
            port="p2",
            protocol=protocol,
            servers=Endpoints.parse(servers),
            vlan=vlan if name in ("web", "names") else None,
            flows=flows,
        )
        for name, protocol, servers in _RESPONDERS
    )
    rig.load(compile_job(Job("job", streams, ends=ends), ports=rig.ports, gateways={}, max_streams=9))
    rig.target.start(["job"], packets=3)
    rig.pass_time(0.01)


def _payload(draw: Random) -> bytes:
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    query = draw.randbytes(2) + bytes.fromhex("0100 0001 0000 0000 0000") + b"\3www\7example\3com\0\0\1\0\1"
    return draw.choice(
        (b"", request, query, query, bytes(draw.randrange(256) for _ in range(draw.randrange(60))))
    )


def frame_at_random(draw: Random) -> bytes:
    """A frame like those that a job is about, and in half of the cases damaged."""
    ends: dict[str, Any] = {"src": draw.choice(_OURS), "dst": draw.choice(_OURS)}
    ports: dict[str, Any] = {"sport": draw.choice(_PORTS), "dport": draw.choice(_PORTS)}
    tcp = TCP(**ports, flags=draw.choice(_FLAGS), seq=draw.getrandbits(32), ack=draw.getrandbits(32))
    if draw.random() < 0.2:
        tcp.options = [("MSS", 1460)]
    layer_4: Packet = draw.choice(
        (tcp, tcp, UDP(**ports), UDP(**ports, chksum=0), ICMP(type=draw.choice((0, 3, 8)), id=3, seq=9))
    )
    ip = IP(**ends, tos=draw.randrange(4), id=draw.getrandbits(16), ttl=draw.choice((1, 64)))
    ipv6 = IPv6(src="2001:db8::1", dst="2001:db8::2", fl=draw.getrandbits(20))
    arp = ARP(op=draw.choice((1, 2)), psrc=ends["src"], pdst=ends["dst"], hwsrc="02:00:00:00:00:99")
    upper: Packet = draw.choice((ip / layer_4, ip / layer_4, ip / layer_4, ipv6 / layer_4, arp))
    packet: Packet = Ether(src=draw.choice(_MACS[:3]), dst=draw.choice(_MACS))
    if draw.random() < 0.2:
        packet /= Dot1Q(vlan=draw.choice((5, 7)))
    if draw.random() < 0.1:
        for bottom in draw.choice(((1,), (0, 1), (0, 0, 1))):
            packet /= MPLS(label=draw.getrandbits(20), s=bottom)
    packet = packet / upper / Raw(_payload(draw))
    octets = bytearray(bytes(packet).ljust(60, b"\0"))
    for _ in range(draw.choice((0, 0, 1, 3))):
        octets[draw.randrange(12, min(70, len(octets)))] = draw.randrange(256)
    return bytes(octets)


@pytest.mark.parametrize("seed", range(8))
def test_each_frame_does_the_same_on_both(program: P4Program, seed: int) -> None:
    draw = Random(seed)
    twins = Twins(program)
    vlan, flows = draw.choice((None, 7)), draw.choice((1, 20, 300, 5000, 20_000))
    twins.both(lambda rig: _load(rig, vlan, flows))
    known = [bytes.fromhex(octets) for _, _, octets in twins.sent]
    for _ in range(300):
        frame = frame_at_random(draw)
        if draw.random() < 0.2:  # a frame of the job, that came before, or at the other port
            frame = draw.choice(known)
        twins.arrive(draw.choice((0, 4)), frame)


def _openings(draw: Random) -> list[bytes]:
    """Frames that all ask for the same answer."""
    link, ip = Ether(dst="02:00:00:00:00:02"), IP(src="198.18.0.2", dst="198.18.0.3")
    return [
        bytes(link / ip / TCP(sport=draw.randrange(1024, 9999), dport=80, seq=draw.getrandbits(32)))
        for _ in range(draw.randrange(30))
    ]


def test_more_frames_than_a_queue_holds_do_the_same_on_both(program: P4Program) -> None:
    draw = Random(1)
    twins = Twins(program)
    twins.both(_load)
    for _ in range(20):
        twins.arrive(4, *_openings(draw))
    numbers = twins.rigs[0].daemon.running.store.numbers()
    assert numbers["internal.InternalIngress.queues.full $COUNTER_SPEC_PKTS"]


def _captured(rig: SwitchRig) -> tuple[CaptureCounters, list[CapturedFrame]]:
    """A capture of all ports, whose times depend on when copies have come."""
    counters = rig.target.captures.stop("all").counters
    return counters, [replace(frame, time_ns=0) for frame in frames_of(rig.target.captures.read("all"))]


@pytest.mark.parametrize("seed", range(2))
def test_each_frame_is_copied_as_it_arrives_and_leaves_on_both(program: P4Program, seed: int) -> None:
    draw = Random(seed)
    twins = Twins(program)
    twins.both(lambda rig: rig.target.captures.start(Capture("all")))
    twins.both(_load)
    for _ in range(100):
        twins.arrive(draw.choice((0, 4)), frame_at_random(draw))
    twins.both(_captured)
    counters = twins.rigs[0].target.captures.stop("all").counters
    assert counters.dropped == 0
    assert counters.captured == counters.seen > 100


def test_copies_that_nothing_carries_end_on_both(program: P4Program) -> None:
    """Those that are on their way when the last capture ends."""
    draw, table = Random(3), carriers("external.ExternalEgress")
    twins = Twins(program)
    twins.both(lambda rig: rig.target.captures.start(Capture("all")))
    twins.both(lambda rig: rig.session.delete(rig.daemon.running.store.entries(table)))
    for _ in range(5):
        twins.arrive(0, frame_at_random(draw))
    assert not twins.sent
