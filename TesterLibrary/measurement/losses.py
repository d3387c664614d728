# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lost frames of a stream in a capture: their numbers, and the frames around the first of them.

A frame that a capture has not is not always lost: a filter may hide it, or the capture ended while it was on
its way. So what is missing in the capture is held against what the trial has counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from .capture import CapturedFrame

CONTEXT = 5  # frames before a loss, and after it


@dataclass(frozen=True)
class LostFrames:
    """The numbers of frames of a stream that left and never arrived."""

    sequences: tuple[int, ...] = ()  # ascending
    lost: int = 0  # as the trial has counted

    @property
    def gaps(self) -> tuple[tuple[int, int], ...]:
        """The first and the last number of each series of frames that are lost one after the other."""
        first = [s for before, s in pairwise((-2, *self.sequences)) if s != before + 1]
        last = [s for s, after in pairwise((*self.sequences, -2)) if after != s + 1]
        return tuple(zip(first, last, strict=True))


def lost_frames(
    frames: Iterable[CapturedFrame], rx_port: str, lost: int, *, to_the_end: bool = True
) -> LostFrames:
    """Finds the lost frames of a stream in a capture that has dropped none.

    Args:
        frames: All frames of one stream, in one trial, that the capture has.
        rx_port: Where they were expected.
        lost: How many the trial has lost.
        to_the_end: Whether the capture has gone on until nothing arrived any more.
    """
    sent: set[int] = set()
    arrived: set[int] = set()
    for frame in frames:
        if frame.sequence is not None:
            if frame.transmitted:
                sent.add(frame.sequence)
            elif frame.port == rx_port:
                arrived.add(frame.sequence)
    if sent:
        missing = sorted(sent - arrived)
        if len(missing) != lost or not to_the_end:  # the last ones may have been on their way
            missing = missing[: bisect_left(missing, max(arrived, default=0))]
    elif arrived and max(arrived) - min(arrived) + 1 - len(arrived) <= lost:
        missing = sorted(set(range(min(arrived), max(arrived))) - arrived)
    else:
        missing = []
    # More than were lost: the capture has not seen all arrivals, so nobody knows which were lost.
    return LostFrames(tuple(missing) if len(missing) <= lost else (), lost)


def ends(gap: tuple[int, int]) -> list[int]:
    """The numbers of a gap; of a long one the first and the last few."""
    first, last = gap
    return sorted(
        {*range(first, min(first + CONTEXT, last + 1)), *range(max(first, last + 1 - CONTEXT), last + 1)}
    )


def numbers_around(gap: tuple[int, int]) -> list[int]:
    """The numbers of a gap, with a few before it and behind it."""
    first, last = gap
    return [*range(first - CONTEXT, first), *ends(gap), *range(last + 1, last + 1 + CONTEXT)]


def around(frames: Iterable[CapturedFrame], gap: tuple[int, int]) -> list[CapturedFrame]:
    """The frames of a stream at the ends of a gap, before it and behind it."""
    wanted = set(numbers_around(gap))
    return [frame for frame in frames if frame.sequence in wanted]
