# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The losses that a capture shows, and a file with the frames around the first of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..measurement.capture import CaptureCounters, CapturedFrame, StoppedCapture
from ..measurement.losses import LostFrames, lost_frames
from ..model.capture import Capture, Keep
from ..reporting.excerpts import Excerpt, excerpt_frames, first_losses
from ..reporting.pcapng import frame_comment, free_path, write_capture
from ..reporting.trial_part import TrialPart


class CaptureLosses:
    """The lost frames of trials during which a capture ran."""

    def __init__(
        self,
        capture: Capture,
        stopped: StoppedCapture,
        parts: Sequence[TrialPart],
        heads: Collection[CapturedFrame],
    ) -> None:
        """`parts` are of trials that the capture may have frames of, `heads` all its frames, cut short."""
        self._capture, self._stopped = capture, stopped
        self._frames = _frames_of(parts, heads)
        self._lost = {part: _lost(part, self._frames[part], capture, stopped.counters) for part in parts}

    @property
    def sequences(self) -> Mapping[TrialPart, Collection[int]]:
        """The numbers of the frames of each part that are known to be lost."""
        return {part: lost.sequences for part, lost in self._lost.items()}

    def excerpt(self, path: Path, macs: Mapping[str, bytes], *, snap_length: int) -> Excerpt | None:
        """Writes the frames around the first losses into a file beside `path`; None if there are none.

        Raises:
            OSError: the file could not be written.
        """
        losses = first_losses(self._lost, self._frames)
        if not losses:
            return None
        lost = {(loss.part.stream_id, number) for loss in losses for number in loss.lost}

        def comment(frame: CapturedFrame) -> str:
            is_lost = frame.transmitted and (frame.stream_id, frame.sequence) in lost
            return frame_comment(frame, self._stopped.streams) + (", LOST" if is_lost else "")

        excerpt_path = free_path(path.parent, f"{path.stem}-losses")
        cut = replace(self._capture, snap_length=snap_length)
        write_capture(excerpt_path, cut, self._stopped, excerpt_frames(losses), macs, comment)
        each = self._lost.values()
        return Excerpt(
            self._capture.name,
            excerpt_path,
            losses,
            found=sum(len(lost.sequences) for lost in each),
            lost=sum(lost.lost for lost in each),
        )


def _frames_of(
    parts: Sequence[TrialPart], heads: Collection[CapturedFrame]
) -> dict[TrialPart, list[CapturedFrame]]:
    """The frames of each part of a trial that has lost some; of the others none."""
    found: dict[TrialPart, list[CapturedFrame]] = {part: [] for part in parts}
    by_id: dict[int, list[TrialPart]] = {}
    for part in parts:
        if part.lost:
            by_id.setdefault(part.stream_id, []).append(part)
    for frame in heads if by_id else ():
        for part in by_id.get(frame.stream_id, ()):
            if part.begin_ns <= frame.time_ns <= part.end_ns:
                found[part].append(frame)
    return found


def _lost(
    part: TrialPart, frames: Sequence[CapturedFrame], capture: Capture, counters: CaptureCounters
) -> LostFrames:
    """The lost frames that a capture shows: none where it may have dropped the arrivals itself."""
    complete = any(port.port == part.rx_port and not port.dropped for port in counters.ports)
    if not part.lost or not complete:
        return LostFrames(lost=part.lost or 0)
    full = capture.keep is Keep.FIRST and counters.captured >= capture.frames
    found = lost_frames(frames, part.rx_port, part.lost, to_the_end=not full)
    hidden = bool(capture.filter) and len(found.sequences) != part.lost  # arrivals, by the filter
    return LostFrames(lost=part.lost) if hidden else found
