# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge as a multicast switch: it forwards groups to the ports that have joined them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model.units import Duration
from . import DutPort, device, restart, shaper

if TYPE_CHECKING:
    from ..namespace import Namespace

_LAST_MEMBER = "1 s"  # RFC 2236 §8.8


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
) -> None:
    """A shaper that snoops IGMP and asks for members itself (RFC 4541), unless `snooping` is off.

    It holds `most_groups` at most: where another one is joined Linux gives up snooping and floods all groups
    until it is restarted. After a leave it asks twice, `last_member` apart, before it stops forwarding.
    """
    shaper.build(namespace, ports, rate=rate, burst=burst, queue=queue)
    if snooping:
        namespace.snooping("br0", last_member=Duration.parse(last_member), most_groups=most_groups)


@restart("multicast")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, which forgets all groups, or up again with snooping."""
    if on:
        namespace.up("br0")
        namespace.snoop("br0")
    else:
        namespace.down("br0")
