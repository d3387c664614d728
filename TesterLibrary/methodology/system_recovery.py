# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""System recovery (RFC 2544 §26.5): how long a device goes on losing frames after an overload.

First the lower load is sent alone: of a device that loses frames there the last loss says nothing.

The load changes within one stream, whose law says when each of its frames is due. The tester keeps the number
of the last frame that is missing. So both timestamps of the RFC are departures on one clock, however long a
change of a running stream would take. The error is how late frames left, and one gap at the lower load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..errors import require
from ..measurement import remarks
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio, duration_text
from ..verdict import AT_MOST, About, Verdict, assess
from .measurer import Step, StepMeasurer, Stepped
from .outage import uncounted
from .result import Result, shorter
from .standard import unwaited
from .verdicts.judging import doubt_of, undiscerned, unmeasured
from .verdicts.last_loss import LastLoss

_RFC, _RFC_OVERLOAD = "RFC 2544 §26.5", Duration(60 * 10**9)
_QUIET = Fraction(1, 10)  # part of the time after the step that has to be without loss at its end
_OVERLOADED = Fraction(1, 10)  # part of the overload at whose end a frame has to be lost
_FEW = Fraction(1, 10)  # part of the frames beyond the throughput; fewer losses are no overload
_DISORDER = "frames arrived out of order or again"


@dataclass(frozen=True)
class RecoveryMeasurement:
    """The loads, for how long, and how often. Parts and the duration of the overload are the RFC's."""

    throughput: Ratio  # of line rate, found before
    overload: Ratio | None = None  # of line rate; None: 110 % of the throughput, or line rate if that is less
    relief: Ratio = Ratio(Fraction(1, 2))  # part of the overload that is sent then
    overload_duration: Duration = _RFC_OVERLOAD  # at least 60 s
    relief_duration: Duration = _RFC_OVERLOAD  # the longest recovery that can be seen
    repetitions: int = 1

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (
                self.throughput.value > 0,
                "the throughput must be above 0: no throughput was found",
                "throughput",
            ),
            *self._step_rules,
            (
                self.step.after <= self.throughput.value,
                f"after the overload {Ratio(self.step.after)} of line rate would be sent, more than the "
                "throughput; give a smaller relief or overload",
                "overload throughput",
            ),
            (self.repetitions >= 1, "repetitions must be at least 1", "repetitions"),
        )

    @property
    def is_step(self) -> bool:
        """Whether the load can change as it says, whatever the throughput is."""
        return all(holds for holds, *_ in self._step_rules)

    @property
    def _step_rules(self) -> tuple[tuple[bool, str, str], ...]:
        return (
            (
                0 < self.load <= 1,
                "the overload must be above 0 and at most 100 % of line rate",
                "overload",
            ),
            (
                0 < self.relief.value < 1,
                "the relief must be above 0 and below 100 % of the overload",
                "relief",
            ),
            (
                self.overload_duration.ns > 0,
                "the duration of the overload must be above 0",
                "overload_duration",
            ),
            (self.relief_duration.ns > 0, "the duration of the relief must be above 0", "relief_duration"),
        )

    @property
    def load(self) -> Fraction:
        """The load of the overload, in part of line rate."""
        if self.overload is not None:
            return self.overload.value
        return min(Fraction(1), self.throughput.value * Fraction(11, 10))

    @property
    def step_ns(self) -> int:
        """How long one repetition sends, in nanoseconds."""
        return self.overload_duration.ns + self.relief_duration.ns

    @property
    def step(self) -> Step:
        """The step of the load."""
        return Step(self.load, self.overload_duration, self.load * self.relief.value, self.relief_duration)

    def __str__(self) -> str:
        return (
            f"{Ratio(self.load)} of line rate for {self.overload_duration}, then {Ratio(self.step.after)} "
            f"for {self.relief_duration}, after a throughput of {self.throughput}, "
            f"{'once' if self.repetitions == 1 else f'{self.repetitions} times'}"
        )


@dataclass(frozen=True)
class RecoveryResult(Result):
    """How long the device went on losing frames.

    The first of `trials` is at the lower load, without an overload before it; the others are the repetitions.
    There are none where the first one lost frames, or is invalid.
    """

    measurement: RecoveryMeasurement
    stepped: tuple[Stepped, ...]  # how each stream left; the same in each repetition

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        overload = shorter("overloads", self.measurement.overload_duration, _RFC_OVERLOAD, _RFC)
        return (*overload, *unwaited(self.trials))

    @property
    def repetitions(self) -> tuple[Trial, ...]:
        """The trials with an overload."""
        return self.trials[1:]

    @property
    def recovery_ns(self) -> float | None:
        """The slowest stream's recovery, averaged over repetitions; None if it is not known or not over."""
        bounds = self.bounds_ns
        return None if bounds is None or bounds[1] == inf or self._doubt() else sum(bounds) / 2

    @property
    def bounds_ns(self) -> tuple[float, float] | None:
        """The least and the greatest time that it may have taken; None where it is not known."""
        each = [self._of(trial) for trial in self.repetitions if trial.valid]
        known = [bounds for bounds in each if bounds]
        if not known or len(known) < len(each):
            return None
        least, most = (sum(bounds[side] for bounds in known) / len(known) for side in (0, 1))
        return least, most

    def verdict_below(self, bound: Duration) -> Verdict:
        """Whether the device has lost its last frame at most so long after the overload.

        INCONCLUSIVE where it lost nothing, so that it was not overloaded, where it loses frames at the lower
        load anyway, and where the tester fell short.
        """
        bounds = self.bounds_ns
        least, most = bounds or (0.0, 0.0)
        return assess(
            None if bounds is None else least if least == most else About(least, most, self._text),
            AT_MOST,
            bound.ns,
            subject=f"system recovery of {self.title}",
            measured=self._text,
            bound=f"<= {bound}",
            doubt=self._doubt(bound),
        )

    def _of(self, trial: Trial) -> tuple[float, float] | None:
        found = [self._of_stream(s, how) for s, how in zip(trial.streams, self.stepped, strict=True)]
        known = [bounds for bounds in found if bounds]
        if len(known) < len(found):
            return None
        return max(least for least, _ in known), max(most for _, most in known)

    def _of_stream(self, stream: StreamResult, how: Stepped) -> tuple[float, float] | None:
        """The bounds of one stream; None where its counters do not tell."""
        last = LastLoss.of(stream)
        if last is None:
            return None
        late = stream.counters.worst_lateness_ns
        if last.most <= how.frames:  # the next frame arrived, and may have left so late
            return 0, late
        least = max(0, how.after_step_ns(last.least - 1) - late)
        if self._goes_on(last.most, stream, how):
            return least, inf
        return least, how.after_step_ns(last.most - 1) + late + float(how.gap_ns)

    def _goes_on(self, lost: int, stream: StreamResult, how: Stepped) -> bool:
        """Whether frames were still being lost at the end, if one was of this number, counted from 1."""
        after_ns = self.measurement.relief_duration.ns
        quiet_ns = after_ns - how.after_step_ns(lost - 1)
        return lost == stream.counters.tx_packets or quiet_ns < _QUIET * after_ns

    @property
    def _is_unfinished(self) -> bool:
        """Whether a stream lost frames for certain when the traffic ended."""
        return any(
            last is not None and self._goes_on(last.least, stream, how)
            for trial in self.repetitions
            if trial.valid
            for stream, how in zip(trial.streams, self.stepped, strict=True)
            for last in [LastLoss.of(stream)]
        )

    def _is_overloaded(self, trial: Trial) -> bool | None:
        """Whether a stream lost a frame late in the overload, or after it; None where nobody knows."""
        unknown = False
        for stream, how in zip(trial.streams, self.stepped, strict=True):
            last, early = LastLoss.of(stream), how.frames * (1 - _OVERLOADED)
            if last and last.least > early:
                return True
            unknown |= last is None or last.most > early
        return None if unknown else False

    def _doubt(self, bound: Duration | None = None) -> str:
        if doubt := doubt_of(self.trials) or unmeasured(self.trials) or undiscerned(self.trials):
            return doubt
        first = self.trials[0]
        if not first.loses_at_most(Fraction(0)):
            return (
                f"without any overload, at {Ratio(first.load)} of line rate, the device "
                f"{remarks.loss_text(first)}; so its last loss says nothing of a recovery"
            )
        for trial in self.repetitions:
            if trial.loses_at_most(Fraction(0)):
                return (
                    f"the device lost nothing at {Ratio(trial.load)} of line rate for "
                    f"{self.measurement.overload_duration}, so it was not overloaded"
                )
        return self._end_doubt(bound)

    def _end_doubt(self, bound: Duration | None) -> str:
        """Why the end of the losses is not known, or not what the bound is about; empty if it is."""
        if any(stream.counters.outages is None for trial in self.repetitions for stream in trial.streams):
            return uncounted(self.repetitions)
        overloaded = [self._is_overloaded(trial) for trial in self.repetitions]
        if False in overloaded:
            return (
                f"the device lost nothing in the last {Ratio(_OVERLOADED)} of the overload, so it was not "
                "overloaded when that ended"
            )
        if self.bounds_ns is None:
            return "the tester does not say which frame was lost last"
        least, most = self.bounds_ns
        if None in overloaded and not (bound and least > bound.ns):
            return (
                f"{_DISORDER}, so nobody knows whether the device lost one in the last {Ratio(_OVERLOADED)} "
                "of the overload or later"
            )
        if bound and least <= bound.ns and most == inf:
            if not self._is_unfinished:
                return f"{_DISORDER}, so the last number that was skipped may be no loss"
            return "it was not over when the traffic ended; send for longer than the bound after the overload"
        if bound and most <= bound.ns:
            return next(filter(None, map(self._hardly_overloaded, self.repetitions)), "")
        return ""

    def _hardly_overloaded(self, trial: Trial) -> str:
        """Why its losses are too few for an overload; empty if they are not.

        A device that forwards its throughput and no more loses what is beyond it, once its queue is full.
        Of one that does better, and loses a frame now and then, the last such frame tells no recovery.
        """
        beyond = 1 - self.measurement.throughput.value / self.measurement.load
        frames = sum(how.frames for how in self.stepped)
        lost = sum(bounds[1] for stream in trial.streams if (bounds := stream.order.loss_bounds))
        if lost >= beyond * frames * _FEW:
            return ""
        return (
            f"the device lost {lost:,} of {frames:,} frames at {Ratio(trial.load)} of line rate, where one "
            f"that forwards {self.measurement.throughput} and no more loses up to {int(beyond * frames):,}, "
            "so it was not overloaded; give a higher overload, or a longer one"
        )

    @property
    def _text(self) -> str:
        if self.bounds_ns is None:
            return "unknown"
        least, most = self.bounds_ns
        if most == inf and not self._is_unfinished:
            return f"at least {duration_text(least)}, perhaps not over when the traffic ended"
        if most == inf:
            return f"more than {duration_text(least)}, not over when the traffic ended"
        value, error = duration_text((least + most) / 2), duration_text((most - least) / 2)
        return f"{value} ± {error}"

    def __str__(self) -> str:
        doubt = self._doubt()
        text = f"{self.title}: system recovery {self._text}, {self.measurement}"
        return f"{text} ({doubt})" if doubt else text


def measure_system_recovery(
    measurer: StepMeasurer,
    measurement: RecoveryMeasurement,
    *,
    on_estimate: Callable[[int, Duration], None] | None = None,
) -> RecoveryResult:
    """Overloads the device, goes below its throughput, and finds the last frame that it lost; repeatedly.

    Before that the lower load is sent alone. It ends there where the device loses frames at it.

    Args:
        measurer: Runs the trials.
        measurement: At which loads, for how long, how often.
        on_estimate: Told before each trial how many are left, and how long they send.

    Raises:
        PlanError: the measurement makes no sense, or the tester cannot change a load within a stream.
        TargetError: the tester is broken, gone or late.
    """
    measurement.validate()
    stepped: tuple[Stepped, ...] = ()
    alone, each = measurement.relief_duration.ns, measurement.step_ns
    if on_estimate:
        on_estimate(1 + measurement.repetitions, Duration(alone + measurement.repetitions * each))
    trials = [measurer.measure(measurement.step.after, measurement.relief_duration)]
    passes = trials[0].valid and not trials[0].findings and trials[0].loses_at_most(Fraction(0))
    for left in range(measurement.repetitions if passes else 0, 0, -1):
        if on_estimate:
            on_estimate(left, Duration(left * each))
        trial, stepped = measurer.step(measurement.step)
        trials.append(trial)
    return RecoveryResult(trials[0].title, tuple(trials), measurement, stepped)
