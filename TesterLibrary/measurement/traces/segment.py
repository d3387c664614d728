# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Segments of TCP in frames that were recorded, read from their first bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

from .network_header import network_of

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
_TCP = 6
_SHORTEST = 20  # bytes of a header of TCP
_END, _PADDING, _SACK = 0, 1, 5
_AROUND = 1 << 32

End = tuple[bytes, int]  # address and port


@dataclass(frozen=True)
class Segment:
    """A segment of TCP."""

    source: End
    destination: End
    sequence: int
    acknowledged: int
    flags: int
    window: int
    payload: int  # bytes
    options: bytes

    @property
    def numbers(self) -> int:
        """How many sequence numbers it takes: payload, SYN and FIN."""
        return self.payload + bool(self.flags & SYN) + bool(self.flags & FIN)

    @cached_property
    def sack(self) -> tuple[tuple[int, int], ...]:
        """Blocks of its SACK option, each from its first sequence number to the one behind it."""
        at = 0
        while at + 1 < len(self.options) and self.options[at] != _END:
            if self.options[at] == _PADDING:
                at += 1
                continue
            length = self.options[at + 1]
            if self.options[at] == _SACK:
                body = self.options[at + 2 : at + length]
                return tuple(struct.iter_unpack("!II", body[: len(body) // 8 * 8]))
            at += max(length, 2)
        return ()


def after(one: int, other: int) -> int:
    """How far a sequence number lies behind another one; negative, if it lies before it."""
    return (one - other + _AROUND // 2) % _AROUND - _AROUND // 2


def segment_of(octets: bytes) -> Segment | None:
    """The segment in a frame; None where it has none, or is cut off before the end of its header."""
    network = network_of(octets)
    if network is None or network.protocol != _TCP:
        return None
    tcp = network.payload(octets)
    if len(tcp) < _SHORTEST:
        return None
    sport, dport, sequence, acknowledged, flags, window = struct.unpack_from("!HHIIHH", tcp)
    header = (flags >> 12) * 4
    return Segment(
        (network.source, sport),
        (network.destination, dport),
        sequence,
        acknowledged,
        flags & 0x1FF,
        window,
        max(network.length - header, 0),
        tcp[_SHORTEST:header],
    )
