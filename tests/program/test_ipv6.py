# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers of IPv6 on a Tofino 2 are the same on the fake chip and the program, by packets at random."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Responder
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_PREFIX = "2001:db8:1:2:3:4"
_SERVERS = f"{_PREFIX}:0:10-{_PREFIX}:0:13"
_NAMES = ("www.example.com", "www.example.com", "www", "ftp.example.com")
_FLAGS = ("S", "S", "A", "A", "PA", "FA", "R", "SA")
_PAYLOADS = (b"", b"", b"GET / HTTP/1.1\r\n\r\n", b"GET", b"x", bytes(20))
_CLIENT = "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"


def _address(draw: Random) -> str:
    """A client's: one that all may be, or one that differs from it in one word of 32 bits."""
    words = _CLIENT.split(":")
    if draw.random() < 0.8:
        words[2 * draw.randrange(4) + draw.randrange(2)] = f"{draw.getrandbits(16):x}"
    return ":".join(words)


def _frame(draw: Random, vlan: int | None) -> bytes:
    link = Ether(src=f"02:00:00:00:{draw.randrange(3):02x}:09", dst="02:00:00:00:00:02")
    if draw.random() < 0.8 * (vlan is not None) + 0.1:
        link /= Dot1Q(vlan=draw.choice((7, 7, 8)))
    octets = bytearray(bytes(link / _network(draw) / _transport(draw)).ljust(60, b"\0"))
    if draw.random() < 0.2:
        octets[draw.randrange(12, len(octets))] = draw.randrange(256)
    return bytes(octets)


def _network(draw: Random) -> Packet:
    if draw.random() < 0.1:
        return IP(src=f"10.0.0.{draw.randrange(4)}", dst="198.18.0.3")
    last = draw.choice(("0:10", "0:11", "0:13", "0:14", "1:10"))
    prefix = _PREFIX if draw.random() < 0.9 else "2001:db8:1:2:3:5"
    label = draw.getrandbits(20)
    return IPv6(src=_address(draw), dst=f"{prefix}:{last}", fl=label, tc=draw.getrandbits(8))


def _transport(draw: Random) -> Packet:
    sport = draw.choice((2000, 2001, draw.getrandbits(16)))
    if draw.random() < 0.4:
        asked = DNS(id=draw.getrandbits(16), qd=DNSQR(qname=draw.choice(_NAMES)))
        return UDP(sport=sport, dport=draw.choice((53, 53, 53, 54))) / asked
    tcp = TCP(sport=sport, dport=draw.choice((80, 80, 80, 81)), flags=draw.choice(_FLAGS))
    tcp.seq, tcp.ack = draw.getrandbits(32), draw.choice((1, 1079, 2079, draw.getrandbits(32)))
    if draw.random() < 0.2:
        tcp.options = [("MSS", 1440)]
    return tcp / Raw(draw.choice(_PAYLOADS))


@pytest.mark.parametrize("flows", [65536, 256, 16])
@pytest.mark.parametrize("vlan", [None, 7])
def test_each_packet_does_the_same_on_both(
    ipv6: tuple[P4Program, Path], vlan: int | None, flows: int
) -> None:
    program, folder = ipv6
    twins, draw = Twins(program, "tofino2", built=folder), Random(flows + (vlan or 0))

    def load(rig: SwitchRig) -> None:
        servers = (("web", "http-get-ipv6", f"[{_SERVERS}]:80"), ("names", "dns-one-ipv6", _SERVERS))
        ends = tuple(
            Responder(
                name=name,
                port="p2",
                protocol=protocol,
                servers=Endpoints.parse(addresses),
                vlan=vlan,
                flows=flows,
            )
            for name, protocol, addresses in (*servers, ("old", "http-get", "198.18.0.3:80"))
        )
        rig.load(compile_job(Job("job", ends=ends), ports=rig.ports, gateways={}, max_streams=1))
        rig.target.start(["job"])

    twins.both(load)
    port = twins.rigs[0].session.numbers["p2"]
    for _ in range(400):
        twins.arrive(port, _frame(draw, vlan))
    for name in ("web", "names", "old"):
        twins.both(lambda rig, name=name: rig.target.snapshot(["job"]).end("job", name))
    answers = [Ether(bytes.fromhex(octets)) for _, _, octets in twins.sent]
    assert {type(one[IPv6].payload) for one in answers if IPv6 in one} == {TCP, UDP}
    assert len({one[IPv6].dst for one in answers if IPv6 in one}) > 10
    assert any(IP in one for one in answers)
    for answer in answers:
        _check(answer)


def _check(answer: Packet) -> None:
    """Whether lengths and checksums of an answer are right, and its source is a server."""
    transport = TCP if TCP in answer else UDP
    found = answer[transport].chksum
    assert found or transport is TCP
    again = answer.copy()
    del again[transport].chksum
    if IPv6 in answer:
        assert answer[IPv6].plen == len(answer[IPv6].payload)
        assert answer[IPv6].src in {f"{_PREFIX}:0:{last}" for last in (10, 11, 12, 13)}
    assert Ether(bytes(again))[transport].chksum == found
