# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Protocols that keep nothing: what goes into a port comes back with its fields and checksums right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.responder import Responder
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch

from .jobs import MACS, left, loaded
from .running import RunningModel, Tap

_PEER = "02:00:00:00:00:77"
_SERVER = "198.18.1.10"
_SERVERS = AddressRange.parse(_SERVER)
_ENDS = (
    Responder(name="ping", port="p1", protocol="icmp-echo", servers=Endpoints(_SERVERS)),
    Responder(name="echo", port="p1", protocol="udp-echo", servers=Endpoints(_SERVERS)),
    Responder(name="flood", port="p1", protocol="syn-reset", servers=Endpoints(_SERVERS, PortRange(80))),
)


@pytest.fixture
def tap(model: RunningModel, switch: RemoteSwitch) -> Iterator[Tap]:
    job = loaded(switch, [], _ENDS)
    tap = model.tap("p1")
    yield tap
    tap.close()
    left(switch, job)


def mac(octets: bytes) -> str:
    return octets.hex(":")


def asked(tap: Tap, packet: Packet) -> Packet | None:
    tap.send(bytes(packet).ljust(60, b"\0"))
    answers = tap.frames(1, seconds=3)
    return Ether(answers[0]) if answers else None


def ip() -> Packet:
    return Ether(src=_PEER, dst=mac(MACS["p1"])) / IP(src="198.18.9.9", dst=_SERVER, ttl=3)


def right(packet: Packet) -> bool:
    """Whether Scapy computes the same checksums."""
    again = packet.copy()
    for layer in (IP, UDP, TCP, ICMP):
        if layer in again:
            del again[layer].chksum
    return bytes(again)[: len(packet)] == bytes(packet)


def test_arp_is_answered_for_servers(tap: Tap) -> None:
    question = Ether(src=_PEER, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=_PEER, psrc="198.18.9.9", pdst=_SERVER)
    answer = asked(tap, question)
    assert answer is not None
    assert (answer.src, answer.dst) == (mac(MACS["p1"]), _PEER)
    assert (answer[ARP].op, answer[ARP].hwsrc, answer[ARP].psrc) == (2, mac(MACS["p1"]), _SERVER)
    assert (answer[ARP].hwdst, answer[ARP].pdst) == (_PEER, "198.18.9.9")
    question[ARP].pdst = "198.18.1.99"
    assert asked(tap, question) is None


@pytest.mark.parametrize("length", [0, 1, 8, 40, 1000])
def test_pings_are_answered(tap: Tap, length: int) -> None:
    answer = asked(tap, ip() / ICMP(id=7, seq=3) / Raw(bytes(n % 251 for n in range(length))))
    assert answer is not None
    assert (answer.src, answer.dst) == (mac(MACS["p1"]), _PEER)
    assert (answer[IP].src, answer[IP].dst, answer[IP].ttl) == (_SERVER, "198.18.9.9", 64)
    assert (answer[ICMP].type, answer[ICMP].id, answer[ICMP].seq) == (0, 7, 3)
    assert right(answer)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 64, 1400])
def test_datagrams_come_back(tap: Tap, length: int) -> None:
    answer = asked(tap, ip() / UDP(sport=4000, dport=7) / Raw(bytes(n % 241 for n in range(length))))
    assert answer is not None
    assert (answer[UDP].sport, answer[UDP].dport, answer[IP].dst) == (7, 4000, "198.18.9.9")
    assert bytes(answer[UDP].payload)[:length] == bytes(n % 241 for n in range(length))
    assert right(answer)


def test_a_datagram_without_a_checksum_gets_none(tap: Tap) -> None:
    answer = asked(tap, ip() / UDP(sport=4000, dport=7, chksum=0) / Raw(b"x" * 30))
    assert answer is not None
    assert answer[UDP].chksum == 0


@pytest.mark.parametrize(
    "options", [[], [("MSS", 1460)], [("MSS", 1460), ("SAckOK", b""), ("WScale", 7), ("NOP", None)]]
)
def test_what_wants_to_connect_is_reset(tap: Tap, options: list[tuple[str, object]]) -> None:
    answer = asked(
        tap, ip() / TCP(sport=5000, dport=80, flags="S", seq=0xFFFFFFFF, window=1000, options=options)
    )
    assert answer is not None
    tcp = answer[TCP]
    assert (tcp.sport, tcp.dport, tcp.flags, tcp.seq, tcp.ack) == (80, 5000, "RA", 0, 0)
    assert (answer[IP].len, tcp.dataofs, tcp.window) == (40, 5, 0)
    assert right(Ether(bytes(answer)[:54]))
    assert asked(tap, ip() / TCP(sport=5000, dport=80, flags="A")) is None
    assert asked(tap, ip() / TCP(sport=5000, dport=81, flags="S")) is None
