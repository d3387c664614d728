# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lost frames of a stream in a capture: their numbers, and the frames around the first of them.

A frame that a capture has not is not always lost: a filter may hide it, or the capture ended while it was on
its way. So what is missing in the capture is held against what the trial has counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..capture import CapturedFrame
from ..captured_frames import CapturedFrames, frames_of

if TYPE_CHECKING:
    import numpy as np

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
    sent: np.ndarray[Any, Any], arrived: np.ndarray[Any, Any], lost: int, *, to_the_end: bool = True
) -> LostFrames:
    """Finds the lost frames of a stream in a capture that has dropped none.

    Args:
        sent: The numbers of all frames of one stream, in one trial, that the capture has seen leave.
        arrived: Of those that it has seen arrive where they were expected.
        lost: How many the trial has lost.
        to_the_end: Whether the capture has gone on until nothing arrived any more.
    """
    import numpy as np

    arrived = np.unique(arrived)
    missing = arrived[:0]
    if len(sent):
        missing = np.setdiff1d(sent, arrived)
        if len(missing) != lost or not to_the_end:  # the last ones may have been on their way
            missing = missing[missing < (arrived[-1] if len(arrived) else 0)]
    elif len(arrived) and arrived[-1] - arrived[0] + 1 - len(arrived) <= lost:
        missing = np.setdiff1d(np.arange(arrived[0], arrived[-1]), arrived)
    # More than were lost: the capture has not seen all arrivals, so nobody knows which were lost.
    return LostFrames(tuple(missing.tolist()) if len(missing) <= lost else (), lost)


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


def near(frames: Iterable[CapturedFrames], gaps: Iterable[tuple[int, int]]) -> list[CapturedFrame]:
    """The frames of a stream around any of some gaps, each once."""
    import numpy as np

    wanted = [number for gap in gaps for number in numbers_around(gap)]
    return list(frames_of(batch.part(np.isin(batch.facts["sequence"], wanted)) for batch in frames))


def around(frames: Iterable[CapturedFrame], gap: tuple[int, int]) -> list[CapturedFrame]:
    """The frames of a stream at the ends of a gap, before it and behind it."""
    wanted = set(numbers_around(gap))
    return [frame for frame in frames if frame.sequence in wanted]
