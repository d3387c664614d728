# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A name server whose answer is one template: every target answers and counts the same datagrams."""

from __future__ import annotations

import pytest
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Responder

from .rig import Rig
from .test_query import LINK, Querying, querying, send
from .test_responder import FAR, Sessions

__all__ = ["querying"]  # a fixture

pytestmark = [pytest.mark.refused_by("fake", match="a fake tester does not count packets by keys")]

_SERVER = "198.18.0.3"


def _asked(name: str = "www.example.com", *, number: int = 77, to: str = _SERVER, port: int = 53) -> Packet:
    return IP(src="10.0.0.9", dst=to) / UDP(sport=5300, dport=port) / DNS(id=number, qd=DNSQR(qname=name))


def _serve(rig: Rig, vlan: int | None = None) -> Sessions:
    sessions = Sessions(rig)
    names = Responder(name="names", port=FAR, protocol="dns-one", servers=Endpoints.parse(_SERVER), vlan=vlan)
    sessions.start(names)
    return sessions


@pytest.mark.parametrize("vlan", [None, 7])
def test_queries_for_the_name_are_answered_and_others_counted(
    rig: Rig, querying: Querying, vlan: int | None
) -> None:
    querying.start("", port="p1", filter="UDP.sport == 53")
    sessions = _serve(rig, vlan)
    link: Packet = LINK if vlan is None else LINK / Dot1Q(vlan=vlan)
    other: Packet = LINK / Dot1Q(vlan=8) if vlan is None else LINK
    send(rig, *(link / _asked(number=number) for number in (0, 77, 0xFFFF)))
    send(rig, link / _asked("ftp.example.com"), link / _asked("www.example.com", port=54))
    send(rig, link / _asked(to="198.18.0.4"), other / _asked())
    send(rig, link / IPv6(dst="2001:db8::3") / UDP(dport=53), link / IP(dst=_SERVER) / TCP(dport=53))
    names = sessions.read("names")
    assert (names.count("answered"), names.count("ignored")) == (3, 1)
    assert (names.rx_packets, names.tx_packets) == (4, 3)
    assert querying.rows() == [("", 3, None)]


def test_an_answer_comes_from_where_it_was_asked(rig: Rig, querying: Querying) -> None:
    querying.start(
        "UDP.dport", port="p1", filter="UDP.sport == 53 and UDP.dport == 5296-5311", value="length"
    )
    querying.start(
        "", "to", port="p1", filter=f"IP.src == {_SERVER} and Ether.dst == {LINK.src} and IP.len == 77"
    )
    _serve(rig)
    send(rig, *(LINK / _asked(number=number) for number in range(5)))
    assert querying.rows() == [("5300", 5, 5 * 95)]
    assert querying.rows("to") == [("", 5, None)]
    assert isinstance(LINK, Ether)
