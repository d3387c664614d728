# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of UDP from templates in a fake switch: byte by byte those of the reference."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Responder
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter
from tests.contract.rig import SwitchRig

from .entries.test_triggers import Tap
from .jobs import PROFILES

SERVER = "198.18.0.50"
_TAG = slice(12, 16)


def queries(draw: Random) -> Iterator[Packet]:
    """Queries for the name, and for others, with numbers and ports at random."""
    for name in ("www.example.com", "WWW.example.com", "www.example.net", "example.com", "www"):
        for _ in range(6):
            source = f"10.{draw.randrange(256)}.0.{draw.randrange(1, 255)}"
            mac = f"02:00:00:00:{draw.randrange(256):02x}:09"
            ip = Ether(src=mac, dst="02:00:00:00:00:01") / IP(
                src=source, dst=SERVER, ttl=draw.randrange(1, 255)
            )
            number, asked = draw.choice((0, 0xFFFF, draw.getrandbits(16))), DNSQR(qname=name)
            datagram = UDP(sport=draw.choice((0, 53, 0xFFFF, draw.getrandbits(16))), dport=53)
            yield ip / datagram / DNS(id=number, rd=draw.randrange(2), qd=asked)
    yield ip / UDP(sport=9, dport=53) / DNS(id=1, qr=1, qd=asked)
    yield ip / UDP(sport=9, dport=53) / Raw(bytes(15))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("vlan", [None, 7])
def test_a_name_server_answers_as_the_reference_does(profile: str, vlan: int | None) -> None:
    tap = Tap()
    rig = SwitchRig(tap, profile=profile)
    web = Responder(name="names", port="p1", protocol="dns-one", servers=Endpoints.parse(SERVER), vlan=vlan)
    rig.load(compile_job(Job("names", ends=(web,)), ports=rig.ports, gateways={}, max_streams=1))
    rig.target.start(["names"])
    reference, answered = Interpreter(load_protocol("dns-one")), 0
    device_port = rig.session.numbers["p1"]
    for query in queries(Random(5)):
        octets = bytes(query)
        whole = (
            octets
            if vlan is None
            else bytes(query[Ether])[:12] + bytes(Ether() / Dot1Q(vlan=7))[12:16] + octets[12:]
        )
        rig.daemon.running.chip.arrive(device_port, whole.ljust(60, b"\0"), rig.now_ns)
        rig.pass_time(1e-5)
        rig.daemon.running.chip.run(rig.now_ns)
        expected = [frame.ljust(60, b"\0") for frame in reference.receive(octets.ljust(60, b"\0"), now=0)]
        if vlan is not None:
            assert {frame[_TAG].hex() for frame in tap.left} <= {"81000007"}
            tap.left = [frame[:12] + frame[16:] for frame in tap.left]
        assert [frame.hex() for frame in tap.left] == [frame.hex() for frame in expected]
        answered += len(expected)
        tap.left.clear()
    assert answered == 18, "six of each name that begins so"
    counted = rig.target.snapshot(["names"]).end("names", "names")
    assert (counted.rx_packets, counted.tx_packets, tuple(counted.counters)) == (
        32,
        answered,
        (answered, 32 - answered),
    )
