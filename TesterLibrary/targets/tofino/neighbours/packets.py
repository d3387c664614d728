# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets that the driver sends to the switch's CPU port, with the header cpu_h (p4/include/headers.p4)."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ....planning.switch.chip import PORT_MASK
from ..entries.entry import Masked, TableEntry

_FORWARDING = "ExternalIngress.forwarding"
_EVERY_TYPE = 0xFFFF

_FORWARDED, _TEMPLATE = 0, 1  # kind_t


@dataclass(frozen=True)
class TemplatePacket:
    """A packet that loops; it is sent `count` times when a job is loaded."""

    octets: bytes  # with its header
    count: int

    @property
    def template(self) -> int:
        """The number of its template."""
        return self.octets[2]


def template_packet(frame: bytes, template: int, link: int, loopback: int) -> bytes:
    """A packet whose frame begins to loop in a device port."""
    return _header(_TEMPLATE, link, template, loopback) + frame


def injected(frame: bytes, port: int) -> bytes:
    """A packet whose frame leaves by a device port as it is, padded to the shortest frame."""
    return _header(_FORWARDED, 0, 0, port) + frame.ljust(MIN_FRAME_SIZE - FCS_LENGTH, b"\0")


def arrived(octets: bytes) -> tuple[int, bytes]:
    """The device port and the frame of a packet that the switch has sent to the driver."""
    return int.from_bytes(octets[3:5], "big") & PORT_MASK, octets[5:]


def _header(kind: int, link: int, template: int, port: int) -> bytes:
    return bytes((kind, link, template)) + port.to_bytes(2, "big")


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
