# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The losses that a capture shows, and a file with the frames around the first of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..measurement.capture import CaptureCounters, CapturedFrame, StoppedCapture
from ..measurement.captured_frames import CapturedFrames
from ..measurement.traces.losses import LostFrames, lost_frames
from ..model.capture import Capture, Keep
from ..reporting.captures.excerpts import Excerpt, excerpt_frames, first_losses
from ..reporting.captures.frame_comments import Comments, frame_comment
from ..reporting.captures.pcapng import free_path, write_capture
from ..reporting.record.trial_part import TrialPart

if TYPE_CHECKING:
    import numpy as np


class CaptureLosses:
    """The lost frames of trials during which a capture ran."""

    def __init__(
        self,
        capture: Capture,
        stopped: StoppedCapture,
        parts: Sequence[TrialPart],
        heads: Sequence[CapturedFrames],
    ) -> None:
        """`parts` are of trials that the capture may have frames of, `heads` all its frames, cut short."""
        self._capture, self._stopped = capture, stopped
        self._frames = {part: _frames_of(part, heads) for part in parts}
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
        frames = excerpt_frames(losses)
        said = Comments.of(map(comment, frames))
        write_capture(excerpt_path, cut, self._stopped, [CapturedFrames.of(frames)], macs, lambda _: said)
        each = self._lost.values()
        return Excerpt(
            self._capture.name,
            excerpt_path,
            losses,
            found=sum(len(lost.sequences) for lost in each),
            lost=sum(lost.lost for lost in each),
        )


def _frames_of(part: TrialPart, heads: Iterable[CapturedFrames]) -> list[CapturedFrames]:
    """The frames of a part of a trial that has lost some; of another one none."""
    found = []
    for batch in heads if part.lost else ():
        facts = batch.facts
        is_of = (facts["stream"] == part.stream_id) & (facts["time"] >= part.begin_ns)
        is_of &= facts["time"] <= part.end_ns
        if is_of.any():
            found.append(batch if is_of.all() else batch.part(is_of))
    return found


def _lost(
    part: TrialPart, frames: Sequence[CapturedFrames], capture: Capture, counters: CaptureCounters
) -> LostFrames:
    """The lost frames that a capture shows: none where it may have dropped the arrivals itself."""
    complete = any(port.port == part.rx_port and not port.dropped for port in counters.ports)
    if not part.lost or not complete:
        return LostFrames(lost=part.lost or 0)
    first = capture.keep is Keep.FIRST and capture.trigger is None
    full = counters.triggered or (first and counters.captured >= capture.frames)
    sent, arrived = _numbers(frames), _numbers(frames, arrived_at=part.rx_port)
    found = lost_frames(sent, arrived, part.lost, to_the_end=not full)
    hidden = bool(capture.filter) and len(found.sequences) != part.lost  # arrivals, by the filter
    return LostFrames(lost=part.lost) if hidden else found


def _numbers(frames: Sequence[CapturedFrames], arrived_at: str | None = None) -> np.ndarray[Any, Any]:
    """The numbers of the frames that left, or of those that arrived at a port."""
    import numpy as np

    found = [np.empty(0, np.int64)]
    for batch in frames:
        facts = batch.facts
        is_one = facts["transmitted"]
        if arrived_at is not None:
            is_one = ~is_one & (np.array(batch.ports)[facts["port"]] == arrived_at)
        found.append(facts["sequence"][is_one & (facts["sequence"] >= 0)])
    return np.concatenate(found)
