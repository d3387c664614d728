# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ipaddress import ip_interface

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import checksum

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.multicast import group_stream, groups_of
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.flows import FlowSpace
from tests.dissection import layers as layers_of
from tests.dissection import wrong_checksums

GROUPS = AddressRange.parse("239.129.1.254-239.129.2.1")
PORTS = {
    f"p{n}": Port(
        f"p{n}", Bandwidth(10**9), bytes([2, 0, 0, 0, 0, n]), 1518, ip_interface(f"198.18.0.{n}/24")
    )
    for n in (1, 2, 3)
}


def frames(stream: Stream, count: int) -> list[bytes]:
    """The first so many, as they leave."""
    (planned,) = compile_job(Job("job", (stream,)), ports=PORTS, gateways={}, max_streams=1).streams
    space = FlowSpace.of(planned)
    return [space.frame(number) for number in range(count)]


def test_frames_go_to_one_group_after_the_other() -> None:
    stream = group_stream("video", "p1", ["p3", "p2"], GROUPS)
    assert (stream.rx, stream.copies, groups_of(stream)) == ("p3", ("p2",), GROUPS)
    for group, frame in zip(GROUPS, frames(stream, GROUPS.count), strict=True):
        packet = Ether(frame)
        low = group.packed
        assert (packet["IP"].dst, frame[3:6]) == (str(group), bytes([low[1] & 0x7F, low[2], low[3]]))
        assert checksum(frame[14:34]) == 0


def test_frames_to_ipv6_groups_have_their_mac_addresses() -> None:
    groups = AddressRange.parse("ff0e::ffff-ff0e::1:2")
    stream = group_stream("video", "p1", ["p3"], groups)
    assert groups_of(stream) == groups
    for group, frame in zip(groups, frames(stream, groups.count), strict=True):
        packet = Ether(frame)
        assert (packet["IPv6"].dst, packet["IPv6"].src) == (str(group), "2001:2::2")
        assert frame[:6] == b"\x33\x33" + group.packed[-4:]
        assert wrong_checksums(frame) == []


@pytest.mark.parametrize(
    ("tunnel", "layers"),
    [
        (
            "Ether / IP(dst=198.19.2.1) / UDP(dport=4789) / VXLAN(vni=2) / Ether",
            "Ether IP UDP VXLAN Ether IP UDP",
        ),
        ("Ether / IP(dst=198.19.2.1) / GRE / Ether", "Ether IP GRE Ether IP UDP"),
        ("Ether / IP(dst=198.19.2.1) / GRE", "Ether IP GRE IP UDP"),
        ("Ether / IP(dst=198.19.2.1)", "Ether IP IP UDP"),
    ],
)
def test_frames_to_groups_go_through_tunnels(tunnel: str, layers: str) -> None:
    """RFC 3918 §4.4.2: it is the inner addresses that change."""
    stream = group_stream("video", "p1", ["p3"], GROUPS, tunnel=HeaderStack.parse(tunnel))
    assert groups_of(stream) == GROUPS
    for group, frame in zip(GROUPS, frames(stream, GROUPS.count), strict=True):
        packet = Ether(frame)
        found = [type(layer).__name__ for layer in layers_of(packet)]
        assert " ".join(found).startswith(layers)
        outer, inner = packet["IP"], packet.getlayer("IP", 2)
        assert (outer.dst, inner.dst) == ("198.19.2.1", str(group))
        if packet.getlayer("Ether", 2):
            assert bytes(packet.getlayer("Ether", 2))[:3] == b"\x01\0\x5e"
            assert bytes(packet.getlayer("Ether", 2))[4:6] == group.packed[2:]
        assert wrong_checksums(frame) == []


def test_one_group_needs_no_editor() -> None:
    stream = group_stream("video", "p1", ["p2"], AddressRange.parse("239.1.1.1"))
    assert (stream.editors, str(groups_of(stream))) == ((), "239.1.1.1")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("ff02::1:3", r"are groups of one link or less \(scope 2\), which devices do not forward"),
        ("ff0e::ffff:ffff-ff0e::1:0:0", r"cross a border of 2\^32 groups"),
        ("2001:db8::1", "are no multicast groups; give addresses from 224.0.1.0 to 239.255.255.255, or IPv6"),
        ("198.18.0.1", "are no multicast groups; give addresses from 224.0.1.0"),
        ("239.255.255.255-240.0.0.1", "are no multicast groups"),
        ("224.0.0.5", "begin within 224.0.0.0/24, which devices flood"),
        ("239.127.255.255-239.128.0.0", r"cross a border of 2\^23 groups"),
    ],
)
def test_groups_that_nobody_joins_are_refused(groups: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        group_stream("video", "p1", ["p2"], AddressRange.parse(groups))


def test_a_stream_to_no_group_has_no_delay_of_one() -> None:
    with pytest.raises(PlanError, match=r"stream 'north' is sent to no group; see Create Multicast Stream"):
        groups_of(Stream("north", tx="p1", rx="p2"))
    with pytest.raises(PlanError, match=r"stream 'video': no port is a member of 239.1.1.1"):
        group_stream("video", "p1", [], AddressRange.parse("239.1.1.1"))
