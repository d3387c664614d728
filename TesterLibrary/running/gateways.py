# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Gateways of the tester's ports, whose MAC addresses were asked for when it was opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..errors import Inconclusive
from .tester import Tester


def moved_gateways(tester: Tester, ports: Iterable[str]) -> Iterator[str]:
    """The gateways of ports that have another MAC address than frames are sent to, as text for people.

    They are asked now. Whoever does not answer forwards nothing either, which is measured.
    """
    for name in ports:
        before, port = tester.gateways.get(name), tester.ports[name]
        if before is None or port.gateway is None or port.address is None:
            continue
        with suppress(Inconclusive):
            now = tester.target.resolve(name, port.gateway, source=port.address.ip, source_mac=port.mac)
            if now != before:
                yield (
                    f"the gateway {port.gateway} of port {name} has another MAC address, {now.hex(':')} in "
                    f"place of {before.hex(':')}"
                )
