# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The IP header of a frame that was recorded, behind any VLAN tags."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_TAGS = (0x8100, 0x88A8)
_IPV4, _IPV6 = 0x0800, 0x86DD
_SHORTEST = 20  # bytes of a header of IPv4
_FIXED = 40  # and of one of IPv6


@dataclass(frozen=True)
class NetworkHeader:
    """Addresses of a packet, and where that begins which it carries."""

    source: bytes
    destination: bytes
    protocol: int
    traffic_class: int  # DSCP and ECN
    begin: int  # of what it carries, in the frame
    length: int  # bytes that it carries by its own word

    def payload(self, octets: bytes) -> bytes:
        """The bytes that it carries, as far as the frame was kept, without padding."""
        return octets[self.begin : self.begin + max(0, self.length)]


def network_of(octets: bytes) -> NetworkHeader | None:
    """The header; None of what is no IP, a fragment but the first one, or cut off within it.

    An IPv6 packet with extension headers has the first of these as its protocol.
    """
    kind, at = _behind_tags(octets)
    ip = octets[at:]
    if kind == _IPV4 and len(ip) >= _SHORTEST:
        header = (ip[0] & 15) * 4
        total, fragment = struct.unpack_from("!2xH2xH", ip)
        if fragment & 0x1FFF:
            return None
        return NetworkHeader(ip[12:16], ip[16:20], ip[9], ip[1], at + header, total - header)
    if kind == _IPV6 and len(ip) >= _FIXED:
        first, length = struct.unpack_from("!IH", ip)
        return NetworkHeader(ip[8:24], ip[24:40], ip[6], first >> 20 & 0xFF, at + _FIXED, length)
    return None


def is_cut_off(octets: bytes) -> bool:
    """Whether a frame that was not kept whole ends before, or within, a header of IP."""
    kind, at = _behind_tags(octets)
    return kind == 0 or len(octets) - at < {_IPV4: _SHORTEST, _IPV6: _FIXED}.get(kind, 0)


def _behind_tags(octets: bytes) -> tuple[int, int]:
    """The type behind any VLAN tags, 0 where a frame is cut off before it, and where what follows begins."""
    at, kind = 14, int.from_bytes(octets[12:14], "big")
    while kind in _TAGS:
        kind = int.from_bytes(octets[at + 2 : at + 4], "big")
        at += 4
    return kind if len(octets) >= at else 0, at
