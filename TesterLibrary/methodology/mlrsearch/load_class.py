# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Load classification and the loss of the conditional throughput (RFC 9971, appendices A and B), exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import reduce

from ...measurement.trial import Trial
from .goal import SearchGoal


class LoadClass(Enum):
    """The classes that trials give a load, for one goal (RFC 9971 §4.7.2)."""

    LOWER_BOUND = "lower bound"  # it meets the goal, whatever the trials that are missing would find
    UPPER_BOUND = "upper bound"  # it does not, whatever they would find
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class LoadStats:
    """The durations of the trials at one load, as one goal sorts them (RFC 9971 §4.7.1), in nanoseconds.

    A trial is high-loss if it lost more than the goal's loss ratio, and short if it is shorter than the
    goal's final trial duration; it is full-length otherwise. The duration that counts is the intended one.
    One that was repeated for its loss is open: it may be high-loss, and lost no more when it was repeated.
    """

    full_low_ns: int = 0
    full_high_ns: int = 0
    short_low_ns: int = 0
    short_high_ns: int = 0
    full_open_ns: int = 0
    short_open_ns: int = 0

    @classmethod
    def of(cls, goal: SearchGoal, trials: Iterable[Trial]) -> LoadStats:
        """Sorts trials at one load. Each of them must tell whether it meets the loss ratio."""
        return reduce(lambda stats, trial: stats.plus(goal, trial), trials, cls())

    def plus(self, goal: SearchGoal, trial: Trial) -> LoadStats:
        """The same with one trial more."""
        low = trial.loses_at_most(goal.loss.value) is True
        loss = "high" if not low else "open" if trial.lossy_attempt(goal.loss.value) else "low"
        length = "full" if trial.duration_ns >= goal.final_duration.ns else "short"
        name = f"{length}_{loss}_ns"
        return replace(self, **{name: getattr(self, name) + trial.duration_ns})

    def classify(self, goal: SearchGoal) -> LoadClass:
        """Whether the rest of the goal's duration sum, or the open trials, could change what was found."""
        at_best = replace(
            self,
            full_low_ns=self.full_low_ns + self.full_open_ns,
            short_low_ns=self.short_low_ns + self.short_open_ns,
        )
        at_worst = replace(
            self,
            full_high_ns=self.full_high_ns + self.full_open_ns,
            short_high_ns=self.short_high_ns + self.short_open_ns,
        )
        classes = {at_best._told(goal), at_worst._told(goal)}
        return classes.pop() if len(classes) == 1 else LoadClass.UNDECIDED

    def is_open(self, goal: SearchGoal) -> bool:
        """Whether twice the goal's duration sum left the class undecided: because of the open trials."""
        full_ns = self.full_low_ns + self.full_high_ns + self.full_open_ns
        return full_ns >= 2 * goal.duration_sum.ns and self.classify(goal) is LoadClass.UNDECIDED

    def _told(self, goal: SearchGoal) -> LoadClass:
        """Appendix A, of the trials that are not open."""
        exceed = goal.exceed.value
        balancing = self.short_low_ns * exceed / (1 - exceed)
        effective_high = self.full_high_ns + max(Fraction(0), self.short_high_ns - balancing)
        whole = max(self.full_low_ns + effective_high, Fraction(goal.duration_sum.ns))
        allowed = whole * exceed
        if whole - self.full_low_ns <= allowed:
            return LoadClass.LOWER_BOUND
        return LoadClass.UNDECIDED if effective_high <= allowed else LoadClass.UPPER_BOUND


def classify(goal: SearchGoal, trials: Iterable[Trial]) -> LoadClass:
    """The class that these trials at one load give it."""
    return LoadStats.of(goal, trials).classify(goal)


def conditional_loss(goal: SearchGoal, trials: Iterable[Trial]) -> Fraction:
    """The loss ratio of the conditional throughput (appendix B): a quantile over full-length trials.

    Where the counts of a trial leave its loss open, the greatest that they allow is taken, and all of an
    open trial.
    """
    full = [trial for trial in trials if trial.duration_ns >= goal.final_duration.ns]
    whole = max(goal.duration_sum.ns, sum(trial.duration_ns for trial in full))
    remaining = whole * (1 - goal.exceed.value)
    loss = Fraction(1)
    each = ((_most_lost(goal, trial), trial.duration_ns) for trial in full)
    for ratio, duration_ns in sorted(each):
        if remaining <= 0:
            return loss
        loss = ratio
        remaining -= duration_ns
    return Fraction(1) if remaining > 0 else loss


def _most_lost(goal: SearchGoal, trial: Trial) -> Fraction:
    if trial.loss_bounds is None or trial.lossy_attempt(goal.loss.value):
        return Fraction(1)
    return trial.loss_bounds[1]
