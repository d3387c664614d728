# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A port of the tester as the planner sees it: name, speed and who it is on the network."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface

from .units.units import Bandwidth

Interface = IPv4Interface | IPv6Interface
Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Port:
    """One port of the tester.

    With a `gateway` the device under test routes: frames go to the gateway's MAC address.
    Without, it bridges: frames go straight to the MAC address of the port they are meant for.
    """

    name: str
    speed: Bandwidth
    mac: bytes  # 6 bytes
    max_frame_size: int  # bytes, FCS included
    address: Interface | None = None
    gateway: Address | None = None

    @property
    def link_local(self) -> IPv6Address:
        """Its link-local address, made of its MAC address (RFC 4291, appendix A)."""
        octets = bytes([self.mac[0] ^ 2]) + self.mac[1:3] + b"\xff\xfe" + self.mac[3:]
        return IPv6Address(b"\xfe\x80" + bytes(6) + octets)


class Forwarding(Enum):
    """How a device forwards frames, and so the changes of headers that it may make.

    Each may add and remove VLAN tags and padding.
    """

    BRIDGED = "bridged"  # nothing else
    # Change MAC addresses, VLANs, hop counts and traffic classes.
    ROUTED = "routed"
    # Change, add and remove headers, as NAT, load balancers and gateways of tunnels do.
    TRANSLATED = "translated"
