# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge between one port and tunnels over the others: a multicast device that encapsulates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import TestbedError
from ...model.units.units import Bandwidth
from . import DutPort, device, restart

if TYPE_CHECKING:
    from ..namespace import Namespace


@device("tunnels")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    networks: Mapping[str, int],
    peers: Mapping[str, str],
    rate: str | None = None,
    burst: int = 6000,
    queue: int = 12000,
) -> None:
    """Frames are bridged, and groups flooded; on ports with a tunnel they are in headers of VXLAN.

    `networks`: the VNI of each port that has a tunnel; `peers`: the address of its other end. With a `rate`
    each port sends no faster than a bucket of tokens allows: a truth to be found.
    """
    namespace.without_ipv6()
    members = []
    for port in ports:
        network = networks.get(port.interface)
        if network is None:
            members.append(port.interface)
            continue
        if port.address is None or port.interface not in peers:
            raise TestbedError(
                f"port {port.interface!r}: a tunnel needs an address and gateway of the port in the file, "
                "and its other end in peers"
            )
        namespace.address(port.interface, port.address)
        name = f"t-{port.interface}"
        namespace.vxlan(name, network, local=str(port.address.ip), remote=peers[port.interface])
        members.append(name)
    namespace.bridge("br0", members)
    for port in ports if rate is not None else ():
        namespace.token_bucket(port.interface, Bandwidth.parse(str(rate)).bps, burst, queue)


@restart("tunnels")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, or up again."""
    (namespace.up if on else namespace.down)("br0")
