# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The other end of a veth pair, and its treatment of frames before the tester gets them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute
from pyroute2.ethtool.ioctl import IoctlEthtool
from pyroute2.netlink.exceptions import NetlinkError

from .namespace import inside
from .processes import deferred_signals

_NAMED = Path("/run/netns")  # of ip netns
KEEPS_TAGS = frozenset(("tx-vlan-hw-insert", "tx-vlan-stag-hw-insert"))
"""Hands VLAN tags over beside frames. AF_XDP loses such a tag, for there is nothing beside a frame."""
LEAVES_WORK = frozenset(
    ("tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6", "tx-tcp-segmentation")
)
"""Hands packets over that hardware would finish: without right checksums, and longer than the MTU."""


@dataclass(frozen=True)
class FarEnd:
    """The other end of a veth pair."""

    name: str
    features: frozenset[str]  # of its NIC, those that are on


def far_end(interface: str) -> FarEnd | None:
    """The other end of an interface's veth pair.

    None if the interface is none of a pair, or if nobody here sees the other end: it is looked for in this
    namespace, in those with a name, and in those of processes.
    """
    try:
        with deferred_signals(), IPRoute() as route:
            found: Any = route.link_lookup(ifname=interface)
            link: Any = route.link("get", index=found[0])[0] if found else None
            if link is None or not _is_pair(link):
                return None
            index, number = link.get_attr("IFLA_LINK"), link.get_attr("IFLA_LINK_NETNSID")
            with _namespace(route, number) as handle:
                return None if handle is None else _end(handle, index)
    except (OSError, NetlinkError):
        return None


def _is_pair(link: Any) -> bool:
    kind = link.get_attr("IFLA_LINKINFO")
    return kind is not None and kind.get_attr("IFLA_INFO_KIND") == "veth"


@contextmanager
def _namespace(route: IPRoute, number: int | None) -> Iterator[int | None]:
    """A descriptor of the namespace that the kernel gives that number here; without one it is this one."""
    with ExitStack() as stack:
        for path in [Path("/proc/self/ns/net")] if number is None else _namespaces():
            try:
                handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:  # of another user, or gone
                continue
            if number is None or _number(route, handle) == number:
                stack.callback(os.close, handle)
                yield handle
                return
            os.close(handle)
        yield None


def _number(route: Any, handle: int) -> int | None:
    try:
        found: int | None = route.get_netnsid(fd=handle)["nsid"]
    except NetlinkError:
        return None
    return found


def _namespaces() -> Iterator[Path]:
    if _NAMED.is_dir():
        yield from _NAMED.iterdir()
    seen = set()
    for path in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            inode = path.stat().st_ino
        except OSError:
            continue
        if inode not in seen:
            seen.add(inode)
            yield path


def _end(handle: int, index: int) -> FarEnd:
    """An interface of a namespace."""
    with inside(handle), IPRoute() as route:
        link: Any = route.link("get", index=index)[0]
        name: str = link.get_attr("IFLA_IFNAME")
        ethtool: Any = IoctlEthtool(name)
        try:
            on = frozenset(feature for feature, is_on, *_ in ethtool.get_features() if is_on)
        finally:
            ethtool.close()
    return FarEnd(name, on)
