# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers whose place a tester finds by itself in any packet that has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.inline import Part
from .template import FramePlace, FrameTemplate


@dataclass(frozen=True)
class Anchor:
    """A header that is found in any packet that has it."""

    stack: str  # with it as the last header
    part: Part
    ip_version: int = 0
    protocol: int = 0


ANCHORS: Mapping[str, Anchor] = {
    "Ether": Anchor("Ether", Part.FRAME),
    "IP": Anchor("Ether / IP", Part.NETWORK, ip_version=4),
    "IPv6": Anchor("Ether / IPv6", Part.NETWORK, ip_version=6),
    "TCP": Anchor("Ether / IP / TCP", Part.TRANSPORT, protocol=6),
    "UDP": Anchor("Ether / IP / UDP", Part.TRANSPORT, protocol=17),
    "ICMP": Anchor("Ether / IP / ICMP", Part.TRANSPORT, ip_version=4, protocol=1),
    "SCTP": Anchor("Ether / IP / SCTP", Part.TRANSPORT, protocol=132),
}


def bytes_of(place: FramePlace) -> tuple[int, int, bytes]:
    """The first byte of a field in its frame, the byte behind it, and the mask of its bits in between."""
    first, last = place.bit_offset // 8, (place.bit_offset + place.bits - 1) // 8 + 1
    mask = ((1 << place.bits) - 1) << 8 * last - place.bit_offset - place.bits
    return first, last, mask.to_bytes(last - first, "big")


def begin_of(place: FramePlace, template: FrameTemplate) -> int:
    """The first byte of the header that a field is in."""
    return min(other.bit_offset for other in template.places if other.layer == place.layer) // 8
