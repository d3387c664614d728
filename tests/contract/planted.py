# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bridge behind a fake switch that does something to frames of one size by their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from TesterLibrary.targets.tofino.fake import Bridge

_LOOP_NS = 10**7


@dataclass
class Planted(Bridge):
    """Numbers are from 0 on."""

    octets: int = 124  # of a frame without FCS; others pass as they are
    copies: dict[int, int] = field(default_factory=dict)  # how often a frame leaves; 0: it is lost
    delayed_ns: dict[int, int] = field(default_factory=dict)
    damaged: frozenset[int] = frozenset()  # frames whose last byte arrives as another one
    returned: frozenset[int] = frozenset()  # frames that leave where they came from
    loops: dict[int, int] = field(default_factory=dict)  # how often a frame comes again, every 10 ms
    seen: int = 0

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        found = list(super().forward(port, frame, now_ns, others))
        if len(frame) != self.octets:
            yield from found
            return
        number, self.seen = self.seen, self.seen + 1
        for at_ns, out, octets in found:
            arrives = octets[:-1] + bytes([octets[-1] ^ 1]) if number in self.damaged else octets
            leaves = port if number in self.returned else out
            for _ in range(self.copies.get(number, 1)):
                yield at_ns + self.delayed_ns.get(number, 0), leaves, arrives
            for again in range(1, 1 + self.loops.get(number, 0)):
                yield at_ns + again * _LOOP_NS, leaves, arrives
