# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams whose five-tuples change from frame to frame."""

from __future__ import annotations

from dataclasses import replace

from TesterLibrary.model.plan.edit import Checksum, ChecksumKind, Coverage, PlannedEditor, RandomRange, Step
from TesterLibrary.model.plan.plan import PlannedStream, Version

from ..senders.engine import stream

_SOURCE_MAC, _ETHER_TYPE = 10, 12  # bytes into the frame; of the address, its last two
_IDENTIFICATION, _IP_CHECKSUM, _SOURCE, _DESTINATION = 18, 24, 26, 30
_SOURCE_PORT, _DESTINATION_PORT, _UDP_CHECKSUM = 34, 36, 40
_PAYLOAD = 42
_CHECKSUMS = (
    Checksum(ChecksumKind.INTERNET, _IP_CHECKSUM),
    Checksum(ChecksumKind.INTERNET_NOT_ZERO, _UDP_CHECKSUM),
)
_IN_BOTH = (Coverage(0, 1), Coverage(1, 1))
_IN_UDP = (Coverage(1, 1),)
_FIELDS = (
    ("IP.src", _SOURCE, 32, 0xC6120001, _IN_BOTH),
    ("IP.dst", _DESTINATION, 32, 0xC6130001, _IN_BOTH),
    ("UDP.sport", _SOURCE_PORT, 16, 1024, _IN_UDP),
    ("UDP.dport", _DESTINATION_PORT, 16, 1024, _IN_UDP),
)
# No two have a common factor: more than 4e9 flows, and every field changes with every frame.
_TOGETHER = (251, 253, 255, 256)


def five_tuple() -> PlannedStream:
    """Addresses and ports change with every frame."""
    return _edited([(1, count) for count in _TOGETHER])


def five_tuple_measured(*, headers_checked: bool) -> PlannedStream:
    """The same, with signatures, over a device that changes nothing.

    Another field is written with what is there already. Where that is the EtherType, the receiver cannot know
    what the headers are, and compares the payload only; a MAC address costs the sender as much.

    Args:
        headers_checked: Whether the receiver looks at headers.
    """
    edited = five_tuple()
    place = _SOURCE_MAC if headers_checked else _ETHER_TYPE
    there = Step(int.from_bytes(edited.frame[place : place + 2], "big"), 0, 1)
    return replace(
        edited,
        signature=True,
        editors=(*edited.editors, PlannedEditor("Ether", 8 * place, 16, 1, there)),
        payload_offset=_PAYLOAD,
        kept_headers=b"\xff" * _PAYLOAD if headers_checked else b"",
    )


def flows(number: int) -> PlannedStream:
    """A stream of so many flows, a power of a thousand: the destination moves when the source has wrapped."""
    per_field = 1 if number == 1 else 1000
    if per_field**2 != number:
        raise ValueError(f"{number} flows; 1 or 1,000,000")
    return _edited([(1, per_field), (per_field, per_field), (1, 1), (1, 1)])


def random_flows() -> PlannedStream:
    """A stream of the same million flows, in random order."""
    return _edited([(1, 1000), (1, 1000), (1, 1), (1, 1)], drawn=True)


def _edited(steps: list[tuple[int, int]], *, drawn: bool = False) -> PlannedStream:
    """Steps through (every, count) values of each field, with version bit and checksums; or draws one."""
    editors = tuple(
        PlannedEditor(
            name,
            8 * byte,
            bits,
            every,
            RandomRange(byte, first, count) if drawn else Step(first, 1, count),
            coverage,
        )
        for (name, byte, bits, first, coverage), (every, count) in zip(_FIELDS, steps, strict=True)
    )
    version = Version(8 * _IDENTIFICATION, (Coverage(0, 1),))
    return replace(stream(), editors=editors, checksums=_CHECKSUMS, version=version)
