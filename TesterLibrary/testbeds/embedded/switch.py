# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge as a switch: each port sends at a known rate, and its address table is limited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model.units.units import Duration
from ..programs import load_nftables
from . import DutPort, device, restart, shaper

if TYPE_CHECKING:
    from ..namespace import Namespace

_BESIDE = 18  # bytes of a frame that are no part of its packet: Ethernet header and FCS
# The MTU of an interface would let frames pass that are longer by a tag, and have the tester's own interface
# count what is refused.
_LONGEST = """\
table netdev longest {{
  chain arriving {{
    type filter hook ingress devices = {{ {interfaces} }} priority 0
    meta length > {packet} drop
  }}
}}
"""


@device("switch")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    rate: str,
    burst: int,
    queue: int,
    most_addresses: int | None = None,
    ageing: str | None = None,
    longest: int | None = None,
) -> None:
    """A shaper that learns `most_addresses` at most, and forgets one that sends nothing after `ageing`.

    It floods frames to addresses that it does not know. The limit counts the addresses of the tester's ports.
    A frame longer than its bucket, `burst` bytes without FCS, is dropped; so is one of more than `longest`
    bytes with FCS as it comes in.
    """
    shaper.build(namespace, ports, rate=rate, burst=burst, queue=queue)
    if longest is not None:
        arriving = ", ".join(port.interface for port in ports)
        load_nftables(namespace, _LONGEST.format(interfaces=arriving, packet=longest - _BESIDE))
    if ageing is not None:
        namespace.ageing("br0", Duration.parse(ageing))
    if most_addresses is not None:
        namespace.most_addresses("br0", most_addresses)


@restart("switch")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, which forgets its addresses, or up again."""
    (namespace.up if on else namespace.down)("br0")
