# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of one direction of a TCP connection that did not leave a path, until later segments carry them.

Stacks cut their data anew when they send it again: a part of a segment, or several in one. So a loss is over
when all its sequence numbers have left, in whatever segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...model.heading import Heading
from .segment import Segment, after
from .trace import TracedPacket

_AROUND = 1 << 32
Range = tuple[int, int]  # from the first sequence number to the one behind the last


@dataclass(frozen=True)
class Recovery:
    """A segment that did not leave, and how long it was missing."""

    packet: int  # that did not leave, for the first time
    direction: Heading
    missing_ns: int  # until the last of its bytes had left, or until the trace ended
    recovered: bool


@dataclass
class _Loss:
    packet: TracedPacket
    missing: list[Range]

    def ended(self, at_ns: int, *, recovered: bool) -> Recovery:
        return Recovery(self.packet.number, self.packet.direction, at_ns - self.packet.arrived_ns, recovered)


@dataclass
class MissingBytes:
    """The losses of one direction that are not over, the first one first."""

    _losses: list[_Loss] = field(default_factory=list)
    _acknowledged: int | None = None

    def holds(self, segment: Segment) -> bool:
        """Whether one of the segment's bytes is missing."""
        begin, end = _range(segment)
        return any(
            after(end, first) > 0 and after(behind, begin) > 0
            for loss in self._losses
            for first, behind in loss.missing
        )

    def drop(self, segment: Segment, packet: TracedPacket) -> None:
        """The segment does not leave: its bytes are missing, unless they are already, or are acknowledged."""
        fresh = [_range(segment)]
        for loss in self._losses:
            for known in loss.missing:
                fresh = _without(fresh, known)
        if self._acknowledged is not None:
            fresh = _behind(fresh, self._acknowledged)
        if fresh:
            self._losses.append(_Loss(packet, fresh))

    def leave(self, segment: Segment, at_ns: int) -> Iterator[Recovery]:
        """The segment has left; yields the losses of which nothing is missing any more."""
        carried = _range(segment)
        for loss in self._losses:
            loss.missing = _without(loss.missing, carried)
        yield from self._over(at_ns)

    def acknowledge(self, up_to: int, at_ns: int) -> Iterator[Recovery]:
        """All bytes before this one have arrived; yields the losses that are over."""
        self._acknowledged = up_to
        for loss in self._losses:
            loss.missing = _behind(loss.missing, up_to)
        yield from self._over(at_ns)

    def end(self, at_ns: int) -> Iterator[Recovery]:
        """The trace ends; yields the losses that are not over."""
        losses, self._losses = self._losses, []
        for loss in losses:
            yield loss.ended(at_ns, recovered=False)

    def _over(self, at_ns: int) -> Iterator[Recovery]:
        over = [loss for loss in self._losses if not loss.missing]
        if over:
            self._losses = [loss for loss in self._losses if loss.missing]
        for loss in over:
            yield loss.ended(at_ns, recovered=True)


def _range(segment: Segment) -> Range:
    return segment.sequence, (segment.sequence + segment.numbers) % _AROUND


def _without(ranges: list[Range], taken: Range) -> list[Range]:
    """Ranges less the numbers of another one."""
    left = []
    for begin, end in ranges:
        if after(taken[1], begin) <= 0 or after(end, taken[0]) <= 0:
            left.append((begin, end))
            continue
        if after(taken[0], begin) > 0:
            left.append((begin, taken[0]))
        if after(end, taken[1]) > 0:
            left.append((taken[1], end))
    return left


def _behind(ranges: list[Range], up_to: int) -> list[Range]:
    """Ranges less the numbers before this one."""
    return [
        (begin if after(begin, up_to) > 0 else up_to, end) for begin, end in ranges if after(end, up_to) > 0
    ]
