# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's bridge, as a plain learning switch that never speaks itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import DutPort, device, restart

if TYPE_CHECKING:
    from ..namespace import Namespace


@device("bridge")
def build(namespace: Namespace, ports: Sequence[DutPort]) -> None:
    """A bridge over all ports, which forwards from the first moment on."""
    namespace.without_ipv6()
    namespace.bridge("br0", [port.interface for port in ports])


@restart("bridge", "shaper")
def switch(namespace: Namespace, on: bool) -> None:
    """Takes the bridge down, which forgets its addresses, or up again."""
    (namespace.up if on else namespace.down)("br0")
