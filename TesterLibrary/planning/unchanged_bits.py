# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The header bits of a stream's frames that arrive as they were sent, by how the device forwards them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.ports import Forwarding
from .template import FramePlace, FrameTemplate

_TAGS = ("Dot1Q", "Dot1AD")
_ECN_BITS = 2  # the last ones of a traffic class
# Fields of outer headers that a router changes, besides the MAC addresses and the VLAN.
_ROUTED: Mapping[str, tuple[str, ...]] = {
    "IP": ("tos", "ttl", "chksum"),  # a checksum that was given too: a router updates it
    "IPv6": ("tc", "hlim"),
}


def kept_headers(template: FrameTemplate, forwarding: Forwarding) -> bytes:
    """A mask of these bits from the first byte of the frame to the payload; empty if there are none.

    Fields that change from frame to frame are not left out: who compares frames knows them.
    """
    if forwarding is Forwarding.TRANSLATED:
        return b""
    length = 8 * template.payload_offset
    mask = (1 << length) - 1
    for offset, bits in _changed(template, forwarding):
        mask &= ~((1 << bits) - 1 << length - offset - bits)
    return mask.to_bytes(template.payload_offset, "big")


def _changed(template: FrameTemplate, forwarding: Forwarding) -> Iterator[tuple[int, int]]:
    """Offsets and lengths, in bits, of the fields that the device may change."""
    first_ip = next((place.layer for place in template.places if place.path.header in _ROUTED), None)
    for place in template.places:
        header, field = place.path.header, place.path.field
        if header in _TAGS and (first_ip is None or place.layer < first_ip):
            # Priorities follow the device's own queues (IEEE 802.1Q clause 6.9.3).
            if field in ("prio", "dei", "id") or (field == "vlan" and forwarding is Forwarding.ROUTED):
                yield place.bit_offset, place.bits
        elif forwarding is Forwarding.ROUTED and place.layer == 0 and header == "Ether":
            if field in ("dst", "src"):
                yield place.bit_offset, place.bits
        elif place.layer == first_ip:
            yield from _changed_of_ip(template, place, forwarding)


def _changed_of_ip(
    template: FrameTemplate, place: FramePlace, forwarding: Forwarding
) -> Iterator[tuple[int, int]]:
    header, field = place.path.header, place.path.field
    if forwarding is Forwarding.ROUTED:
        # A router may give a flow a label that has none (RFC 6437 section 3).
        if field in _ROUTED[header] or (field == "fl" and not place.of(template.frame)):
            yield place.bit_offset, place.bits
    elif _marks_congestion(template, place.layer):
        # A switch marks packets of transports that know congestion (RFC 3168).
        if field in ("tos", "tc"):
            yield place.bit_offset + place.bits - _ECN_BITS, _ECN_BITS
        elif (header, field) == ("IP", "chksum"):
            yield place.bit_offset, place.bits


def _marks_congestion(template: FrameTemplate, layer: int) -> bool:
    classes = (p for p in template.places if p.layer == layer and p.path.field in ("tos", "tc"))
    return any(place.of(template.frame) & 3 for place in classes)
