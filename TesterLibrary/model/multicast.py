# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups, and the frames that are sent to them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Network, ip_address

from ..errors import PlanError
from .editor import Editor, FieldPath, Sweep
from .endpoints import AddressRange
from .headers import Header, HeaderStack
from .ports import Address
from .stream import Stream
from .units.units import LINE_RATE, FrameSize, FrameSizes, Rate

_LINK_LOCAL = IPv4Network("224.0.0.0/24")
_BEYOND_THE_LINK = 3  # the least scope of an IPv6 group that devices forward (RFC 4291 §2.7, RFC 7346)
_MAC_BITS = {4: 23, 6: 32}  # of a group's address that are in its MAC address (RFC 1112 §6.4, RFC 2464 §7)
_MAC = {4: 0x01_00_5E_00_00_00, 6: 0x33_33_00_00_00_00}
_LAYERS = {4: "IP", 6: "IPv6"}
_SHORTEST = {4: FrameSize(64), 6: FrameSize(82)}
_IN_A_TUNNEL = FrameSize(256)


def check_groups(groups: AddressRange) -> None:
    """PlanError unless these are groups that a device forwards by membership, each with its own MAC."""
    first, last = groups.first, groups.last
    allowed = "from 224.0.1.0 to 239.255.255.255, or IPv6 ones such as ff0e::1"
    if not (first.is_multicast and last.is_multicast):
        raise PlanError(f"{groups} are no multicast groups; give addresses {allowed}")
    if first in _LINK_LOCAL:
        raise PlanError(
            f"{groups} begin within {_LINK_LOCAL}, which devices flood or keep whoever has joined; give "
            "other groups, such as 239.1.1.1"
        )
    if first.version == 6 and first.packed[1] & 0xF < _BEYOND_THE_LINK:
        raise PlanError(
            f"{groups} are groups of one link or less (scope {first.packed[1] & 0xF}), which devices do not "
            "forward by membership; give groups of a larger scope, such as ff0e::1"
        )
    bits = _MAC_BITS[first.version]
    if int(first) >> bits != int(last) >> bits:
        raise PlanError(
            f"{groups} cross a border of 2^{bits} groups, where MAC addresses begin anew; give two ranges"
        )


def group_mac(group: Address) -> str:
    """The MAC address of frames to a group."""
    low = int(group) & (1 << _MAC_BITS[group.version]) - 1
    return (_MAC[group.version] | low).to_bytes(6, "big").hex(":")


def group_stream(
    name: str,
    sender: str,
    members: Sequence[str],
    groups: AddressRange,
    *,
    frame_size: FrameSizes | None = None,
    rate: Rate = LINE_RATE,
    count_flows: bool = False,
    tunnel: HeaderStack | None = None,
) -> Stream:
    """Frames to one group after the other, each of which is expected at every member.

    `frame_size`: the shortest one of the IP version that has room for a signature, if None. `tunnel`: headers
    in front of the IP header of each frame (RFC 3918 §4.4).

    Raises:
        PlanError: the groups are none that can be joined, or there is no member.
    """
    check_groups(groups)
    if not members:
        raise PlanError(f"stream {name!r}: no port is a member of {groups}; give one or more")
    first, *others = members
    outer = _to_mac(groups.first, tunnel.headers) if tunnel else (Header("Ether"),)
    headers = (*outer, ip_header(groups.first), Header("UDP"))
    editors = each_group(groups, ip_field(groups.first, "dst"), with_mac=outer[-1].name == "Ether")
    return Stream(
        name,
        tx=sender,
        rx=first,
        copies=tuple(others),
        frame_size=frame_size or (_IN_A_TUNNEL if tunnel else _SHORTEST[groups.first.version]),
        rate=rate,
        headers=HeaderStack(headers, tunnel.types if tunnel else ()),
        editors=tuple(_innermost(editor, headers) for editor in editors),
        count_flows=count_flows,
    )


def _to_mac(group: Address, outer: tuple[Header, ...]) -> tuple[Header, ...]:
    """Headers of a tunnel whose last one, if it is of Ethernet, has the destination of frames to a group.

    Without, a planner derives that of the outermost header only.
    """
    *others, last = outer
    if last.name != "Ether" or "dst" in dict(last.fields):
        return outer
    return (*others, replace(last, fields=(*last.fields, ("dst", group_mac(group)))))


def _innermost(editor: Editor, headers: Sequence[Header]) -> Editor:
    """The same of the last header of that name."""
    number = sum(header.name == editor.path.header for header in headers)
    return replace(editor, path=replace(editor.path, number=number))


def is_multicast(stream: Stream) -> bool:
    """Whether a stream is sent to groups."""
    with suppress(PlanError):
        groups_of(stream)
        return True
    return False


def groups_of(stream: Stream) -> AddressRange:
    """The groups to which a stream is sent. PlanError if they are none."""
    headers = stream.headers.headers if stream.headers else ()
    network = next((header for header in reversed(headers) if header.name in _LAYERS.values()), None)
    if network is not None:
        moves = {editor.path: editor.mode for editor in stream.editors}
        number = sum(header.name == network.name for header in headers)
        mode = moves.get(FieldPath(network.name, "dst", number))
        with suppress(ValueError):
            given = mode.first if isinstance(mode, Sweep) else str(dict(network.fields).get("dst", ""))
            groups = AddressRange(ip_address(given), (mode.count or 1) if isinstance(mode, Sweep) else 1)
            check_groups(groups)
            return groups
    raise PlanError(f"stream {stream.name!r} is sent to no group; see Create Multicast Stream")


def ip_header(to: Address, source: Address | None = None) -> Header:
    """The header of packets to a group, from an address of the port's if none is given."""
    src = () if source is None else (("src", str(source)),)
    return Header(_LAYERS[to.version], (*src, ("dst", str(to))))


def ip_field(group: Address, field: str) -> str:
    """A field of the IP header of packets to a group: `IP.dst`."""
    return f"{_LAYERS[group.version]}.{field}"


def each_group(groups: AddressRange, field: str, *, with_mac: bool = False) -> tuple[Editor, ...]:
    """Editors that go through the groups together, one each frame; none if there is one group only."""
    if groups.count == 1:
        return ()
    editors = [Editor(FieldPath.parse(field), Sweep(str(groups.first), count=groups.count))]
    if with_mac:
        path = FieldPath("Ether", "dst")
        editors.append(Editor(path, Sweep(group_mac(groups.first), count=groups.count)))
    return tuple(editors)
