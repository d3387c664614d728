# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames without signature that a device may send back instead of forwarding them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from ..model.plan.match import Match, exclude
from ..model.plan.plan import PlannedStream

_TAGS = (b"\x81\x00", b"\x88\xa8")
_ADDRESSES = {b"\x08\x00": (12, 4), b"\x86\xdd": (8, 16)}  # by EtherType: offset in the header, and bytes
_PORTS = (6, 17, 132)  # protocols that begin with a source port and a destination port


def reflections(streams: Iterable[PlannedStream]) -> Iterator[str]:
    """Why arrivals of a stream may be frames of another one that never passed the device."""
    blind = [stream for stream in streams if stream.matches]
    for sent, expected in permutations(blind, 2):
        if sent.tx_port == expected.rx_port and _looks_alike(sent, expected):
            yield (
                f"frames of {sent.name} that the device sends back to {sent.tx_port} look like those of "
                f"{expected.name}; give one of the streams another UDP or TCP port, or signature=True"
            )


def _looks_alike(sent: PlannedStream, expected: PlannedStream) -> bool:
    """Whether a frame that is sent back may be the other stream's, with its addresses swapped or not."""
    swaps = list(_swaps(sent.frame))
    return any(
        not exclude([_swapped(match, swaps[:count]) for match in _whole(sent)], expected.matches)
        for count in range(len(swaps) + 1)
    )


def _whole(stream: PlannedStream) -> Iterator[Match]:
    """The matches of a stream as one, from the begin of its frames on."""
    length = max(match.offset + len(match.mask) for match in stream.matches)
    mask, value = bytearray(length), bytearray(length)
    for match in stream.matches:
        end = match.offset + len(match.mask)
        mask[match.offset : end], value[match.offset : end] = match.mask, match.value
    yield Match(0, bytes(mask), bytes(value))


def _swapped(match: Match, swaps: Iterable[tuple[int, int]]) -> Match:
    """A match of frames in which such pairs of neighbouring fields have changed places."""
    mask, value = match.mask, match.value
    for offset, size in swaps:
        mask, value = (_exchanged(each, offset, size) for each in (mask, value))
    return Match(0, mask, value)


def _exchanged(octets: bytes, offset: int, size: int) -> bytes:
    whole = octets.ljust(offset + 2 * size, b"\0")
    first, second = whole[offset : offset + size], whole[offset + size : offset + 2 * size]
    return whole[:offset] + second + first + whole[offset + 2 * size :]


def _swaps(frame: bytes) -> Iterator[tuple[int, int]]:
    """Offset and size of both fields of each layer's pair of addresses: MAC, IP, ports."""
    yield 0, 6
    at = 12
    while frame[at : at + 2] in _TAGS:
        at += 4
    kind, at = frame[at : at + 2], at + 2
    if kind not in _ADDRESSES or len(frame) <= at + 40:
        return
    offset, size = _ADDRESSES[kind]
    yield at + offset, size
    is_ipv4 = size == _ADDRESSES[b"\x08\x00"][1]
    protocol = frame[at + 9] if is_ipv4 else frame[at + 6]
    if protocol in _PORTS:
        yield at + (4 * (frame[at] & 0xF) if is_ipv4 else 40), 2
