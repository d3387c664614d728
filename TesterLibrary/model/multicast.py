# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups: the frames that are sent to them, and the reports of a host that joins or leaves them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv4Network

from ..errors import PlanError
from .editor import Editor, FieldPath, Sweep
from .endpoints import AddressRange
from .headers import Header, HeaderStack
from .ports import Address
from .quantity import Frequency
from .stream import Stream
from .units import LINE_RATE, FrameSize, FrameSizes, Rate, RateUnit

_LINK_LOCAL = IPv4Network("224.0.0.0/24")
_MAC_BITS = 23  # of a group's address that are in its MAC address (RFC 1112 §6.4)
_REPORT_SIZE = FrameSize(80)  # holds a report of either version and the signature behind it


class GroupProtocol(str, Enum):
    """How a host says which groups it wants."""

    IGMPV2 = "igmpv2"  # RFC 2236
    IGMPV3 = "igmpv3"  # RFC 3376, every source


def check_groups(groups: AddressRange) -> None:
    """PlanError unless these are IPv4 groups that a device forwards by membership, each with its own MAC."""
    first, last = groups.first, groups.last
    if first.version != 4:
        raise PlanError(
            f"{groups} are IPv6 groups, whose members report by MLD, which this tester does not send; "
            "give IPv4 groups"
        )
    if not (first.is_multicast and last.is_multicast):
        raise PlanError(f"{groups} are no multicast groups; give addresses from 224.0.1.0 to 239.255.255.255")
    if first in _LINK_LOCAL:
        raise PlanError(
            f"{groups} begin within {_LINK_LOCAL}, which devices flood or keep whoever has joined; give "
            "other groups, such as 239.1.1.1"
        )
    if int(first) >> _MAC_BITS != int(last) >> _MAC_BITS:
        raise PlanError(
            f"{groups} cross a border of 2^{_MAC_BITS} groups, where MAC addresses begin anew; give two "
            "ranges"
        )


def group_mac(group: Address) -> str:
    """The MAC address of frames to an IPv4 group (RFC 1112 §6.4)."""
    low = int(group) & (1 << _MAC_BITS) - 1
    return (0x01_00_5E_00_00_00 | low).to_bytes(6, "big").hex(":")


def group_stream(
    name: str,
    sender: str,
    members: Sequence[str],
    groups: AddressRange,
    *,
    frame_size: FrameSizes = FrameSize(64),
    rate: Rate = LINE_RATE,
    count_flows: bool = False,
) -> Stream:
    """Frames to one group after the other, each of which is expected at every member.

    Raises:
        PlanError: the groups are none that can be joined, or there is no member.
    """
    check_groups(groups)
    if not members:
        raise PlanError(f"stream {name!r}: no port is a member of {groups}; give one or more")
    first, *others = members
    return Stream(
        name,
        tx=sender,
        rx=first,
        copies=tuple(others),
        frame_size=frame_size,
        rate=rate,
        headers=HeaderStack((Header("Ether"), _ip(groups.first), Header("UDP"))),
        editors=_each_group(groups, "IP.dst", with_mac=True),
        count_flows=count_flows,
    )


def groups_of(stream: Stream) -> AddressRange:
    """The groups to which a stream is sent. PlanError if they are none."""
    written = {h.name: dict(h.fields) for h in (stream.headers.headers if stream.headers else ())}
    given = str(written.get("IP", {}).get("dst", ""))
    moves = {editor.path: editor.mode for editor in stream.editors}
    mode = moves.get(FieldPath("IP", "dst"))
    try:
        first = IPv4Address(mode.first if isinstance(mode, Sweep) else given)
    except ValueError:
        raise PlanError(f"stream {stream.name!r} is sent to no group; see Create Multicast Stream") from None
    groups = AddressRange(first, (mode.count or 1) if isinstance(mode, Sweep) else 1)
    check_groups(groups)
    return groups


@dataclass(frozen=True)
class Membership:
    """Groups that a port of the tester wants."""

    port: str
    groups: AddressRange
    protocol: GroupProtocol = GroupProtocol.IGMPV2

    def __post_init__(self) -> None:
        check_groups(self.groups)

    def overlaps(self, other: Membership) -> bool:
        """Whether a group is one of both."""
        return other.groups.first in self.groups or self.groups.first in other.groups

    def joining(self, listener: str, rate: Frequency) -> Stream:
        """A report for one group after the other. `listener`: any other port of the tester."""
        if self.protocol is GroupProtocol.IGMPV3:
            return self._records("join", "to_ex", listener, rate)
        return self._message("join", "report", self.groups.first, listener, rate)

    def leaving(self, listener: str, rate: Frequency) -> Stream:
        """The same when it does not want them any more."""
        if self.protocol is GroupProtocol.IGMPV3:
            return self._records("leave", "to_in", listener, rate)
        return self._message("leave", "leave", IPv4Address("224.0.0.2"), listener, rate)

    def _message(self, act: str, kind: str, to: Address, listener: str, rate: Frequency) -> Stream:
        igmp = Header("IGMP", (("type", kind), ("gaddr", str(self.groups.first))))
        editors = _each_group(self.groups, "IGMP.gaddr")
        if to == self.groups.first:  # a report is sent to the group itself (RFC 2236 §9)
            editors += _each_group(self.groups, "IP.dst", with_mac=True)
        return self._stream(act, HeaderStack((Header("Ether"), _ip(to), igmp)), editors, listener, rate)

    def _records(self, act: str, kind: str, listener: str, rate: Frequency) -> Stream:
        igmp = Header("IGMPv3Report", (("rtype", kind), ("maddr", str(self.groups.first))))
        headers = HeaderStack((Header("Ether"), _ip(IPv4Address("224.0.0.22")), igmp))
        return self._stream(act, headers, _each_group(self.groups, "IGMPv3Report.maddr"), listener, rate)

    def _stream(
        self, act: str, headers: HeaderStack, editors: tuple[Editor, ...], listener: str, rate: Frequency
    ) -> Stream:
        return Stream(
            f"{act} {self}",
            tx=self.port,
            rx=listener,
            frame_size=_REPORT_SIZE,
            rate=Rate(rate.per_second, RateUnit.PPS),
            headers=headers,
            editors=editors,
            answered=False,
        )

    def __str__(self) -> str:
        return f"{self.groups} at {self.port}"


def _ip(to: Address) -> Header:
    return Header("IP", (("dst", str(to)),))


def _each_group(groups: AddressRange, field: str, *, with_mac: bool = False) -> tuple[Editor, ...]:
    """Editors that go through the groups together, one each frame; none if there is one group only."""
    if groups.count == 1:
        return ()
    editors = [Editor(FieldPath.parse(field), Sweep(str(groups.first), count=groups.count))]
    if with_mac:
        path = FieldPath("Ether", "dst")
        editors.append(Editor(path, Sweep(group_mac(groups.first), count=groups.count)))
    return tuple(editors)


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
