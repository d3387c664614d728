# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices whose loss is a law of the load, exactly, and goals for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from TesterLibrary.methodology.mlrsearch.goal import SearchGoal
from TesterLibrary.model.units import Duration, Ratio

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


def rising(start: Fraction, slope: Fraction) -> Callable[[Fraction], Fraction]:
    """Nothing is lost up to a load; from there on the loss rises evenly."""
    return lambda load: min(Fraction(1), max(Fraction(0), load - start) * slope)


def erratic(seed: int, parts: tuple[Fraction, ...]) -> Callable[[Fraction], Fraction]:
    """Each load has a loss of its own, at random."""
    return lambda load: random.Random(f"{seed} {load}").choice(parts)
