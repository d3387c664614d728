# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from scapy.layers.inet6 import in6_chksum
from scapy.layers.l2 import Ether
from scapy.utils import checksum

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.membership import GroupProtocol, Membership
from TesterLibrary.model.units.quantity import Frequency

from .test_multicast import GROUPS, PORTS, frames

RATE = Frequency.parse("1 k/s")
IPV6_GROUPS = AddressRange.parse("ff0e::1:fffe-ff0e::2:1")


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
    make = membership.leaving if leaves else membership.joining
    stream = make(PORTS["p2"], "p1", RATE)
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


@pytest.mark.parametrize(
    ("protocol", "leaves", "kind", "to", "length"),
    [
        (GroupProtocol.MLDV1, False, 131, None, 24),
        (GroupProtocol.MLDV1, True, 132, "ff02::2", 24),
        (GroupProtocol.MLDV2, False, 143, "ff02::16", 28),
        (GroupProtocol.MLDV2, True, 143, "ff02::16", 28),
    ],
)
def test_each_ipv6_group_has_a_report_that_a_device_takes(
    protocol: GroupProtocol, leaves: bool, kind: int, to: str | None, length: int
) -> None:
    """RFC 2710 and RFC 3810: hop limit 1, Router Alert, a link-local source, checksum over the message."""
    membership = Membership("p2", IPV6_GROUPS, protocol)
    make = membership.leaving if leaves else membership.joining
    stream = make(PORTS["p2"], "p1", RATE)
    for group, frame in zip(IPV6_GROUPS, frames(stream, IPV6_GROUPS.count), strict=True):
        ip = Ether(frame)["IPv6"]
        destination = to or str(group)
        assert (ip.src, ip.dst, ip.hlim, ip.nh) == ("fe80::ff:fe00:2", destination, 1, 0)
        assert ip.plen == 8 + length
        assert frame[54:62].hex() == "3a00050200000100"
        message = frame[62 : 62 + length]
        assert in6_chksum(58, ip, message) == 0
        assert (message[0], message[-16:]) == (kind, group.packed)
        assert frame[:2] == b"\x33\x33"
        if protocol is GroupProtocol.MLDV2:
            assert message[6:12].hex() == f"0001{'03' if leaves else '04'}000000"


def test_a_host_speaks_the_oldest_version_with_leaves_unless_told() -> None:
    assert Membership("p2", GROUPS).protocol is GroupProtocol.IGMPV2
    assert Membership("p2", IPV6_GROUPS).protocol is GroupProtocol.MLDV1


@pytest.mark.parametrize(
    ("groups", "protocol", "message"),
    [
        (
            IPV6_GROUPS,
            GroupProtocol.IGMPV3,
            "igmpv3 is for IPv4, and .* are groups of IPv6; give mldv1 or mldv2",
        ),
        (GROUPS, GroupProtocol.MLDV1, "mldv1 is for IPv6, and .* are groups of IPv4; give igmpv2 or igmpv3"),
        (AddressRange.parse("198.18.0.1"), None, "198.18.0.1 are no multicast groups"),
    ],
)
def test_a_host_speaks_a_protocol_of_its_groups(
    groups: AddressRange, protocol: GroupProtocol | None, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        Membership("p2", groups, protocol)


def test_the_table_of_a_host_has_its_groups() -> None:
    host = Membership("p2", IPV6_GROUPS, GroupProtocol.MLDV2).host()
    assert (host.port, host.protocol, host.answers_for, host.flows) == ("p2", "mld-host", IPV6_GROUPS, 5)
    assert host.parameters == {"version": 2, "share": 2**29 - 1}
    assert Membership("p2", GROUPS).host().parameters["version"] == 2
