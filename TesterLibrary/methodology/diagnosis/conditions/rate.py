# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames above a rate are lost: a policer, a slow port, a processor that does not keep up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..experiment import Experiment, Observation
from ..laboratory import Laboratory
from .condition import Occurrence, Symptoms, occurrence

_PRECISION = Fraction(1, 100)
_CHECKS = 5  # below and above: all come true by chance with less than 1e-3
_FEWEST = 200  # frames of an experiment


@dataclass(frozen=True)
class AboveRate:
    """Frames are lost at `losing` of the load of the traffic and above it, and none up to `passing`."""

    passing: Fraction
    losing: Fraction
    frames_per_second: Fraction  # of the failing traffic

    @property
    def text(self) -> str:
        """See Occurrence."""
        low, high = (float(part * self.frames_per_second) for part in (self.passing, self.losing))
        return f"frames above a rate between {low:,.0f} and {high:,.0f} frames/s"

    @property
    def smallest(self) -> str:
        """See Occurrence."""
        return f"{float(self.losing * self.frames_per_second):,.0f} frames/s, evenly spaced"

    def lost_bounds(self, frames: int, load: Fraction) -> tuple[int, int]:
        """See Occurrence. How many are lost depends on the buffer and on the law of the policer."""
        return (1, frames) if load >= self.losing else (0, 0) if load <= self.passing else (0, frames)


@occurrence("frames above a rate", rank=2)
def find_rate(lab: Laboratory, symptoms: Symptoms) -> Occurrence | str:
    """No frame is lost up to a load, and some at each load above it."""
    if not symptoms.lost or not symptoms.lost_of_twice:
        return "evenly spaced frames at the same load are not lost"
    if symptoms.lost_slowly:
        return "frames are lost at a quarter of the load, too"

    def at(load: Fraction, question: str = "from which load on") -> Observation:
        frames = {kind: max(2, round(2 * count * load)) for kind, count in symptoms.frames.items()}
        return lab.run(Experiment(question, frames, load))

    passing, losing = Fraction(1, 4), Fraction(1)
    if symptoms.sent < _FEWEST:
        return "too few frames are sent to tell at which rate they are lost"
    while losing / passing > 1 + _PRECISION:
        middle = (passing + losing) / 2
        if at(middle).lost:
            losing = middle
        else:
            passing = middle
    for number in range(_CHECKS):
        below = passing * (Fraction(95, 100) - Fraction(number, 8))
        above = min(Fraction(1), losing * (1 + Fraction(number + 1, 30)))
        if at(below, "below the rate nothing is lost").lost:
            return f"frames are lost at {float(below):.2f} of the load, too"
        if not at(above, "above the rate frames are lost").lost:
            return f"no frame is lost at {float(above):.2f} of the load"
    return AboveRate(passing, losing, lab.measurer.frames_per_second)
