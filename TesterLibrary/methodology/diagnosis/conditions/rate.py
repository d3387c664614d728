# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames above a rate are lost: a policer, a slow port, a processor that does not keep up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..experiment import Experiment, ExperimentOutcome
from ..laboratory import DiagnosisLab
from .condition import Occurrence, Symptoms, occurrence

_PRECISION = Fraction(1, 100)
_CHECKS = 5  # on each side
_LOW_LOADS = (Fraction(1, 4), Fraction(1, 10), Fraction(1, 40))
_EXPECTED = 50  # lost frames below the rate, if each frame were lost as often there as above it
_ALIKE = Fraction(97, 100)
_RAREST = Fraction(1, 200)  # loss at the load of the traffic


@dataclass(frozen=True)
class AboveRate:
    """No frame is lost up to a rate (frames/s, evenly spaced), and some are at each rate above it."""

    passing: Fraction
    losing: Fraction

    @property
    def text(self) -> str:
        """See Occurrence."""
        return (
            f"frames above a rate between {float(self.passing):,.0f} and {float(self.losing):,.0f} frames/s"
        )

    @property
    def smallest(self) -> str:
        """See Occurrence."""
        return f"{float(self.losing):,.0f} frames/s, evenly spaced"

    def lost_bounds(self, frames: int) -> tuple[int, int]:
        """See Occurrence. How many are lost depends on the buffer and on the law of the policer."""
        return min(1, frames), frames


@occurrence("frames above a rate", rank=3)
def find_rate(lab: DiagnosisLab, symptoms: Symptoms) -> Occurrence | str:
    """No frame is lost up to a load, and some at each load above it."""
    usual = symptoms.usual
    if not usual.lost or not symptoms.at_once.lost or not symptoms.twice.lost:
        return "evenly spaced frames at the same load are not lost each time"
    part = Fraction(usual.lost, usual.sent)
    if part < _RAREST:
        return f"only {float(part):.2%} of the frames are lost, too few to compare rates"
    if Fraction(symptoms.slow.lost, symptoms.slow.sent) >= part * _ALIKE:
        return "at a quarter of the load as many of the frames are lost"

    def at(load: Fraction, question: str, least: int = 2) -> ExperimentOutcome:
        """As long as the others; `least`: frames in all."""
        counts = symptoms.frames.items()
        frames = {kind: max(ceil(2 * count * load), least) for kind, count in counts}
        return lab.run(Experiment(question, frames, load))

    enough = ceil(_EXPECTED / part)
    for low in _LOW_LOADS:
        passed = at(low, "a low load, with as many frames as would show the loss", enough)
        if not passed.lost:
            break
    else:
        return f"frames are lost at {float(low):.1%} of the load, too"
    passing, losing, failed = low, Fraction(1), usual
    while losing / passing > 1 + _PRECISION:
        middle = (passing + losing) / 2
        seen = at(middle, "from which load on")
        if seen.lost:
            losing, failed = middle, seen
        else:
            passing, passed = middle, seen
    for number in range(_CHECKS):
        below = passing * (Fraction(95, 100) - Fraction(number, 8))
        above = min(Fraction(1), losing * (1 + Fraction(number + 1, 30)))
        if at(below, "below the rate nothing is lost", enough).lost:
            return f"frames are lost at {float(below):.1%} of the load, too"
        if not at(above, "above the rate frames are lost").lost:
            return f"no frame is lost at {float(above):.1%} of the load"
    return AboveRate(passed.frames_per_second, failed.frames_per_second)
