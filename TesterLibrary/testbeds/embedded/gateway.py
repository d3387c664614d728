# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's layer-4 gateway: a router whose nftables share connections out among servers."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..programs import load_nftables
from . import DutPort, device, router

if TYPE_CHECKING:
    from ..namespace import Namespace

# New connections go round the servers; the rest of a connection follows its entry in the connection table.
_RULES = """\
table ip gateway {{
  chain arriving {{
    type nat hook prerouting priority dstnat
    ip daddr {address} {protocol} dport {port} dnat ip to {server}
  }}
}}
"""
# The kernel answers SYNs with cookies, and opens the connection to a server itself once the client has
# answered. That second SYN has to be translated where the machine's own frames leave. The connection table
# must not take a client's SYN, nor a segment in the middle of a connection, for a new connection.
_SYN_PROXY = """\
table ip syn_proxy {{
  chain untracked {{
    type filter hook prerouting priority raw
    ip daddr {address} tcp dport {port} tcp flags & (fin|syn|rst|ack) == syn notrack
  }}
  chain proxied {{
    type filter hook input priority filter
    ip daddr {address} tcp dport {port} ct state invalid,untracked \\
      synproxy mss 1460 wscale 7 timestamp sack-perm
    ct state invalid drop
  }}
  chain opened {{
    type nat hook output priority -100
    ip daddr {address} tcp dport {port} dnat ip to {server}
  }}
}}
"""
# A connection that does not fit its table is dropped.
_LIMIT = """\
table ip capacity {{
  chain passing {{
    type filter hook forward priority filter
    ct state new ct count over {connections} drop
  }}
}}
"""
# Some devices strip these options of SYNs in order to "protect" servers behind them.
_STRIP = """\
table ip stripping {{
  chain opening {{
    type filter hook forward priority mangle
    tcp flags syn / syn,ack reset tcp option {strips}
  }}
}}
"""


@device("gateway")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    service: str,
    servers: Sequence[str],
    protocol: str = "tcp",
    syn_proxy: bool = False,
    connections: int | None = None,
    idle: int | None = None,
    strips: str | None = None,
) -> None:
    """Clients connect to `service`, an address behind the router; servers see the clients' own addresses.

    What is given besides is a truth to be found: `connections` are the most at once, `idle` is the seconds of
    silence after which a server of UDP is forgotten, `strips` is an option taken out of SYNs (nft's name).
    """
    router.build(namespace, ports)
    address, _, port = service.partition(":")
    targets = (server.partition(":") for server in servers)
    choices = ", ".join(f"{number} : {ip} . {to}" for number, (ip, _, to) in enumerate(targets))
    server = f"numgen inc mod {len(servers)} map {{ {choices} }}"
    rules = _RULES
    if syn_proxy:
        rules += _SYN_PROXY
        namespace.address("lo", ipaddress.ip_interface(f"{address}/32"))
        namespace.up("lo")
    if connections is not None:
        rules += _LIMIT
    if strips is not None:
        rules += _STRIP
    load_nftables(
        namespace,
        rules.format(
            address=address,
            port=port,
            protocol=protocol,
            server=server,
            connections=connections,
            strips=strips,
        ),
    )
    if idle is not None:
        for name in ("udp_timeout", "udp_timeout_stream"):
            namespace.sysctl(f"netfilter.nf_conntrack_{name}", idle)
    namespace.sysctl("netfilter.nf_conntrack_tcp_loose", 0)
    namespace.sysctl("ipv4.tcp_syncookies", 1)
    namespace.sysctl("ipv4.tcp_timestamps", 1)
