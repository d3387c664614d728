# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frame loss rate (RFC 2544 §26.3): the part of the frames that is lost, from the highest load downwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..errors import require
from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio
from ..verdict import Verdict
from .measurer import Measurer
from .result import Result
from .standard import Standard
from .verdicts.judging import loss_below

_COARSEST = Fraction(1, 10)  # "the maximum granularity of the trials MUST be 10 % of the maximum rate"


@dataclass(frozen=True)
class FrameLossSweep:
    """The loads that are measured, and for how long."""

    step: Ratio = Ratio(Fraction(1, 10))  # part of line rate between one trial and the next; at most 10 %
    highest: Ratio = Ratio(Fraction(1))  # of line rate
    trial_duration: Duration = Duration(60 * 10**9)
    at: Ratio | None = None  # of line rate: a load that is tried in any case, also below two lossless ones
    standard: Standard = Standard.RFC2544  # what its trials are held against

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense or the RFC forbids."""
        require(
            self,
            (
                0 < self.step.value <= _COARSEST,
                "step must be above 0 and at most 10 % (RFC 2544 §26.3)",
                "step",
            ),
            (self.highest.value > 0, "highest must be above 0", "highest"),
            (self.trial_duration.ns > 0, "the duration must be above 0", "trial_duration"),
            (
                self.at is None or 0 < self.at.value <= self.highest.value,
                "at must be above 0 and at most highest",
                "at highest",
            ),
        )

    def loads(self) -> list[Fraction]:
        """Loads from the highest down, as parts of line rate, without 0."""
        count = ceil(self.highest.value / self.step.value)
        return [self.highest.value - i * self.step.value for i in range(count)]

    def __str__(self) -> str:
        also = "" if self.at is None else f", {self.at} in any case"
        return (
            f"from {self.highest} of line rate in steps of {self.step}{also}, trials of {self.trial_duration}"
        )


@dataclass(frozen=True)
class FrameLossResult(Result):
    """The loss at each load. `trials` are the points, from the highest load downwards.

    A load that was not tried is not judged: a device may lose frames at low loads only.
    """

    sweep: FrameLossSweep

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return self.sweep.standard.shortened(self.sweep.trial_duration, self.trials)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(load, loss) of each valid trial: parts of line rate and of the frames sent, 0 to 1."""
        return tuple(
            (float(t.load), t.loss_ratio) for t in self.trials if t.valid and t.loss_ratio is not None
        )

    @property
    def lossless_load(self) -> Fraction:
        """The load, part of line rate, from which downwards nothing was lost; 0 if there is none."""
        load = Fraction(0)
        for trial in reversed(self.trials):
            if not (trial.valid and trial.loses_at_most(Fraction(0))):
                break
            load = trial.load
        return load

    def verdict_below(
        self, bound: Ratio, *, at: Ratio | None = None, timeout: Duration | None = None
    ) -> Verdict:
        """Whether no more than the bound is lost at any load, or at any load up to `at` of line rate.

        FAIL if a valid trial lost more; else INCONCLUSIVE if the tester fell short in a trial, or if neither
        `at` was tried nor the next higher load is within the bound.
        """
        return loss_below(self.trials, bound, timeout, at=at)

    def __str__(self) -> str:
        points = ", ".join(f"{Ratio(t.load)}: {_point(t)}" for t in self.trials)
        return f"{self.title}: frame loss by load: {points}"


def _point(trial: Trial) -> str:
    if not trial.valid:
        return "INVALID"
    return "not known" if trial.loss is None else str(Ratio(trial.loss))


def sweep_frame_loss(
    measurer: Measurer,
    sweep: FrameLossSweep | None = None,
    *,
    on_estimate: Callable[[int, Duration], None] | None = None,
) -> FrameLossResult:
    """Measures the loss from the highest load downwards, until two successive trials lose nothing.

    Args:
        measurer: Runs the trials.
        sweep: Which loads; the RFC's by default.
        on_estimate: Told before each trial how many are left at most, and how long they send at most.

    Raises:
        PlanError: the sweep makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    sweep = sweep or FrameLossSweep()
    sweep.validate()
    steps = sweep.loads()
    in_any_case = [] if sweep.at is None else [sweep.at.value]
    left = sorted({*steps, *in_any_case}, reverse=True)
    trials: list[Trial] = []
    lossless = 0  # steps in a row
    while left:
        if on_estimate:
            on_estimate(len(left), Duration(len(left) * sweep.trial_duration.ns))
        load = left.pop(0)
        trial = measurer.measure(load, sweep.trial_duration)
        trials.append(trial)
        if load in steps:
            lossless = lossless + 1 if trial.valid and trial.loses_at_most(Fraction(0)) else 0
        if lossless > 1:
            left = [load for load in left if load in in_any_case]
    return FrameLossResult(title=trials[0].title, trials=tuple(trials), sweep=sweep)
