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
    ip daddr {address} tcp dport {port} dnat ip to {server}
  }}
}}
"""
# The kernel answers SYNs with cookies and opens the connection to a server itself, once the client has proved
# to be there; so that SYN has to be translated where the machine's own frames leave. Its connection table
# must not take a SYN, nor anything in the middle of a connection, for a new one.
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
# What would be one connection too many in its table is dropped.
_LIMIT = """\
table ip capacity {{
  chain passing {{
    type filter hook forward priority filter
    ct state new ct count over {connections} drop
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
    syn_proxy: bool = False,
    connections: int | None = None,
) -> None:
    """Clients connect to `service`, an address behind the router; servers see the clients' own addresses.

    At most so many `connections` at once, where that is given: a truth to be found.
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
    load_nftables(namespace, rules.format(address=address, port=port, server=server, connections=connections))
    namespace.sysctl("netfilter.nf_conntrack_tcp_loose", 0)
    namespace.sysctl("ipv4.tcp_syncookies", 1)
    namespace.sysctl("ipv4.tcp_timestamps", 1)
