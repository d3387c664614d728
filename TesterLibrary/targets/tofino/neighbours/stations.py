# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of no test that a switch hands to the driver (p4/controls/forwarding.p4)."""

from __future__ import annotations

from ....planning.switch.chip import PORT_MASK
from ..entries.entry import Masked, TableEntry

_FORWARDING = "ExternalIngress.forwarding"
_EVERY_TYPE = 0xFFFF


def whole_mac(mac: bytes) -> Masked:
    """A match of one address."""
    return Masked(int.from_bytes(mac, "big"), (1 << 48) - 1)


def to_driver(port: int, destination: Masked, ether_type: bytes, cpu_port: int) -> TableEntry:
    """Hands the driver what comes in by a device port for an address, of one type and without a tag."""
    return TableEntry(
        f"external.{_FORWARDING}.stations",
        {
            "ingress_port": Masked(port, PORT_MASK),
            "dst": destination,
            "ether_type": Masked(int.from_bytes(ether_type, "big"), _EVERY_TYPE),
            "$MATCH_PRIORITY": 0,
        },
        f"{_FORWARDING}.send_to_driver",
        {"port": cpu_port},
    )
