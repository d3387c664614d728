# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The traffic that fails: its streams, and what can be varied in each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

FRAME_SIZE = "frame size"
STREAM = "stream"


class FrameKind(NamedTuple):
    """Frames that are alike in everything that a diagnosis varies."""

    stream: str  # the stream of the failing traffic that they are made from
    values: tuple[tuple[str, int], ...]  # of each factor of the stream, in its order

    def has(self, factor: str) -> bool:
        """Whether its stream has a factor."""
        return any(name == factor for name, _ in self.values)

    def value(self, factor: str) -> int:
        """The value of a factor that its stream has."""
        return dict(self.values)[factor]

    def changed(self, factor: str, value: int) -> FrameKind:
        """The same kind with another value of one factor."""
        return FrameKind(self.stream, tuple((n, value if n == factor else v) for n, v in self.values))


@dataclass(frozen=True)
class Factor:
    """Something that differs, or may differ, from frame to frame: the frame size or a header field."""

    name: str
    values: Sequence[int]  # that the tester may send, in ascending order
    write: Callable[[int], str] = "{:,}".format  # a value as people read it

    def __contains__(self, value: int) -> bool:
        place = bisect_left(self.values, value)
        return place < len(self.values) and self.values[place] == value

    def index(self, value: int) -> int:
        """The place of a value among those that may be sent."""
        return bisect_left(self.values, value)


@dataclass(frozen=True)
class TrafficStream:
    """One stream of the failing traffic."""

    name: str
    tx: str
    rx: str
    factors: tuple[Factor, ...]
    period: tuple[FrameKind, ...]  # the kinds of its first frames, one after the other
    repeats: bool  # whether the frames after those begin again; if not, they are a sample

    def factor(self, name: str) -> Factor:
        """The factor of that name."""
        return next(factor for factor in self.factors if factor.name == name)

    def matching(self, holds: Callable[[FrameKind], bool], frames: int) -> tuple[int, int]:
        """The fewest and the most of its first frames for which a condition holds."""
        cycles, begun = divmod(frames, len(self.period))
        total = sum(map(holds, self.period))
        exact = cycles * total + sum(map(holds, self.period[:begun]))
        if self.repeats or frames <= len(self.period):
            return exact, exact
        part = total / len(self.period)
        spread = 5 * (frames * max(part * (1 - part), 1 / len(self.period))) ** 0.5
        spread *= 1 + (frames / len(self.period)) ** 0.5
        return max(0, int(exact - spread)), min(frames, int(exact + spread) + 1)


@dataclass(frozen=True)
class FailingTraffic:
    """All streams that are sent together."""

    streams: tuple[TrafficStream, ...]

    def stream(self, name: str) -> TrafficStream:
        """The stream of that name."""
        return next(stream for stream in self.streams if stream.name == name)

    def factor(self, kind: FrameKind, name: str) -> Factor:
        """The factor of a kind's stream."""
        return self.stream(kind.stream).factor(name)

    def moved(self, kind: FrameKind, stream: TrafficStream) -> FrameKind | None:
        """The same values in another stream; None if that stream cannot have them."""
        names = [factor.name for factor in stream.factors]
        if names != [name for name, _ in kind.values]:
            return None
        fits = all(value in factor for factor, (_, value) in zip(stream.factors, kind.values, strict=True))
        return FrameKind(stream.name, kind.values) if fits else None
