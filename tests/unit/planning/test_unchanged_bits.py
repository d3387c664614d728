# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The header bits that arrive as they were sent, by what the device is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.ports import Forwarding
from TesterLibrary.planning.compile import compile as compile_job

from .bench import BRIDGED, compiled, stream
from .edits import planned

HEADERS = {"Ether": Ether, "Dot1Q": Dot1Q, "IP": IP, "IPv6": IPv6, "UDP": UDP, "VXLAN": VXLAN}
TAGGED = "Ether / Dot1Q(vlan=5, prio=1) / IP / UDP"
TUNNEL = "Ether / IP / UDP / VXLAN(vni=42) / Ether / IP / UDP"
IPV6 = "Ether / IPv6 / UDP"
ECT = "Ether / IP(tos=2) / UDP"


def keeps(stack: str, forwarding: Forwarding, field: str, value: int | str, number: int = 1) -> bool:
    """Whether a frame with another value of a field has other bits where they are to be kept."""
    sent = planned(stack, size=200, forwarding=forwarding)
    name, _, attribute = field.partition(".")
    frame: Packet = Ether(sent.frame)
    layer = frame.getlayer(HEADERS[name], number)
    assert layer is not None
    layer.setfieldval(attribute, value)
    pairs = zip(sent.kept_headers, sent.frame, bytes(frame), strict=False)
    return any(mask & (before ^ after) for mask, before, after in pairs)


@pytest.mark.parametrize(
    ("stack", "field", "value", "bridged", "routed"),
    [
        (TAGGED, "Ether.dst", "02:00:00:00:00:77", True, False),
        (TAGGED, "Dot1Q.vlan", 6, True, False),
        (TAGGED, "Dot1Q.prio", 2, False, False),
        (TAGGED, "Dot1Q.type", 0x1234, True, True),
        (TAGGED, "IP.ttl", 63, True, False),
        (TAGGED, "IP.tos", 0xB8, True, False),
        (TAGGED, "IP.chksum", 1, True, False),
        (TAGGED, "IP.dst", "198.18.0.77", True, True),
        (TAGGED, "IP.len", 20, True, True),
        (TAGGED, "UDP.dport", 77, True, True),
        (TAGGED, "UDP.len", 8, True, True),
        (TAGGED, "UDP.chksum", 1, True, True),
        (IPV6, "IPv6.hlim", 1, True, False),
        (IPV6, "IPv6.tc", 1, True, False),
        (IPV6, "IPv6.fl", 1, True, False),
        ("Ether / IPv6(fl=7) / UDP", "IPv6.fl", 1, True, True),
        (IPV6, "IPv6.dst", "2001:db8::77", True, True),
        (TUNNEL, "VXLAN.vni", 43, True, True),
        (ECT, "IP.tos", 3, False, False),
        (ECT, "IP.tos", 0xB8 | 2, True, False),
    ],
)
def test_a_device_changes_what_it_is_for(
    stack: str, field: str, value: int | str, bridged: bool, routed: bool
) -> None:
    assert keeps(stack, Forwarding.BRIDGED, field, value) is bridged
    assert keeps(stack, Forwarding.ROUTED, field, value) is routed
    assert not keeps(stack, Forwarding.TRANSLATED, field, value)


@pytest.mark.parametrize("field", ["Ether.dst", "IP.ttl", "IP.tos"])
def test_a_router_leaves_inner_headers_alone(field: str) -> None:
    value: int | str = "02:00:00:00:00:77" if field == "Ether.dst" else 1
    assert keeps(TUNNEL, Forwarding.ROUTED, field, value, number=2)
    assert not keeps(TUNNEL, Forwarding.ROUTED, field, value, number=1)


def test_all_of_the_headers_and_nothing_else_is_kept() -> None:
    sent = planned("Ether / IP / UDP", forwarding=Forwarding.BRIDGED)
    assert sent.kept_headers == b"\xff" * sent.header_size


def test_the_testbed_says_it_where_the_stream_does_not() -> None:
    def kept(forwarding: Forwarding | None) -> PlannedStream:
        job = Job("job", (stream(forwarding=forwarding),), 1)
        return compile_job(
            job, ports=BRIDGED, gateways={}, max_streams=1, forwarding=Forwarding.BRIDGED
        ).streams[0]

    assert kept(None).kept_headers == kept(Forwarding.BRIDGED).kept_headers != b""
    assert kept(Forwarding.TRANSLATED).kept_headers == b""


def test_without_a_signature_nothing_is_kept() -> None:
    bare = replace(stream(forwarding=Forwarding.BRIDGED), signature=False)
    assert compiled(bare).streams[0].kept_headers == b""
