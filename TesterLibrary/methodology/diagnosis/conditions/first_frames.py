# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The first frames after a pause are lost: an address that is learnt, a flow that is set up."""

from __future__ import annotations

from dataclasses import dataclass

from ..experiment import Experiment
from ..laboratory import DiagnosisLab
from ..sequential_test import SequentialTest
from .condition import Occurrence, Symptoms, occurrence

_TIMES = 3
_MOST = 1 << 14


@dataclass(frozen=True)
class FirstFrames:
    """The first frames after a second without frames are lost."""

    frames: int

    @property
    def text(self) -> str:
        """See Occurrence."""
        return (
            f"the first {self.frames:,} frames after a pause"
            if self.frames > 1
            else ("the first frame after a pause")
        )

    @property
    def smallest(self) -> str:
        """See Occurrence."""
        return "1 frame after a pause of 1 s"

    def lost_bounds(self, frames: int) -> tuple[int, int]:
        """See Occurrence."""
        return min(frames, self.frames), min(frames, self.frames)


@occurrence("first frames after a pause", rank=1)
def find_first_frames(lab: DiagnosisLab, symptoms: Symptoms) -> Occurrence | str:
    """The loss is the same however many frames follow, and whatever their rate."""
    lost, kind = symptoms.usual.lost, next(iter(symptoms.frames))
    if not (0 < lost == symptoms.twice.lost == symptoms.slow.lost):
        return "the loss depends on the number of frames or on the load"
    if symptoms.at_once.lost >= lost:
        return "frames without a pause before them are lost as well"
    if lost >= symptoms.usual.sent:
        return "all frames are lost"
    test, draw = SequentialTest(), lab.random
    question = "the same loss after each pause"
    while not test.decided:
        frames = min(_MOST, draw.randint(lost + 1, 4 * lost + 40))
        observation = lab.run(Experiment(question, {kind: frames}, lab.slow, after_pause=True))
        if observation.lost != lost:
            return f"of {frames} frames after a pause it loses {observation.lost}, not {lost}"
        test.came_true(1 / (frames + 1))  # any number would be as likely
    for frames in (1, lost):
        for _ in range(_TIMES):
            question = "all of the first frames"
            observation = lab.run(Experiment(question, {kind: frames}, lab.slow, after_pause=True))
            if observation.lost != frames:
                return f"of {frames} frames after a pause it loses {observation.lost}"
    return FirstFrames(lost)
