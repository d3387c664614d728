# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's IP router between the networks of the ports, IPv4 and IPv6."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Interface, IPv6Interface
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import load_nftables
from . import DutPort, device, restart

if TYPE_CHECKING:
    from ..namespace import Namespace

_HOUR = 3600  # seconds, longer than any trial
# Only the first so many addresses get through to the neighbour table.
_LIMITS = {
    4: """\
table arp neighbours {{
  set known {{ type ipv4_addr; size {most}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    add @known {{ arp saddr ip }} accept
    drop
  }}
}}
""",
    6: """\
table ip6 neighbours {{
  set known {{ type ipv6_addr; size {most}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    icmpv6 type != {{ nd-neighbor-solicit, nd-neighbor-advert }} accept
    add @known {{ ip6 saddr }} accept
    drop
  }}
}}
""",
}


@device("router")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    neighbours: str = "kept",
    unsolicited: bool = False,
    reachable: int | None = None,
    first_probe: int = 1,
    most_neighbours: int | None = None,
) -> None:
    """A router that is the gateway of each port.

    Neighbours that are `kept` are not asked again for longer than a trial. The kernel's own timers (`aged`:
    probe 5 s after first use, forget after half a minute) put frames of its own into trials, and its counters
    no longer agree with ours.

    It takes replies that it has not asked for, and gratuitous ones, if `unsolicited` (of ARP, and
    advertisements, RFC 9131). Neighbours that are `aged` are asked again after so many seconds of `reachable`
    instead of the kernel's 30, once they were in use for `first_probe` seconds more, and are gone three
    seconds later if they do not answer. The machine has one table of them for each IP version, so one such
    device is open at a time (`neighbour_table.py`). `most_neighbours` is a truth to be found.
    """
    addresses = [_address(port) for port in ports]
    versions = {address.version for address in addresses}
    if versions == {4}:
        namespace.without_ipv6()
    for port, address in zip(ports, addresses, strict=True):
        if neighbours == "kept":
            _neighbour_times(namespace, port.interface, reachable=_HOUR, first_probe=_HOUR)
        elif reachable is not None:
            _neighbour_times(namespace, port.interface, reachable=reachable, first_probe=first_probe)
        namespace.sysctl(f"ipv4.conf.{port.interface}.arp_accept", int(unsolicited))
        name = f"ipv6.conf.{port.interface}.accept_untracked_na"
        namespace.sysctl(name, int(unsolicited), optional=True)
        namespace.sysctl(f"ipv4.conf.{port.interface}.send_redirects", 0)
        namespace.address(port.interface, address)
    if most_neighbours is not None:
        load_nftables(namespace, "".join(_LIMITS[v].format(most=most_neighbours) for v in sorted(versions)))
    namespace.sysctl("ipv4.conf.all.send_redirects", 0)
    namespace.sysctl("ipv4.ip_forward", 1)
    namespace.sysctl("ipv6.conf.all.forwarding", 1, optional=True)


@restart("router", "gateway")
def switch(namespace: Namespace, on: bool) -> None:
    """Stops the router from forwarding, or lets it again."""
    namespace.sysctl("ipv4.ip_forward", int(on))
    namespace.sysctl("ipv6.conf.all.forwarding", int(on), optional=True)


def _address(port: DutPort) -> IPv4Interface | IPv6Interface:
    if port.address is None:
        raise TestbedError(
            f"port {port.interface!r}: a router needs the port's address and gateway in the testbed file"
        )
    return port.address


def _neighbour_times(namespace: Namespace, interface: str, *, reachable: int, first_probe: int) -> None:
    """Times in seconds."""
    for family in ("ipv4", "ipv6"):
        for name, value in (
            ("base_reachable_time_ms", reachable * 1000),
            ("delay_first_probe_time", first_probe),
        ):
            namespace.sysctl(f"{family}.neigh.{interface}.{name}", value, optional=True)
