# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices whose loss is a law of the load, exactly, and goals for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.attempt import Attempt
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.model.units.units import Duration, Ratio

from ..simulated import SimulatedMeasurer

SECOND = 10**9
NOTHING = Ratio(Fraction(0))


def goal(name: str = "NDR", loss: str = "0 %", **changes: object) -> SearchGoal:
    """A goal with trials of 0.1 s to 1 s, one at a load."""
    values = {
        "exceed": NOTHING,
        "initial_duration": Duration(SECOND // 10),
        "final_duration": Duration(SECOND),
        "duration_sum": Duration(SECOND),
        **changes,
    }
    return SearchGoal(name, Ratio.parse(loss), **values)  # type: ignore[arg-type]


@dataclass
class LossLaw(SimulatedMeasurer):
    """Loses the part that the law says, rounded up to whole frames."""

    capacity: Fraction = Fraction(2)
    law: Callable[[Fraction], Fraction] = lambda _load: Fraction(0)

    def _lost(self, frames: int) -> int:
        return min(frames, ceil(self.law(self.asked[-1][0]) * frames))


def repeated(trial: Trial) -> Trial:
    """A trial without loss, after an attempt at it that lost frames while the tester paused."""
    lossy = Attempt(1, valid=False, lost=trial.sent // 10 + 1, own_drops=0, reason="3 frames were lost")
    return replace(trial, attempt=3, earlier=(lossy, Attempt(2, valid=True, lost=0, own_drops=0)))


@dataclass
class Repeated:
    """A tester that repeats some of the trials which lose no frame, because an attempt at them did."""

    device: SimulatedMeasurer
    is_repeated: Callable[[int], bool] = lambda _number: True  # by how many trials there were at its load
    loads: list[Fraction] = field(default_factory=list)

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = self.device.measure(load, duration)
        self.loads.append(load)
        clean = trial.valid and trial.lost == 0
        return repeated(trial) if clean and self.is_repeated(self.loads.count(load)) else trial


def rising(start: Fraction, slope: Fraction) -> Callable[[Fraction], Fraction]:
    """Nothing is lost up to a load; from there on the loss rises evenly."""
    return lambda load: min(Fraction(1), max(Fraction(0), load - start) * slope)


def erratic(seed: int, parts: tuple[Fraction, ...]) -> Callable[[Fraction], Fraction]:
    """Each load has a loss of its own, at random."""
    return lambda load: random.Random(f"{seed} {load}").choice(parts)
