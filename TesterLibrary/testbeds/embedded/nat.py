# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's NAT44 gateway: a router whose nftables give connections another source address and port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import load_nftables
from . import DutPort, device, restart, router

if TYPE_CHECKING:
    from ..namespace import Namespace

# Ports are given at random: those of the inside would tell nothing about whether they are translated. What
# comes for a connection that is gone is for the gateway itself, and is not to fill its table.
_RULES = """\
table ip translation {{
  chain leaving {{
    type nat hook postrouting priority srcnat
    iifname {inside} oifname {outside} ip protocol {{ tcp, udp }} snat ip to {address}:{ports} random
  }}
  chain outside {{
    type filter hook forward priority filter
    iifname {outside} ct state new,invalid drop
    {rate}
    {connections}
    {teardown}
  }}
  chain itself {{
    type filter hook input priority filter
    iifname {outside} meta l4proto {{ tcp, udp }} ct state new drop
  }}
}}
"""
# A connection beyond either is dropped, and has no entry then.
_CONNECTIONS = "iifname {inside} ct state new ct count over {connections} drop"
_RATE = "iifname {inside} ct state new limit rate over {rate}/second burst {burst} packets drop"
# The table is deleted in so many parts.
_MARKS = 10
_TEARDOWN = "iifname {inside} ct state new ct mark set numgen inc mod {marks} offset 1"

_teardowns: dict[Namespace, int] = {}  # of the devices that delete slowly


@device("nat")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    connections: int | None = None,
    rate: int | None = None,
    port_range: str = "1024-65535",
    idle: int | None = None,
    teardown: int | None = None,
) -> None:
    """Connections from behind the first port have the device's address before the second one.

    The options are those of `translate`.
    """
    router.build(namespace, ports)
    inside, outside = ports[0].interface, ports[1]
    translate(
        namespace,
        inside,
        outside,
        connections=connections,
        rate=rate,
        port_range=port_range,
        idle=idle,
        teardown=teardown,
    )


def translate(
    namespace: Namespace,
    inside: str,
    outside: DutPort,
    *,
    connections: int | None,
    rate: int | None,
    port_range: str,
    idle: int | None,
    teardown: int | None,
) -> None:
    """Gives what an interface forwards to a port the port's address, and a port at random.

    All options are truths to be found: `connections` are the most at once, `rate` those that are opened each
    second, `port_range` has the ports of its own address, after `idle` seconds of silence a connection of
    UDP is forgotten, and `teardown` are those that are deleted each second when a restart empties the table.
    """
    if teardown is not None:
        _teardowns[namespace] = teardown
    if outside.address is None:
        raise TestbedError(
            f"port {outside.interface!r}: a gateway needs the port's address in the testbed file"
        )
    limits = {
        "connections": "" if connections is None else _CONNECTIONS,
        "rate": "" if rate is None else _RATE,
        "teardown": "" if teardown is None else _TEARDOWN,
    }
    given = {"inside": inside, "outside": outside.interface}
    # A hundredth of a second may come at once: the kernel sees frames in bursts.
    values = {
        "connections": connections,
        "rate": rate,
        "burst": max(5, (rate or 0) // 100),
        "marks": _MARKS,
    }
    rules = {name: text.format(**given, **values) for name, text in limits.items()}
    load_nftables(namespace, _RULES.format(**given, **rules, address=outside.address.ip, ports=port_range))
    if idle is not None:
        for name in ("udp_timeout", "udp_timeout_stream"):
            namespace.sysctl(f"netfilter.nf_conntrack_{name}", idle)
    namespace.sysctl("netfilter.nf_conntrack_tcp_loose", 0)


@restart("nat", "nat64")
def switch(namespace: Namespace, on: bool) -> None:
    """Forgets all connections and forwards nothing, or forwards again."""
    router.switch(namespace, on)
    if not on:
        if namespace in _teardowns:
            namespace.forget_marked(_MARKS, _teardowns[namespace])
        namespace.forget_connections()
