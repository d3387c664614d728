# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge as a multicast switch: it forwards groups, IPv4 and IPv6, to ports that have joined."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_interface
from pathlib import Path
from typing import TYPE_CHECKING

from ...model.units.units import Duration
from . import DutPort, device, restart, shaper

if TYPE_CHECKING:
    from ..namespace import Namespace

_LAST_MEMBER = "1 s"  # RFC 2236 §8.8
_QUERY, _MEMBERSHIP = "125 s", "260 s"  # RFC 2236 §8.2, §8.4
_QUERIER = ip_interface("fe80::1/64")  # queries of MLD come from a link-local address (RFC 2710 §3)

_JOINED = 2  # all snoopers (RFC 4286), and the solicited-node address of the querier (RFC 4291)


@device("multicast")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    rate: str,
    burst: int,
    queue: int,
    snooping: bool = True,
    most_groups: int | None = None,
    last_member: str = _LAST_MEMBER,
    query: str = _QUERY,
    membership: str = _MEMBERSHIP,
) -> None:
    """A shaper that snoops IGMP and MLD and asks for members itself (RFC 4541), unless `snooping` is off.

    It holds `most_groups` at most: where another one is joined Linux gives up snooping and floods all groups
    until it is restarted. After a leave it asks twice, `last_member` apart, before it stops forwarding to
    that port. It asks all ports every `query`, and forgets after `membership` whom it has not heard.
    """
    shaper.build(namespace, ports, rate=rate, burst=burst, queue=queue)
    if not snooping:
        return
    joined = _speak_ipv6(namespace)
    namespace.snooping(
        "br0",
        last_member=Duration.parse(last_member),
        query=Duration.parse(query),
        membership=Duration.parse(membership),
        most_groups=None if most_groups is None else most_groups + joined,
    )


@restart("multicast")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, which forgets all groups, or up again with snooping."""
    if on:
        namespace.up("br0")
        _speak_ipv6(namespace)
        namespace.snoop("br0")
    else:
        namespace.down("br0")


def _speak_ipv6(namespace: Namespace) -> int:
    """Gives the bridge an address, which goes with its link: without, it floods IPv6 for half a minute.

    Returns:
        The number of groups that the bridge itself joins, which are in its table, too.
    """
    if not Path("/proc/sys/net/ipv6").exists():
        return 0
    namespace.sysctl("ipv6.conf.br0.addr_gen_mode", 1)  # no other address than this one
    namespace.sysctl("ipv6.conf.br0.disable_ipv6", 0)
    namespace.address("br0", _QUERIER)
    return _JOINED
