# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ipaddress import ip_interface

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import checksum

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.job import Job
from TesterLibrary.model.multicast import GroupProtocol, Membership, group_stream, groups_of
from TesterLibrary.model.ports import Port
from TesterLibrary.model.quantity import Frequency
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import Bandwidth
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.flows import FlowSpace

RATE = Frequency.parse("1 k/s")
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


@pytest.mark.parametrize(
    ("protocol", "leaves", "kind", "to", "length"),
    [
        (GroupProtocol.IGMPV2, False, "16", None, 32),
        (GroupProtocol.IGMPV2, True, "17", "224.0.0.2", 32),
        (GroupProtocol.IGMPV3, False, "22", "224.0.0.22", 40),
        (GroupProtocol.IGMPV3, True, "22", "224.0.0.22", 40),
    ],
)
def test_each_group_has_a_report_that_a_device_takes(
    protocol: GroupProtocol, leaves: bool, kind: str, to: str | None, length: int
) -> None:
    """RFC 2236 and RFC 3376: TTL 1, Router Alert, checksum over the message, sent to the group's own MAC."""
    membership = Membership("p2", GROUPS, protocol)
    stream = membership.leaving("p1", RATE) if leaves else membership.joining("p1", RATE)
    for group, frame in zip(GROUPS, frames(stream, GROUPS.count), strict=True):
        ip = Ether(frame)["IP"]
        destination = to or str(group)
        assert (ip.src, ip.dst, ip.ttl, ip.len, ip.proto) == ("198.18.0.2", destination, 1, length, 2)
        low = [int(part) for part in destination.split(".")]
        assert frame[:6] == bytes([1, 0, 0x5E, low[1] & 0x7F, low[2], low[3]])
        assert frame[34:38] == bytes.fromhex("94040000")
        assert checksum(frame[14:38]) == 0
        message = frame[38 : 14 + length]
        assert checksum(message) == 0
        assert message[:1].hex() == kind
        assert message[-4:] == group.packed
        if protocol is GroupProtocol.IGMPV3:
            assert message[6:12].hex() == f"0001{'03' if leaves else '04'}000000"


def test_frames_go_to_one_group_after_the_other() -> None:
    stream = group_stream("video", "p1", ["p3", "p2"], GROUPS)
    assert (stream.rx, stream.copies, groups_of(stream)) == ("p3", ("p2",), GROUPS)
    for group, frame in zip(GROUPS, frames(stream, GROUPS.count), strict=True):
        packet = Ether(frame)
        low = group.packed
        assert (packet["IP"].dst, frame[3:6]) == (str(group), bytes([low[1] & 0x7F, low[2], low[3]]))
        assert checksum(frame[14:34]) == 0


def test_one_group_needs_no_editor() -> None:
    stream = group_stream("video", "p1", ["p2"], AddressRange.parse("239.1.1.1"))
    assert (stream.editors, str(groups_of(stream))) == ((), "239.1.1.1")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("ff3e::1", "are IPv6 groups, whose members report by MLD, which this tester does not send"),
        ("198.18.0.1", "are no multicast groups; give addresses from 224.0.1.0"),
        ("239.255.255.255-240.0.0.1", "are no multicast groups"),
        ("224.0.0.5", "begin within 224.0.0.0/24, which devices flood"),
        ("239.127.255.255-239.128.0.0", r"cross a border of 2\^23 groups"),
    ],
)
def test_groups_that_nobody_joins_are_refused(groups: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Membership("p2", AddressRange.parse(groups))
    with pytest.raises(PlanError, match=message):
        group_stream("video", "p1", ["p2"], AddressRange.parse(groups))


def test_a_stream_to_no_group_has_no_delay_of_one() -> None:
    with pytest.raises(PlanError, match=r"stream 'north' is sent to no group; see Create Multicast Stream"):
        groups_of(Stream("north", tx="p1", rx="p2"))
    with pytest.raises(PlanError, match=r"stream 'video': no port is a member of 239.1.1.1"):
        group_stream("video", "p1", [], AddressRange.parse("239.1.1.1"))
