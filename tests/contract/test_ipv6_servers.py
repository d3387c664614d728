# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers of IPv6: an engine and a Tofino 2 answer and count the same packets, whoever asks."""

from __future__ import annotations

import pytest
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q
from scapy.packet import Packet, Raw

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Responder

from .rig import Rig
from .test_query import LINK, Querying, querying, send
from .test_responder import FAR, Sessions

__all__ = ["querying"]  # a fixture

not_of_ipv4_only = pytest.mark.refused_by("tofino", match="use a Tofino 2, whose queues carry IPv6, too")
not_counted_by_keys = pytest.mark.refused_by("fake", match="a fake tester does not count packets by keys")

_SERVERS = ("2001:db8:1::10", "2001:db8:1::11")
_CLIENTS = (
    "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff",
    "2001:db9:aaaa:bbbb:cccc:dddd:eeee:ffff",
    "2001:db8:aaaa:bbbc:cccc:dddd:eeee:ffff",
    "2001:db8:aaaa:bbbb:cccd:dddd:eeee:ffff",
    "2001:db8:aaaa:bbbb:cccc:dddd:eeef:ffff",
)  # which differ in each word of 32 bits
_GET = Raw(b"GET / HTTP/1.1\r\n\r\n")


def _servers(rig: Rig, protocol: str, ports: str = "", vlan: int | None = None) -> Sessions:
    sessions = Sessions(rig)
    addresses = f"[{'-'.join(_SERVERS)}]{ports}"
    sessions.start(
        Responder(name="servers", port=FAR, protocol=protocol, servers=Endpoints.parse(addresses), vlan=vlan)
    )
    return sessions


def _asked(client: str, server: str = _SERVERS[0], port: int = 53) -> Packet:
    asked = DNS(id=77, qd=DNSQR(qname="www.example.com"))
    return IPv6(src=client, dst=server) / UDP(sport=5300, dport=port) / asked


@not_of_ipv4_only
@not_counted_by_keys
@pytest.mark.parametrize("vlan", [None, 7])
def test_names_are_answered_over_ipv6(rig: Rig, querying: Querying, vlan: int | None) -> None:
    querying.start("UDP.dport", port="p1", filter="UDP.sport == 53 and UDP.dport == 5300-5301")
    sessions = _servers(rig, "dns-one-ipv6", vlan=vlan)
    link: Packet = LINK if vlan is None else LINK / Dot1Q(vlan=vlan)
    other: Packet = LINK / Dot1Q(vlan=8) if vlan is None else LINK
    send(rig, *(link / _asked(client, server) for client in _CLIENTS for server in _SERVERS))
    send(rig, link / _asked(_CLIENTS[0], "2001:db8:1::12"), link / _asked(_CLIENTS[0], "2001:db8:2::10"))
    send(rig, link / _asked(_CLIENTS[0], port=54), other / _asked(_CLIENTS[0]))
    names = sessions.read("servers")
    assert (names.count("answered"), names.count("ignored")) == (10, 0)
    assert (names.rx_packets, names.tx_packets) == (10, 10)
    assert querying.rows() == [("5300", 10, None)]


@not_of_ipv4_only
@not_counted_by_keys
def test_requests_are_answered_over_ipv6(rig: Rig, querying: Querying) -> None:
    querying.start("TCP.dport", port="p1", filter="TCP.sport == 80 and TCP.dport == 2000-2007")
    sessions = _servers(rig, "http-get-ipv6", ":80")
    for port, client in enumerate(_CLIENTS, 2000):
        ends = LINK / IPv6(src=client, dst=_SERVERS[port % 2])
        send(rig, ends / TCP(sport=port, dport=80, flags="S", seq=7))
        send(rig, ends / TCP(sport=port, dport=80, flags="PA", seq=8, ack=1) / _GET)
        send(rig, ends / TCP(sport=port, dport=80, flags="A", seq=26, ack=1079))
        send(rig, ends / TCP(sport=port, dport=80, flags="FA", seq=26, ack=1080))
    web = sessions.read("servers")
    assert [web.count(name) for name in ("opened", "served", "responses", "closed", "unknown")] == [
        *(5, 5, 5, 5, 0)
    ]
    assert (web.rx_packets, web.tx_packets) == (20, 20)
    assert querying.rows() == [(str(port), 4, None) for port in range(2000, 2005)]
