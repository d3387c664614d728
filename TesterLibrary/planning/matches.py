# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Recognizes frames of a stream without signature by the header bits that all of them share.

Bits that differ from frame to frame are left out, and bits that devices write: MAC addresses behind a router,
traffic classes and hop counts, IPv4 identifications, checksums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from ..errors import PlanError
from ..model.plan.match import Match, exclude
from ..model.plan.plan import PlannedStream
from .template import FrameTemplate

_LONGEST = 64  # bytes of one match
_MOST_BYTES = 128  # bytes of a frame that a tester compares
_CHECKSUMS = ("chksum", "cksum")
_WRITTEN: Mapping[str, tuple[str, ...]] = {  # fields that devices on the way may change
    "Dot1Q": ("prio", "dei"),
    "Dot1AD": ("prio", "dei"),
    "MPLS": ("cos", "ttl"),
    "IP": ("tos", "id", "ttl"),
    "IPv6": ("tc", "fl", "hlim"),
}


def matches(stream: PlannedStream, template: FrameTemplate, *, routed: bool) -> tuple[Match, ...]:
    """Matches that each frame of a planned stream meets, and no frame with other headers.

    Args:
        stream: The stream, with its frames, editors and version.
        template: One of its frames, and the places of the fields in it.
        routed: Whether a router changes the MAC addresses of its frames.

    Raises:
        PlanError: nothing stays the same.
    """
    length = template.payload_offset
    mask = _bits(0, 8 * length, length)
    first = _number(stream.frames[0], length)
    for frame in stream.frames:
        mask &= ~(_number(frame, length) ^ first)
    for offset, bits in (*_changing(stream), *_written(template, routed=routed)):
        mask &= ~_bits(offset, bits, length)
    found = tuple(cut(mask.to_bytes(length, "big"), (first & mask).to_bytes(length, "big")))
    if not found:
        raise PlanError(
            f"stream {stream.name!r}: nothing in its headers is the same in all frames wherever they arrive, "
            "so they are known by a signature only"
        )
    return found


def check_apart(streams: Iterable[PlannedStream]) -> None:
    """PlanError if frames of two streams that are recognized by their headers may be confused."""
    known = [stream for stream in streams if stream.matches]
    for one, other in combinations(known, 2):
        if one.rx_port == other.rx_port and not exclude(one.matches, other.matches):
            raise PlanError(
                f"streams {one.name!r} and {other.name!r} cannot be told apart on port {one.rx_port!r}: they "
                "have no signature, and their headers differ in nothing that stays as it is in all frames; "
                "give one of them other addresses or ports, or a signature"
            )


def _changing(stream: PlannedStream) -> Iterator[tuple[int, int]]:
    """Offsets and lengths, in bits, of the parts that differ from frame to frame."""
    for editor in stream.editors:
        yield editor.bit_offset, editor.bits
    for checksum in stream.checksums:
        yield 8 * checksum.offset, 8 * checksum.size
    if stream.version:
        yield stream.version.bit_offset, 1


def _written(template: FrameTemplate, *, routed: bool) -> Iterator[tuple[int, int]]:
    """Offsets and lengths, in bits, of the fields that devices write."""
    for place in template.places:
        header, field = place.path.header, place.path.field
        moved = routed and place.layer == 0 and (header, field) in (("Ether", "dst"), ("Ether", "src"))
        if moved or field in _CHECKSUMS or field in _WRITTEN.get(header, ()):
            yield place.bit_offset, place.bits


def _number(frame: bytes, length: int) -> int:
    return int.from_bytes(frame[:length], "big")


def _bits(offset: int, bits: int, length: int) -> int:
    """A mask of these bits in headers of `length` bytes; bits beyond them are left out."""
    end = 8 * length - offset - bits
    whole = (1 << bits) - 1
    return whole << end if end >= 0 else whole >> -end


def cut(mask: bytes, value: bytes) -> Iterator[Match]:
    """Matches for the bytes under the mask, at most _MOST_BYTES; none begins or ends with an unused byte."""
    compared = [offset for offset, byte in enumerate(mask) if byte][:_MOST_BYTES]
    while compared:
        begin = compared[0]
        end = max(offset for offset in compared if offset < begin + _LONGEST) + 1
        yield Match(begin, mask[begin:end], value[begin:end])
        compared = [offset for offset in compared if offset >= end]
