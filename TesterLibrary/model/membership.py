# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hosts that are members of multicast groups: what they report, and the table that answers queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address

from ..errors import PlanError
from .editor import Editor
from .endpoints import AddressRange
from .headers import Header, HeaderStack
from .multicast import check_groups, each_group, groups_of, ip_field, ip_header
from .ports import Address, Port
from .responder import Responder
from .stream import Stream
from .units.quantity import Frequency
from .units.units import FrameSize, Rate, RateUnit

_SIZES = {4: FrameSize(80), 6: FrameSize(112)}  # hold a report of either version and the signature behind it
_SHARE_BITS = 31  # of a number below 1, as the tables have it


class GroupProtocol(str, Enum):
    """How a host says which groups it wants."""

    IGMPV2 = "igmpv2"  # RFC 2236
    IGMPV3 = "igmpv3"  # RFC 3376, every source
    MLDV1 = "mldv1"  # RFC 2710
    MLDV2 = "mldv2"  # RFC 3810, every source

    @property
    def ip_version(self) -> int:
        """The IP version of its groups."""
        return 4 if self in (GroupProtocol.IGMPV2, GroupProtocol.IGMPV3) else 6

    @property
    def has_records(self) -> bool:
        """Whether its reports have records of groups and sources."""
        return self in (GroupProtocol.IGMPV3, GroupProtocol.MLDV2)


@dataclass(frozen=True)
class Membership:
    """Groups that a port of the tester wants."""

    port: str
    groups: AddressRange
    given: GroupProtocol | None = None  # None: the oldest one with leaves, of the groups' IP version

    def __post_init__(self) -> None:
        check_groups(self.groups)
        version = self.groups.first.version
        if self.protocol.ip_version != version:
            allowed = [str(one.value) for one in GroupProtocol if one.ip_version == version]
            raise PlanError(
                f"{self.protocol.value} is for IPv{self.protocol.ip_version}, and {self.groups} are groups "
                f"of IPv{version}; give {' or '.join(allowed)}"
            )

    @property
    def protocol(self) -> GroupProtocol:
        """The protocol that the host speaks."""
        oldest = {4: GroupProtocol.IGMPV2, 6: GroupProtocol.MLDV1}
        return self.given or oldest[self.groups.first.version]

    def overlaps(self, other: Membership) -> bool:
        """Whether a group is one of both."""
        return other.groups.first in self.groups or self.groups.first in other.groups

    def joining(self, port: Port, listener: str, rate: Frequency) -> Stream:
        """A report for one group after the other. `listener`: any other port of the tester."""
        return self._stream("join", "report", "to_ex", self.groups.first, port, listener, rate)

    def leaving(self, port: Port, listener: str, rate: Frequency) -> Stream:
        """The same when it does not want them any more."""
        is_ipv4 = self.protocol.ip_version == 4
        routers = ip_address("224.0.0.2" if is_ipv4 else "ff02::2")
        return self._stream("leave", "leave" if is_ipv4 else "done", "to_in", routers, port, listener, rate)

    def host(self) -> Responder:
        """The end that answers queries for these groups, as long as it runs."""
        has_records = self.protocol.has_records
        is_ipv4 = self.protocol.ip_version == 4
        version = 2 if is_ipv4 else 1
        return Responder(
            name=f"member of {self}",
            port=self.port,
            protocol="igmp-host" if is_ipv4 else "mld-host",
            answers_for=self.groups,
            flows=self.groups.count + 1,
            parameters={
                "version": version + has_records,
                "share": ((1 << _SHARE_BITS) - 1) // self.groups.count,
            },
        )

    def _stream(
        self, act: str, kind: str, change: str, to: Address, port: Port, listener: str, rate: Frequency
    ) -> Stream:
        """`kind`: of a message without records, which goes `to` this address; `change`: of a record."""
        first, has_records = self.groups.first, self.protocol.has_records
        source: Address | None = None
        below: tuple[Header, ...] = ()
        if self.protocol.ip_version == 4:
            everyone = ip_address("224.0.0.22")
            name, field = ("IGMPv3Report", "maddr") if has_records else ("IGMP", "gaddr")
        else:
            # A report comes from a link-local address, with the option Router Alert (RFC 2710 §3).
            source, below, everyone = port.link_local, (Header("RouterAlert"),), ip_address("ff02::16")
            name, field = ("ICMPv6MLDv2Report", "maddr") if has_records else ("ICMPv6MLD", "mladdr")
        message = Header(name, (("rtype", change) if has_records else ("type", kind), (field, str(first))))
        editors: tuple[Editor, ...] = each_group(self.groups, f"{name}.{field}")
        if not has_records and to == first:  # it is sent to the group itself
            editors += each_group(self.groups, ip_field(first, "dst"), with_mac=True)
        ip = ip_header(everyone if has_records else to, source)
        return Stream(
            f"{act} {self}",
            tx=self.port,
            rx=listener,
            frame_size=_SIZES[first.version],
            rate=Rate(rate.per_second, RateUnit.PPS),
            headers=HeaderStack((Header("Ether"), ip, *below, message)),
            editors=editors,
            answered=False,
        )

    def __str__(self) -> str:
        return f"{self.groups} at {self.port}"


def not_joined(stream: Stream, joined: Collection[Membership]) -> Iterator[str]:
    """The ports that expect frames of a stream to groups and have not joined one of them, with that group."""
    try:
        groups = groups_of(stream)
    except PlanError:
        return
    for port in (stream.rx, *stream.copies):
        held = [one.groups for one in joined if one.port == port]
        missing = (group for group in groups if not any(group in some for some in held))
        group = next(missing, None)
        if group is not None:
            yield (
                f"{port} has not joined {group}, so a device need not forward it there; call "
                f"`Join Group`    {port}    {groups}"
            )
