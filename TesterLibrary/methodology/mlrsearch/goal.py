# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Search goals (RFC 9971 §4.6): which loss a load may have, how often, and how long that is tried."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ...errors import PlanError, require
from ...model.units.units import Duration, Ratio

_SECOND = 10**9
_PRECEDING = 2  # coarser goals that lead to a goal; each has twice the width of the next one


@dataclass(frozen=True)
class SearchGoal:
    """One goal of a search, with the attributes of RFC 9971 §4.6. The defaults are those of FD.io CSIT."""

    name: str  # by which verdicts refer to it: NDR, PDR
    loss: Ratio  # Goal Loss Ratio: a trial that loses more is a high-loss trial
    exceed: Ratio = Ratio(Fraction(1, 2))  # Goal Exceed Ratio: part of the time that may be high-loss trials
    initial_duration: Duration = Duration(_SECOND)  # Goal Initial Trial Duration: of the shortest trials
    final_duration: Duration = Duration(_SECOND)  # Goal Final Trial Duration: of the trials that count wholly
    duration_sum: Duration = Duration(21 * _SECOND)  # Goal Duration Sum: at one load, to classify it
    width: Ratio = Ratio(Fraction(1, 200))  # Goal Width: (upper - lower) / upper of the bounds, at most

    def validate(self) -> None:
        """Raises PlanError for a value without sense, or that the RFC forbids."""
        require(
            self,
            (bool(self.name), "a goal must have a name", "name"),
            (0 <= self.loss.value < 1, "the goal loss ratio must be at least 0 and below 100 %", "name loss"),
            (
                0 <= self.exceed.value < 1,
                "the goal exceed ratio must be at least 0 and below 100 %",
                "name exceed",
            ),
            (0 < self.width.value < 1, "the goal width must be above 0 and below 100 %", "name width"),
            (
                self.initial_duration.ns > 0,
                "the goal initial trial duration must be above 0",
                "name initial_duration",
            ),
            (
                self.initial_duration.ns <= self.final_duration.ns,
                "the goal initial trial duration must be at most the final one",
                "name initial_duration final_duration",
            ),
            (
                self.final_duration.ns <= self.duration_sum.ns,
                "the goal duration sum must be at least the final trial duration",
                "name final_duration duration_sum",
            ),
        )

    def preceding(self) -> tuple[SearchGoal, ...]:
        """Coarser goals that lead to this one, the coarsest first: shorter and fewer trials, wider bounds.

        Sums of durations grow by equal factors from the initial trial duration; none where it is the sum.
        """
        if self.initial_duration == self.duration_sum:
            return ()
        shortest, longest = self.initial_duration.ns, self.duration_sum.ns
        sums = [_two_digits(shortest * (longest / shortest) ** (n / _PRECEDING)) for n in range(_PRECEDING)]
        sums = [max(shortest, min(longest, ns)) for ns in sums]
        sums[0] = shortest
        return tuple(
            replace(
                self,
                final_duration=Duration(min(self.final_duration.ns, ns)),
                duration_sum=Duration(ns),
                width=Ratio(min(Fraction(1, 2), self.width.value * 2 ** (_PRECEDING - number))),
            )
            for number, ns in enumerate(sums)
        )

    @property
    def attributes(self) -> str:
        """All attributes with their values, as a report has to give them (RFC 9971 §4.9.3)."""
        return (
            f"loss ratio {self.loss}, exceed ratio {self.exceed}, trials of {self.initial_duration} to "
            f"{self.final_duration}, duration sum {self.duration_sum}, width {self.width}"
        )

    def __str__(self) -> str:
        return f"{self.name or 'a goal without a name'}: {self.attributes}"


def _two_digits(ns: float) -> int:
    """A time that people can read."""
    return int(float(f"{ns:.2g}"))


def check_together(goals: tuple[SearchGoal, ...]) -> None:
    """Raises PlanError for goals that exclude each other, or none."""
    if not goals:
        raise PlanError("there is no goal; give one or more")
    seen: dict[str, SearchGoal] = {}
    for goal in goals:
        goal.validate()
        if goal.name in seen:
            raise PlanError(
                f"two goals have the name {goal.name!r}, so a verdict on it could mean either; given were "
                f"{seen[goal.name]} and {goal}"
            )
        seen[goal.name] = goal
    finals = {goal.final_duration: goal for goal in goals}
    if len(finals) > 1:
        raise PlanError(
            "goals of one search must have the same final trial duration: longer trials of one would undo "
            "what the other has classified (RFC 9971 §4.6.1); search them one after the other; given were "
            + " and ".join(str(goal) for goal in finals.values())
        )
