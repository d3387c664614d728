# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Soak: how probable it is that a trial at one load loses more than is allowed.

It is the exceed probability of RFC 9971 §6.3.2 at one load and one duration, for long trials as in
draft-vpolak-bmwg-plrsearch-03, which searches a load instead. Trials are taken as independent and alike, so
the number of high-loss trials is binomial, and the limits are those of Clopper and Pearson.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from ..errors import require
from ..measurement import remarks
from ..measurement.trial import Trial
from ..model.units.number import counted
from ..model.units.units import Duration, Ratio
from ..verdict import AT_MOST, Between, Verdict, assess
from .measurer import Measurer
from .result import Result
from .verdicts.judging import doubt_of, flapping_of

_CONFIDENCE = 0.95
_HALVINGS = 40


@dataclass(frozen=True)
class Soak:
    """How many trials are run, and what each may lose."""

    load: Ratio  # part of line rate
    loss: Ratio = Ratio(Fraction(0))  # a trial that loses more is a high-loss trial
    repetitions: int = 60
    trial_duration: Duration = Duration(60 * 10**9)

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.load.value > 0, "the load must be above 0", "load"),
            (0 <= self.loss.value < 1, "the loss ratio must be at least 0 and below 100 %", "loss"),
            (self.repetitions >= 1, "trials must be at least 1", "repetitions"),
            (self.trial_duration.ns > 0, "the duration must be above 0", "trial_duration"),
        )

    def __str__(self) -> str:
        return (
            f"{counted(self.repetitions, 'trial')} of {self.trial_duration} at {self.load} of line rate, "
            f"each with a loss ratio of at most {self.loss}"
        )


@dataclass(frozen=True)
class SoakResult(Result):
    """The outcomes of many trials at one load."""

    soak: Soak

    @property
    def exceeded(self) -> int:
        """Trials that lost more than is allowed."""
        return sum(_is_high(trial, self.soak) is True for trial in self.trials)

    @property
    def untold(self) -> int:
        """Trials of which nobody knows.

        The tester did not do its part, or not in an attempt that lost too much, or the loss is not known.
        """
        return sum(_is_high(trial, self.soak) is None for trial in self.trials)

    @property
    def probability_bounds(self) -> tuple[float, float]:
        """The exceed probability, 0 to 1: each limit holds with a confidence of 95 %.

        A trial of which nobody knows is low-loss for the lower limit, and high-loss for the upper one.
        """
        count = len(self.trials)
        return least_probability(self.exceeded, count), most_probability(self.exceeded + self.untold, count)

    def verdict_below(self, bound: Ratio) -> Verdict:
        """Whether the exceed probability is at most the bound.

        FAIL only where the lower limit is above the bound. INCONCLUSIVE where the bound lies between the
        limits: trials are too few, or too many of them tell nothing.
        """
        least, most = (Ratio(Fraction(limit)) for limit in self.probability_bounds)
        between = least.value <= bound.value < most.value
        doubts = (_doubt(trial, self.soak) for trial in self.trials if _is_high(trial, self.soak) is None)
        said = next(filter(None, doubts), "")
        few = f"{len(self.trials)} trials are too few to tell; run more of them"
        doubt = f"{self.untold} of {len(self.trials)} trials tell nothing: {said}" if said else few
        return assess(
            Between(least.value, most.value),
            AT_MOST,
            bound.value,
            subject=f"exceed probability of {self.title}",
            measured=self._text,
            bound=f"<= {bound}",
            doubt=doubt if between else flapping_of(self.trials) if most.value <= bound.value else "",
        )

    @property
    def _text(self) -> str:
        least, most = (Ratio(Fraction(limit)) for limit in self.probability_bounds)
        untold = f", {self.untold} tell nothing" if self.untold else ""
        return f"{least} to {most} ({self.exceeded} of {len(self.trials)} trials{untold})"

    def __str__(self) -> str:
        return f"{self.title}: exceed probability {self._text} at {self.soak.load} of line rate"


def measure_soak(measurer: Measurer, soak: Soak) -> SoakResult:
    """Runs all trials of a soak.

    Raises:
        PlanError: the soak makes no sense. Nothing was sent.
        TargetError: the tester is broken, gone or late.
    """
    soak.validate()
    trials = tuple(measurer.measure(soak.load.value, soak.trial_duration) for _ in range(soak.repetitions))
    return SoakResult(title=trials[0].title, trials=trials, soak=soak)


def most_probability(found: int, count: int) -> float:
    """The upper limit: at more, so few or fewer of so many trials would come in less than 5 % of soaks."""
    if found >= count:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        few = sum(comb(count, n) * middle**n * (1 - middle) ** (count - n) for n in range(found + 1))
        low, high = (low, middle) if few < 1 - _CONFIDENCE else (middle, high)
    return high


def least_probability(found: int, count: int) -> float:
    """The lower limit."""
    return 1 - most_probability(count - found, count)


def _is_high(trial: Trial, soak: Soak) -> bool | None:
    """Whether it is a high-loss trial; None where nobody knows."""
    within = None if doubt_of([trial]) else trial.loses_at_most(soak.loss.value)
    return None if within is None or (within and trial.lossy_attempt(soak.loss.value)) else not within


def _doubt(trial: Trial, soak: Soak) -> str:
    """Why nobody knows whether it is a high-loss trial."""
    return doubt_of([trial]) or remarks.loss_unknown(trial) or remarks.repeated_for(trial, soak.loss.value)
