# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bridge whose ports send no faster than a token bucket allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...model.units.units import Bandwidth
from . import DutPort, bridge, device

if TYPE_CHECKING:
    from ..namespace import Namespace


@device("shaper")
def build(namespace: Namespace, ports: Sequence[DutPort], *, rate: str, burst: int, queue: int) -> None:
    """Each port: a bucket of `burst` bytes filled at `rate`, and at most `queue` bytes that wait for it.

    What finds the queue full is lost. The kernel's bucket counts a frame without its FCS.
    """
    bridge.build(namespace, ports)
    for port in ports:
        namespace.token_bucket(port.interface, Bandwidth.parse(rate).bps, burst, queue)
