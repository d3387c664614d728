# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames around the first losses that a capture has seen, for Robot's log and Allure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ...measurement.capture import CapturedFrame
from ...measurement.captured_frames import CapturedFrames
from ...measurement.traces.losses import LostFrames, around, ends, near, numbers_around
from ...model.units.units import FCS_LENGTH
from ..pages.render import render
from ..record.trial_part import TrialPart

MOST_LOSSES = 3  # of one capture; a series of frames is one loss
MOST_EXCERPTS = 10  # of one test
_MOST_FRAMES = 100  # around one loss: a device that repeats frames has no end of them


@dataclass(frozen=True)
class ExcerptRow:
    """A frame where it left and where it arrived, as far as that was captured."""

    sequence: int
    zero_ns: int  # the time from which its times are counted
    sent: CapturedFrame | None
    arrivals: tuple[CapturedFrame, ...]
    is_lost: bool

    @property
    def sent_ns(self) -> int | None:
        """When it left."""
        return None if self.sent is None else self.after(self.sent)

    @property
    def latency_ns(self) -> int | None:
        """From its departure to its first arrival."""
        return self.arrivals[0].time_ns - self.sent.time_ns if self.sent and self.arrivals else None

    @property
    def size(self) -> int | None:
        """Bytes with FCS."""
        seen = next(filter(None, (self.sent, *self.arrivals)), None)
        return None if seen is None else seen.original_length + FCS_LENGTH

    def after(self, frame: CapturedFrame) -> int:
        """The time of a frame."""
        return frame.time_ns - self.zero_ns


@dataclass(frozen=True)
class Loss:
    """Frames that were lost one after the other, with those around them."""

    part: TrialPart
    gap: tuple[int, int]  # the numbers of the first and the last one
    frames: tuple[CapturedFrame, ...]
    lost: frozenset[int]  # the numbers of all lost frames here

    @property
    def title(self) -> str:
        """The losses that the excerpt is about, in words."""
        first, last = self.gap
        frames = f"frame {first:,} was" if first == last else f"frames {first:,} to {last:,} were"
        return f"{self.part}: {frames} lost"

    @property
    def rows(self) -> list[ExcerptRow]:
        """Each number once, ascending."""
        by_number: dict[int, list[CapturedFrame]] = {}
        for frame in self.frames:
            if frame.sequence is not None:
                by_number.setdefault(frame.sequence, []).append(frame)
        for number in ends(self.gap):
            by_number.setdefault(number, [])
        zero_ns = min(frame.time_ns for frame in self.frames)
        return [
            ExcerptRow(
                number,
                zero_ns,
                sent=next((frame for frame in frames if frame.transmitted), None),
                arrivals=tuple(frame for frame in frames if not frame.transmitted),
                is_lost=number in self.lost,
            )
            for number, frames in sorted(by_number.items())
        ]


@dataclass(frozen=True)
class Excerpt:
    """The first losses of one capture."""

    capture: str
    path: Path  # pcapng with their frames
    losses: tuple[Loss, ...]
    found: int  # frames that the capture shows to be lost
    lost: int  # frames that its trials have lost

    @property
    def text(self) -> str:
        """How many of the losses it shows."""
        gaps = "the first loss" if len(self.losses) == 1 else f"the first {len(self.losses)} losses"
        known = f"{self.found:,} of {self.lost:,} lost frames are known"
        return f"capture {self.capture}: frames around {gaps}, {known}"

    def linked(self, link: str) -> str:
        """Tables of the frames on one line of HTML, with a link to its file, or none."""
        return " ".join(render("losses.html", excerpt=self, link=link).split())


def first_losses(
    found: Mapping[TrialPart, LostFrames], frames: Mapping[TrialPart, Iterable[CapturedFrames]]
) -> tuple[Loss, ...]:
    """The first losses, in the order of trials and numbers, with the frames around each."""
    gaps = list(islice(((part, gap) for part, lost in found.items() for gap in lost.gaps), MOST_LOSSES))
    seen = {part: near(frames[part], [gap for of, gap in gaps if of == part]) for part, _ in gaps}
    losses = ((part, gap, around(seen[part], gap)[:_MOST_FRAMES]) for part, gap in gaps)
    return tuple(
        Loss(part, gap, tuple(these), frozenset(numbers_around(gap)).intersection(found[part].sequences))
        for part, gap, these in losses
        if these
    )


def excerpt_frames(losses: Sequence[Loss]) -> list[CapturedFrame]:
    """The frames of losses in the order of time, each once."""
    each = {id(frame): frame for loss in losses for frame in loss.frames}
    return sorted(each.values(), key=lambda frame: frame.time_ns)


def link_to(path: Path, output: Path) -> str:
    """The link to a file from Robot's log; a run that has its records elsewhere links to the whole path."""
    return path.relative_to(output).as_posix() if path.is_relative_to(output) else path.as_uri()
