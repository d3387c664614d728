# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where frames are sent to: gateways, whose MAC addresses were asked for when the tester was opened.

Clients on a port without a gateway ask when they are started.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..errors import Inconclusive
from ..model.ports import Address
from ..model.responder import End
from ..planning.ends import asked_for
from ..targets.base import part_of
from .tester import Tester


def moved_gateways(tester: Tester, ports: Iterable[str]) -> Iterator[str]:
    """The gateways of ports that have another MAC address than frames are sent to, as text for people.

    They are asked now. Whoever does not answer forwards nothing either, which is measured.
    """
    for name in ports:
        before, port = tester.gateways.get(name), tester.ports[name]
        if before is None or port.gateway is None or port.address is None:
            continue
        if another := _another(tester, name, port.gateway, port.address.ip, before):
            yield f"the gateway {port.gateway} of port {name} has {another}"


def moved_next_hop(tester: Tester, end: End, before: bytes) -> str:
    """The gateway, or first target, of clients if it has another MAC address than they send to; or empty."""
    if tester.ports[end.port].gateway:
        return next(moved_gateways(tester, [end.port]), "")
    for station, address in asked_for(end, tester.ports):
        source = station.host(address.version)
        another = _another(tester, station.port.name, address, source, before)
        return f"{address} on port {station.port.name} has {another}" if another else ""
    return ""


def _another(tester: Tester, port: str, address: Address, source: Address, before: bytes) -> str:
    with suppress(Inconclusive):
        now = part_of(tester.target, "frames").resolve(
            port, address, source=source, source_mac=tester.ports[port].mac
        )
        if now != before:
            return f"another MAC address, {now.hex(':')} in place of {before.hex(':')}"
    return ""
