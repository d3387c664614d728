# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's IP router between the networks of the ports, IPv4 and IPv6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ..programs import load_nftables
from . import DutPort, device, restart

if TYPE_CHECKING:
    from ..namespace import Namespace

_HOUR = 3600  # seconds, longer than any trial
# Only the first so many addresses get through to the neighbour table.
_LIMIT = """\
table arp neighbours {{
  set known {{ type ipv4_addr; size {most}; flags dynamic; }}
  chain heard {{
    type filter hook input priority filter
    add @known {{ arp saddr ip }} accept
    drop
  }}
}}
"""


@device("router")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    neighbours: str = "kept",
    unsolicited: bool = False,
    reachable: int | None = None,
    most_neighbours: int | None = None,
) -> None:
    """A router that is the gateway of each port.

    Neighbours that are `kept` are not asked again for longer than a trial. The kernel's own timers (`aged`:
    probe 5 s after first use, forget after half a minute) put frames of its own into trials, and its counters
    no longer agree with ours.

    It takes ARP replies that it has not asked for, and gratuitous ARP, if `unsolicited`. Neighbours that are
    `aged` are asked again after so many seconds of `reachable` instead of the kernel's 30, and are gone four
    seconds later if they do not answer. The machine has one table of them, so one such device is open at a
    time (`neighbour_table.py`). `most_neighbours` is a truth to be found.
    """
    for port in ports:
        if port.address is None:
            raise TestbedError(
                f"port {port.interface!r}: a router needs the port's address and gateway in the testbed file"
            )
    if all(port.address and port.address.version == 4 for port in ports):
        namespace.without_ipv6()
    for port in ports:
        if neighbours == "kept":
            _keep_neighbours(namespace, port.interface)
        elif reachable is not None:
            namespace.sysctl(f"ipv4.neigh.{port.interface}.base_reachable_time_ms", reachable * 1000)
            namespace.sysctl(f"ipv4.neigh.{port.interface}.delay_first_probe_time", 1)
        namespace.sysctl(f"ipv4.conf.{port.interface}.arp_accept", int(unsolicited))
        namespace.sysctl(f"ipv4.conf.{port.interface}.send_redirects", 0)
        assert port.address is not None
        namespace.address(port.interface, port.address)
    if most_neighbours is not None:
        load_nftables(namespace, _LIMIT.format(most=most_neighbours))
    namespace.sysctl("ipv4.conf.all.send_redirects", 0)
    namespace.sysctl("ipv4.ip_forward", 1)
    namespace.sysctl("ipv6.conf.all.forwarding", 1, optional=True)


@restart("router", "gateway")
def switch(namespace: Namespace, on: bool) -> None:
    """Stops the router from forwarding, or lets it again."""
    namespace.sysctl("ipv4.ip_forward", int(on))
    namespace.sysctl("ipv6.conf.all.forwarding", int(on), optional=True)


def _keep_neighbours(namespace: Namespace, interface: str) -> None:
    for family in ("ipv4", "ipv6"):
        for name, value in (("base_reachable_time_ms", _HOUR * 1000), ("delay_first_probe_time", _HOUR)):
            namespace.sysctl(f"{family}.neigh.{interface}.{name}", value, optional=True)
