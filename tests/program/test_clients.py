# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients and what answers them run on the fake chip and on the program: frame by frame the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_SERVICE = Endpoints.parse("198.18.0.3:80")
_OPENED = (
    ("http-get-client", "198.18.0.2", 1),
    ("http-get-client", "198.18.0.2", 100),
    ("http-get-client", "198.18.0.64-198.18.0.67:5000-5999", 8),
    ("http-get-client", "198.18.0.64-198.18.0.95:1024", 32),
    ("syn-flood", "198.18.0.2", 1),
    ("syn-flood", "198.18.0.64-198.18.0.95:1024", 1),
)
_MAC = bytes([2, 0, 0, 0, 0, 2])
_PAYLOADS = (b"", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.0 200 OK", b"HTTP/1.1 404 No\r\n\r\n", b"x", bytes(20))


@pytest.mark.parametrize("seed", range(12))
def test_clients_do_the_same_on_both(program: P4Program, seed: int) -> None:
    _compare(Twins(program), Random(seed), _OPENED)


@pytest.mark.parametrize("seed", range(4))
def test_clients_do_the_same_on_a_tofino_2(program2: P4Program, seed: int) -> None:
    flood = ("syn-flood", "198.18.0.64-198.18.0.67:5000-5999", 1)  # which changes three fields
    _compare(Twins(program2, "tofino2"), Random(seed), (_OPENED[seed], flood))


def _answer(draw: Random, asked: bytes) -> bytes:
    """A segment like those that answer one of a client, in order or not."""
    ip = Ether(asked)[IP]
    ends = IP(src=ip.dst, dst=ip.src) / TCP(sport=ip[TCP].dport, dport=ip[TCP].sport)
    tcp, opens = ends[TCP], "S" in ip[TCP].flags
    tcp.flags = draw.choice(("SA", "SA", "SA", "R") if opens else ("A", "PA", "PA", "FA", "SA", "R"))
    tcp.seq = draw.choice((ip[TCP].ack, ip[TCP].ack, ip[TCP].ack + 1, 7))
    tcp.ack = ip[TCP].seq + 1
    if draw.random() < 0.1:
        tcp.options = [("MSS", 1460)]
    payload = b"" if opens else draw.choice(_PAYLOADS)
    return bytes(Ether(src=_MAC, dst="02:00:00:00:00:01") / ends / Raw(payload)).ljust(60, b"\0")


@pytest.mark.parametrize("protocol", ["http-get-client", "syn-flood"])
@pytest.mark.parametrize("seed", range(2))
def test_answers_at_random_do_the_same_on_both(program: P4Program, seed: int, protocol: str) -> None:
    draw = Random(seed)
    twins = Twins(program)
    users = Clients(
        name="users",
        port="p1",
        protocol=protocol,
        target=_SERVICE,
        connections=3,
        rate=Frequency(10_000),
        reopen=Reopen.ALWAYS,
        parameters={"resets": "1"} if protocol == "syn-flood" else {},
    )

    def start(rig: SwitchRig) -> None:
        _load(rig, users)
        rig.target.start(["job"])
        rig.pass_time(0.001)

    twins.both(start)
    port = twins.rigs[0].session.numbers["p1"]
    for _ in range(200):
        asked = [bytes.fromhex(octets) for _, out, octets in twins.sent[-4:] if out == port]
        twins.arrive(port, _answer(draw, draw.choice(asked)))
    twins.both(lambda rig: rig.target.snapshot(["job"]))


def _load(rig: SwitchRig, *ends: Clients | Responder) -> None:
    macs = {("p1", _SERVICE.addresses.first): _MAC}
    job = Job("job", ends=ends)
    rig.load(compile_job(job, ports=rig.ports, gateways={}, max_streams=9, neighbours=macs))


def _compare(twins: Twins, draw: Random, opened: Sequence[tuple[str, str, int]]) -> None:
    protocol, sources, connections = draw.choice(opened)
    users = Clients(
        name="users",
        port="p1",
        protocol=protocol,
        target=_SERVICE,
        sources=Endpoints.parse(sources),
        connections=connections,
        rate=Frequency.parse(f"{draw.choice((300, 1000, 7777))}/s"),
        reopen=draw.choice(list(Reopen)),
        first_source=draw.randrange(30),
        parameters={"wait": draw.choice(("3 ms", "20 ms"))} if protocol == "http-get-client" else {},
    )
    server = draw.choice(("http-get", "syn-reset", ""))
    vlan = draw.choice((None, 7))
    segments = {"segments": "2"} if server == "http-get" else {}

    def run(rig: SwitchRig) -> Any:
        ends: tuple[Clients | Responder, ...] = (replace(users, vlan=vlan),)
        if server:
            web = Responder(name="web", port="p2", protocol=server, servers=_SERVICE, parameters=segments)
            ends += (replace(web, vlan=vlan),)
        _load(rig, *ends)
        rig.target.start(["job"])
        for _ in range(5):
            rig.pass_time(0.01)
            found = rig.target.snapshot(["job"])
        rig.target.stop(["job"])
        return found

    twins.both(run)
    assert twins.sent
