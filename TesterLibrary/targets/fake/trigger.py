# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The trigger of a capture of the fake tester."""

from __future__ import annotations

from collections import deque

from ...errors import PlanError
from ...measurement.capture import CapturedFrame
from ...model.capture import CaptureTrigger, TriggerKind
from ..rules.packet_filter import Filter

_CLOCK = 1 << 48  # nanoseconds that a signature tells apart


class FakeTrigger:
    """Sees each frame that a capture takes, in order of time."""

    def __init__(self, trigger: CaptureTrigger, where: str) -> None:
        """Raises PlanError for a filter that is none, and for damage, which no frame of the fake has."""
        if trigger.kind is TriggerKind.DAMAGE:
            raise PlanError(
                f"{where}: a fake tester shows no damaged frames, so none triggers; use a testerd"
            )
        self._trigger = trigger
        self._filter = Filter(trigger.filter, f"{where}, trigger") if trigger.filter else None
        self._next: dict[int, int] = {}  # sequence, by stream
        self._after = 0
        self.fired_ns = 0

    @property
    def complete(self) -> bool:
        """Whether all frames behind the trigger are there."""
        return self.fired_ns > 0 and self._after >= self._trigger.after

    def fires(self, frame: CapturedFrame) -> bool:
        """Whether it is the frame that it waited for."""
        if self.fired_ns:
            self._after += 1
            return False
        if frame.transmitted or not self._holds(frame):
            return False
        self.fired_ns = frame.time_ns
        return True

    def trim(self, frames: deque[CapturedFrame]) -> None:
        """Takes out frames that are too long before it."""
        room = self._trigger.before + 1 if self.fired_ns else self._trigger.frames
        while len(frames) > room + self._after:
            frames.popleft()

    def _holds(self, frame: CapturedFrame) -> bool:
        if self._filter:
            return self._filter.matches(frame.octets)
        if frame.sequence is None:
            return False
        if self._trigger.above is not None:
            sent_ns = int.from_bytes(frame.octets[-8:-2], "big")
            return (frame.time_ns - sent_ns) % _CLOCK > self._trigger.above.ns
        expected = self._next.get(frame.stream_id, 0)
        self._next[frame.stream_id] = max(expected, frame.sequence + 1)
        return frame.sequence > expected
