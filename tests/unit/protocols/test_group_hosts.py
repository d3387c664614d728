# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Members of groups that a querier asks: RFC 2236, RFC 3376, RFC 2710, RFC 3810."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address

import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6, in6_chksum
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import checksum

from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.wire.icmpv6 import ICMPv6MLD, ICMPv6MLDv2Report, RouterAlert
from TesterLibrary.wire.igmp import IGMP, IGMPv3Report

from .dialogue import OUR_MAC, OURS, PEER, PEER_MAC, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

OUR_LINK_LOCAL = "fe80::ff:fe00:1"


@dataclass(frozen=True)
class Kind:
    """A host and its querier, of IPv4 or IPv6."""

    is_ipv6: bool
    version: int  # of the host

    @property
    def has_records(self) -> bool:
        return self.version == (2 if self.is_ipv6 else 3)

    @property
    def groups(self) -> AddressRange:
        return AddressRange.parse("ff0e::1-ff0e::4" if self.is_ipv6 else "239.129.1.254-239.129.2.1")

    def host(self, groups: AddressRange | None = None) -> Dialogue:
        mine = groups or self.groups
        return Dialogue(
            "mld-host" if self.is_ipv6 else "igmp-host",
            first=mine.first,
            last=mine.last,
            share=(2**31 - 1) // mine.count,
            mac=OUR_MAC,
            address=OUR_LINK_LOCAL if self.is_ipv6 else OURS,
            version=self.version,
        )

    def query(
        self, most_ms: int, group: object = None, *, records: bool | None = None, code: int = 0
    ) -> Packet:
        """`code`: in place of the time."""
        speaks_records = self.has_records if records is None else records
        link = Ether(src=PEER_MAC, dst="33:33:00:00:00:01" if self.is_ipv6 else "01:00:5e:00:00:01")
        rest = Raw(bytes.fromhex("027d0000")) if speaks_records else b""
        if self.is_ipv6:
            to, wanted = str(group or "ff02::1"), str(group or "::")
            mld = ICMPv6MLD(type=130, mrd=code or most_ms, mladdr=wanted)
            plen = 8 + 24 + len(rest)
            ip = IPv6(src="fe80::9", dst=to, nh=0, hlim=1, plen=plen)
            built = link / ip / RouterAlert() / mld
            if speaks_records:
                built[ICMPv6MLD].cksum = _mld_sum(ip, bytes(built)[62:86] + bytes(rest))
            return built / rest if speaks_records else built
        to, wanted = str(group or "224.0.0.1"), str(group or "0.0.0.0")
        igmp = IGMP(type=17, mrcode=code or most_ms // 100, gaddr=wanted)
        if speaks_records:
            igmp.chksum = 0
            igmp.chksum = _sum(bytes(igmp) + bytes(rest))
        length = 20 + 8 + len(rest)
        packet = link / IP(src=PEER, dst=to, ttl=1, len=length, options=[]) / igmp
        return packet / rest if speaks_records else packet

    def report(self, group: object) -> Packet:
        """Another host's."""
        if self.is_ipv6:
            ip = IPv6(src="fe80::7", dst=str(group), nh=0, hlim=1, plen=32)
            return Ether(src=PEER_MAC) / ip / RouterAlert() / ICMPv6MLD(type=131, mladdr=str(group))
        return (
            Ether(src=PEER_MAC)
            / IP(src=PEER, dst=str(group), ttl=1, len=28)
            / IGMP(type=22, gaddr=str(group))
        )

    def reported(self, packet: Packet) -> str:
        """The group of a report, whose form is checked."""
        octets = bytes(packet)
        if self.is_ipv6:
            alone = bytes.fromhex("3a00 0502 0000 0100")
            assert (octets[54:62], octets[21], str(packet[IPv6].src)) == (alone, 1, OUR_LINK_LOCAL)
            message, to = octets[62:], packet[IPv6].dst
            everyone, group = "ff02::16", str(IPv6Address(octets[-16:]))
            kinds = (131, 143)
        else:
            assert (octets[14] & 15, octets[22], octets[34:38].hex()) == (6, 1, "94040000")
            message, to = octets[38:], packet[IP].dst
            everyone, group = "224.0.0.22", ".".join(map(str, octets[-4:]))
            kinds = (22, 34)
        assert packet.src == OUR_MAC
        has_records = message[0] == kinds[1]
        assert message[0] in kinds
        assert to == (everyone if has_records else group)
        assert octets[:6] == _mac(to)
        if has_records:
            assert message[6:8].hex() == "0001"
            assert message[8] == 2, "nothing is excluded, so every source is wanted"
        return group


def _mac(group: str) -> bytes:
    if ":" in group:
        return b"\x33\x33" + bytes(IPv6(dst=group))[-4:]
    low = [int(part) for part in group.split(".")]
    return bytes([1, 0, 0x5E, low[1] & 0x7F, low[2], low[3]])


def _sum(octets: bytes) -> int:
    return int(checksum(octets))


def _mld_sum(ip: IPv6, message: bytes) -> int:
    return int(in6_chksum(58, ip, message[:2] + b"\0\0" + message[4:]))


KINDS = [
    Kind(is_ipv6=False, version=2),
    Kind(is_ipv6=False, version=3),
    Kind(is_ipv6=True, version=1),
    Kind(is_ipv6=True, version=2),
]


@pytest.fixture(params=KINDS, ids=["igmpv2", "igmpv3", "mldv1", "mldv2"])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def test_every_group_is_reported_in_the_time_of_a_general_query(kind: Kind) -> None:
    host = kind.host()
    assert host.hears(kind.query(1000)) == []
    found = [kind.reported(packet) for _ in range(20) for packet in host.waits(43.75)]
    assert found == [str(group) for group in kind.groups]
    assert host.waits(100_000) == []
    assert (host.count("queries"), host.count("answered")) == (1, 4)


def test_a_query_of_one_group_is_answered_for_that_alone(kind: Kind) -> None:
    host, group = kind.host(), kind.groups.first + 2
    assert host.hears(kind.query(1000, group)) == []
    assert [kind.reported(packet) for packet in host.waits(875)] == [str(group)]
    assert host.waits(100_000) == []


def test_nobody_answers_for_groups_of_others(kind: Kind) -> None:
    host = kind.host()
    for group in (kind.groups.first - 1, kind.groups.last + 1):
        assert host.hears(kind.query(1000, group)) == []
    assert host.waits(100_000) == []
    assert host.count("ignored") == 2


def test_a_report_of_another_host_makes_an_answer_superfluous_where_reports_are_for_all(kind: Kind) -> None:
    """RFC 2236 §3, RFC 2710 §4; members of version 3, and 2 of MLD, all answer (RFC 3376 §A.2)."""
    host, group = kind.host(), kind.groups.first
    host.hears(kind.query(1000, group))
    host.hears(kind.report(group + 1))
    host.hears(kind.report(group))
    assert len(host.waits(1000)) == (1 if kind.has_records else 0)
    assert host.count("suppressed") == (0 if kind.has_records else 1)


def test_an_answer_is_not_put_off_by_a_later_query(kind: Kind) -> None:
    host, group = kind.host(), kind.groups.first
    host.hears(kind.query(1000, group))
    host.waits(0)
    host.hears(kind.query(10_000, group))
    assert len(host.waits(875)) == 1
    host.hears(kind.query(20_000, group))
    host.hears(kind.query(100, group))
    assert len(host.waits(87.5)) == 1


def test_a_general_query_amid_answers_is_answered_for_every_group_in_its_time(kind: Kind) -> None:
    host = kind.host()
    host.hears(kind.query(8000))
    first = [kind.reported(packet) for packet in host.waits(3500)]
    assert first == [str(group) for group in kind.groups][: len(first)]
    assert len(first) == 2
    host.hears(kind.query(800))
    # The one that is due already waits as it did, the others come four times in 700 ms.
    found = [kind.reported(packet) for packet in host.waits(1750 + 700)]
    assert sorted(found) == [str(group) for group in kind.groups]
    assert found[:2] == [str(group) for group in kind.groups][2:]


def test_a_querier_of_an_older_version_hears_reports_of_its_own(kind: Kind) -> None:
    host = kind.host()
    host.hears(kind.query(1000, kind.groups.first, records=False))
    (answer,) = host.waits(1000)
    kind.reported(answer)
    octets = bytes(answer)
    assert octets[62 if kind.is_ipv6 else 38] == (131 if kind.is_ipv6 else 22)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.has_records])
def test_long_times_are_floating_point_numbers_for_those_who_know_them(kind: Kind) -> None:
    """IGMP 0x8f is 31 × 2^3 = 248 tenths of a second, MLD 0x8fff is 8191 × 2^3 ms (RFC 3376 §4.1.1)."""
    one = AddressRange(kind.groups.first)
    code, most_ms = (0x8FFF, 65_528) if kind.is_ipv6 else (0x8F, 24_800)
    host, times = kind.host(one), []
    for _ in range(60):
        host.hears(kind.query(0, one.first, code=code))
        waited = 0
        while not host.waits(most_ms / 100):
            waited += 1
        times.append(waited)
    assert 60 < max(times) <= 87, "within seven eighths of the time"
    assert min(times) < 30


def test_a_query_of_igmp_version_1_is_answered_within_ten_seconds() -> None:
    kind = Kind(is_ipv6=False, version=2)
    host = kind.host(AddressRange(kind.groups.first))
    waits = []
    for _ in range(30):
        host.hears(kind.query(0))
        waited = 0
        while not host.waits(100):
            waited += 1
        waits.append(waited)
    assert 50 < max(waits) <= 87


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.has_records])
def test_no_time_at_all_means_at_once(kind: Kind) -> None:
    host = kind.host()
    assert len(host.hears(kind.query(0, kind.groups.first))) == 1
    assert len([*host.hears(kind.query(0)), *host.waits(0.01)]) == 4


def test_queries_that_came_through_a_router_are_none(kind: Kind) -> None:
    """The TTL or hop limit is 1 (RFC 2236 §2, RFC 2710 §3)."""
    host, query = kind.host(), kind.query(1000)
    query[IPv6 if kind.is_ipv6 else IP].setfieldval("hlim" if kind.is_ipv6 else "ttl", 2)
    host.hears(query)
    assert host.waits(100_000) == []


def test_what_is_no_query_is_ignored(kind: Kind) -> None:
    host = kind.host()
    assert host.hears(kind.report(kind.groups.first)) == []
    if kind.is_ipv6:
        record = ICMPv6MLDv2Report(maddr="ff0e::1")
        ip = IPv6(src="fe80::7", dst="ff02::16", nh=0, hlim=1, plen=36)
        host.hears(Ether(src=PEER_MAC) / ip / RouterAlert() / record)
    else:
        ip = IP(src=PEER, dst="224.0.0.22", ttl=1, len=36)
        host.hears(Ether(src=PEER_MAC) / ip / IGMPv3Report(maddr="239.129.1.254"))
    assert host.waits(100_000) == []
    assert host.count("ignored") == 2
