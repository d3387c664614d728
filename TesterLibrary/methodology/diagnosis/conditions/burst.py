# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of long bursts are lost: a short queue, a small bucket of a policer."""

from __future__ import annotations

from dataclasses import dataclass

from ..experiment import Experiment
from ..laboratory import DiagnosisLab
from .condition import Occurrence, Symptoms, occurrence

_LONGEST = 1 << 13
_TIMES = 5  # each side: all come true by chance with less than 1e-3


@dataclass(frozen=True)
class LongBurst:
    """Frames are lost of bursts that are longer than this, back to back at line rate."""

    frames: int

    @property
    def text(self) -> str:
        """See Occurrence."""
        return f"frames of bursts of more than {self.frames:,} frames back to back"

    @property
    def smallest(self) -> str:
        """See Occurrence."""
        return f"{self.frames + 1:,} frames back to back"

    def lost_bounds(self, frames: int) -> tuple[int, int]:
        """See Occurrence. How many are lost depends on the bursts of the traffic."""
        return (1, frames) if frames > self.frames else (0, 0)


@occurrence("long bursts", rank=4)
def find_burst(lab: DiagnosisLab, symptoms: Symptoms) -> Occurrence | str:
    """The same frames are lost back to back, and not evenly spaced."""
    if symptoms.any_lost:
        return "evenly spaced frames are lost, too"
    kind = next(iter(symptoms.frames))

    def lost(frames: int, question: str = "how long a burst") -> int:
        return lab.run(Experiment(question, {kind: frames}, burst=True, after_pause=True)).lost

    losing = 2
    while not lost(losing):
        losing *= 2
        if losing > _LONGEST:
            return f"a burst of {_LONGEST:,} frames loses nothing"
    passing = losing // 2
    while losing - passing > 1:
        middle = (passing + losing) // 2
        passing, losing = (passing, middle) if lost(middle) else (middle, losing)
    for _ in range(_TIMES):
        if lost(passing, "the longest burst that passes") or not lost(
            losing, "the shortest burst that fails"
        ):
            return f"bursts of {passing:,} and {losing:,} frames do not behave alike each time"
    return LongBurst(passing)
