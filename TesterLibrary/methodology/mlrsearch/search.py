# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The input of a search: its goals, and the loads between which they are searched (RFC 9971 §4.6.8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ...errors import PlanError
from ...model.units.units import Rate, RateUnit, Ratio
from .goal import SearchGoal, check_together


@dataclass(frozen=True)
class MultipleLossRatioSearch:
    """Goals, and the lowest and the highest load.

    Loads are whole multiples of a small part of the highest one, so that goals share them, reports can print
    them, and bounds as close as the smallest width are there even at the lowest load.
    """

    goals: tuple[SearchGoal, ...]
    lowest: Ratio = Ratio(Fraction(1, 100))  # Min Load, part of line rate
    highest: Ratio = Ratio(Fraction(1))  # Max Load, part of line rate
    stability: Ratio = Ratio(Fraction(0))  # of line rate: the load of the trial before the search; 0 for none

    def validate(self, line_pps: Fraction | None = None) -> None:
        """Raises PlanError for what makes no sense.

        Args:
            line_pps: Frames each second of all streams at line rate; None where nobody knows.
        """
        check_together(self.goals)
        if not 0 < self.lowest.value <= self.highest.value:
            raise PlanError(
                "the lowest load must be above 0 and at most the highest; given were "
                f"{self.lowest} and {self.highest} of line rate"
            )
        if line_pps is None:
            return
        finest = min(self.goals, key=lambda goal: goal.width)
        slowest = self.lowest.value * line_pps
        if slowest * finest.width.value < 1:
            raise PlanError(
                f"a width of {finest.width} is finer than one frame per second at the lowest load, "
                f"{Rate(slowest, RateUnit.PPS)} ({self.lowest} of line rate); give a width of at least "
                f"{_not_below(1 / slowest)}, or a lowest load of at least "
                f"{_not_below(1 / (finest.width.value * line_pps))}; the goal is {finest}"
            )
        shortest = min(self.goals, key=lambda goal: goal.initial_duration)
        if slowest * shortest.initial_duration.ns < 10**9:
            raise PlanError(
                f"trials of {shortest.initial_duration} at the lowest load, {Rate(slowest, RateUnit.PPS)}, "
                f"send no frame; give a longer initial trial duration; the goal is {shortest}"
            )

    @property
    def top(self) -> int:
        """The number of the highest load; the power of ten that gives each width two loads at least."""
        finest = min(goal.width.value for goal in self.goals)
        needed = 2 * self.highest.value / (self.lowest.value * finest)
        top = 10
        while top < needed:
            top *= 10
        return top

    @property
    def bottom(self) -> int:
        """The number of the lowest load."""
        return ceil(self.lowest.value * self.top / self.highest.value)

    def load(self, number: int) -> Fraction:
        """A load by its number, as a part of line rate."""
        return self.highest.value * number / self.top

    @property
    def low(self) -> int:
        """The number of the load of the stability check."""
        return min(max(self.number(self.stability.value), self.bottom), self.top)

    def number(self, load: Fraction) -> int:
        """The number of the highest load that is at most this one."""
        return int(load * self.top / self.highest.value)

    def __str__(self) -> str:
        goals = "; ".join(str(goal) for goal in self.goals)
        return f"{goals}; loads from {self.lowest} to {self.highest} of line rate"


def _not_below(part: Fraction) -> Ratio:
    """A part as people write it, in hundredths of a percent, and not below this one."""
    return Ratio(Fraction(ceil(part * 10_000), 10_000))
