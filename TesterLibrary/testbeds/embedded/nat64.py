# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stateful NAT64 of this machine: tayga translates headers, nftables give connections an address and a port.

tayga alone gives each IPv6 host an IPv4 address of a pool and keeps no connections. Behind it the hosts share
the address of the second port, as those of a NAT44 gateway do (RFC 6146).
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import load_nftables, start
from . import DutPort, device, router
from .nat import translate

if TYPE_CHECKING:
    from ..namespace import Namespace

_TUNNEL = "nat64"  # between the kernel and tayga
_POOL = IPv4Network("192.168.0.0/17")  # seen within the device alone
# The well-known prefix 64:ff9b::/96 is not for addresses that are not global (RFC 6052 section 3.1), such as
# those of benchmarks; this one is of the IPv6 addresses for benchmarks (RFC 5180 section 8).
_PREFIX = IPv6Network("2001:2:0:64::/96")
_CONFIGURATION = """\
tun-device {tunnel}
ipv4-addr 192.168.255.1
ipv6-addr 2001:2:0:ff::1
prefix {prefix}
dynamic-pool {pool}
data-dir {folder}
"""
# A checksum that comes to 0 is sent as all ones (RFC 768, RFC 8200 section 8.1). tayga 0.9.2 sends 0, of one
# flow in 65,536 and direction, which in IPv4 says that there is none, and in IPv6 is not allowed.
_RULES = """\
table inet sums {{
  chain translated {{
    type filter hook prerouting priority raw
    iifname {tunnel} udp checksum 0 udp checksum set 0xffff
  }}
}}
"""


@device("nat64")
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
    """IPv6 hosts behind the first port reach IPv4 ones behind the second, by 2001:2:0:64::/96.

    The options are those of `nat.translate`.
    """
    versions = [port.address.version if port.address else None for port in ports[:2]]
    if versions != [6, 4]:
        raise TestbedError(
            "NAT64 needs an IPv6 address and gateway at the first port, and IPv4 at the second"
        )
    router.build(namespace, ports)
    folder = namespace.scratch()
    file = folder / "tayga.conf"
    file.write_text(
        _CONFIGURATION.format(tunnel=_TUNNEL, prefix=_PREFIX, pool=_POOL, folder=folder), encoding="ascii"
    )
    start(
        namespace,
        ["tayga", "--nodetach", "--config", str(file)],
        package="tayga",
        ready=lambda: namespace.has(_TUNNEL),
        how=f"on {_TUNNEL}",
    )
    namespace.up(_TUNNEL)
    load_nftables(namespace, _RULES.format(tunnel=_TUNNEL))
    for network in (_POOL, _PREFIX):
        namespace.route(network, _TUNNEL)
    translate(
        namespace,
        _TUNNEL,
        ports[1],
        connections=connections,
        rate=rate,
        port_range=port_range,
        idle=idle,
        teardown=teardown,
    )
