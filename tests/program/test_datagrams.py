# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries at random are answered by the fake chip and by the program: frame by frame the same."""

from __future__ import annotations

from random import Random

import pytest
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Responder
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_SERVER = "198.18.0.3"
_NAMES = ("www.example.com", "www.example.com", "www", "ftp.example.com", "")


def _query(draw: Random, vlan: int | None) -> bytes:
    mac = f"02:00:00:00:{draw.randrange(256):02x}:09"
    ip = IP(src=f"10.0.{draw.randrange(256)}.9", dst=draw.choice((_SERVER, _SERVER, "198.18.0.4")))
    udp = UDP(sport=draw.getrandbits(16), dport=draw.choice((53, 53, 53, 54)))
    if draw.random() < 0.2:
        udp.chksum = 0
    asked = DNS(id=draw.getrandbits(16), qr=draw.choice((0, 0, 0, 1)), qd=DNSQR(qname=draw.choice(_NAMES)))
    link = Ether(src=mac, dst="02:00:00:00:00:02")
    if draw.random() < 0.8 * (vlan is not None) + 0.1:
        link /= Dot1Q(vlan=draw.choice((7, 7, 8)), prio=draw.randrange(8))
    octets = bytearray(bytes(link / ip / udp / asked).ljust(60, b"\0"))
    if draw.random() < 0.2:
        octets[draw.randrange(12, len(octets))] = draw.randrange(256)
    return bytes(octets)


@pytest.mark.parametrize("vlan", [None, 7])
@pytest.mark.parametrize("seed", range(3))
def test_each_query_does_the_same_on_both(program: P4Program, seed: int, vlan: int | None) -> None:
    _compare(Twins(program), Random(seed), vlan)


def test_the_same_of_a_tofino_2(program2: P4Program) -> None:
    _compare(Twins(program2, "tofino2"), Random(9), None)


def _compare(twins: Twins, draw: Random, vlan: int | None) -> None:

    def load(rig: SwitchRig) -> None:
        names = Responder(
            name="names", port="p2", protocol="dns-one", servers=Endpoints.parse(_SERVER), vlan=vlan
        )
        rig.load(compile_job(Job("job", ends=(names,)), ports=rig.ports, gateways={}, max_streams=1))
        rig.target.start(["job"])

    twins.both(load)
    port = twins.rigs[0].session.numbers["p2"]
    for _ in range(150):
        twins.arrive(port, _query(draw, vlan))
    twins.both(lambda rig: rig.target.snapshot(["job"]).end("job", "names"))
    assert len(twins.sent) > 10
