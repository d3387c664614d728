# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge as a switch: each port sends at a known rate, and its address table is limited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model.units import Duration
from . import DutPort, device, restart, shaper

if TYPE_CHECKING:
    from ..namespace import Namespace


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
) -> None:
    """A shaper that learns `most_addresses` at most, and forgets one that sends nothing after `ageing`.

    It floods frames to addresses that it does not know. The limit counts the addresses of the tester's ports.
    A frame longer than its bucket, `burst` bytes without FCS, is dropped.
    """
    shaper.build(namespace, ports, rate=rate, burst=burst, queue=queue)
    if ageing is not None:
        namespace.ageing("br0", Duration.parse(ageing))
    if most_addresses is not None:
        namespace.most_addresses("br0", most_addresses)


@restart("switch")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, which forgets its addresses, or up again."""
    (namespace.up if on else namespace.down)("br0")
