# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency (RFC 2544 §26.2): at the throughput or another load, averaged over repetitions.

The RFC tags one frame of each repetition; here every frame is measured, so each repetition has a minimum, a
mean and a maximum of its own, which are averaged as the RFC averages its values. Percentiles are over all
frames of all repetitions: an average of percentiles is the percentile of nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

from ..errors import require
from ..measurement.delays.correction import DelayKind
from ..measurement.delays.latency import Latency
from ..measurement.trial import Trial
from ..model.units.number import counted
from ..model.units.units import Duration, Ratio, duration_text
from ..verdict import Verdict
from .measurer import Measurer
from .result import Result, partly, shorter
from .standard import unwaited
from .verdicts.judging import latency_below, lost_text

_RFC, _RFC_DURATION, _RFC_REPETITIONS = "RFC 2544 §26.2", Duration(120 * 10**9), 20


@dataclass(frozen=True)
class LatencyMeasurement:
    """The load, the duration and the number of trials. The defaults are the RFC's."""

    load: Ratio  # of line rate; the RFC asks for the throughput found before
    trial_duration: Duration = _RFC_DURATION  # at least 120 s
    repetitions: int = _RFC_REPETITIONS  # at least 20
    kind: DelayKind = DelayKind.AS_SEEN
    part: Ratio | None = None  # of the throughput that was found before; None: the load has another origin

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.load.value > 0, "load must be above 0: no throughput was found, or none was given", "load"),
            (self.trial_duration.ns > 0, "the duration must be above 0", "trial_duration"),
            (self.repetitions >= 1, "repetitions must be at least 1", "repetitions"),
        )

    def __str__(self) -> str:
        text = f"{self.repetitions} x {self.trial_duration} at {self.load} of line rate"
        return text if self.kind is DelayKind.AS_SEEN else f"{text}, {self.kind.value}"


@dataclass(frozen=True)
class LatencyResult(Result):
    """Latency in nanoseconds, `None` where no frame arrived. `trials` are the repetitions."""

    measurement: LatencyMeasurement

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        given = self.measurement
        few = (
            ()
            if given.repetitions >= _RFC_REPETITIONS
            else (f"{counted(given.repetitions, 'repetition')}: {_RFC} asks for at least 20",)
        )
        part = partly("latency", given.part, _RFC)
        return (
            *shorter("repetitions", given.trial_duration, _RFC_DURATION, _RFC),
            *few,
            *part,
            *unwaited(self.trials),
        )

    @property
    def load(self) -> Fraction:
        """The load as a part of line rate."""
        return self.measurement.load.value

    @property
    def latency(self) -> Latency:
        """Latency over all frames of all valid repetitions; has the percentiles."""
        return Latency.merged(self._each())

    @property
    def min(self) -> float | None:
        """The repetitions' minima, averaged."""
        return _average(latency.min for latency in self._each())

    @property
    def mean(self) -> float | None:
        """The repetitions' means, averaged: the value the RFC reports."""
        return _average(latency.mean for latency in self._each())

    @property
    def max(self) -> float | None:
        """The repetitions' maxima, averaged."""
        return _average(latency.max for latency in self._each())

    def verdict_below(self, bound: Duration, *, percentile: float = 99) -> Verdict:
        """Whether a percentile over all frames is at most the bound; 100 is the maximum.

        INCONCLUSIVE if the tester fell short in a repetition or received nothing.
        """
        return latency_below(self.trials, bound, percentile, kind=self.measurement.kind)

    def merged_latency(self) -> Latency:
        """See Result."""
        return self.latency

    def latency_below(self, bound: Duration, percentile: float) -> Verdict:
        """See Result. Latencies are of the kind that was measured, such as store and forward."""
        return self.verdict_below(bound, percentile=percentile)

    def _each(self) -> list[Latency]:
        return [trial.latency_as(self.measurement.kind) for trial in self.trials if trial.valid]

    def __str__(self) -> str:
        mean_of = "mean of " if len(self._each()) > 1 else ""
        values = (
            (f"{mean_of}min", self.min),
            ("mean", self.mean),
            (f"{mean_of}max", self.max),
            ("p99", self.latency.p99),
        )
        texts = (f"{name} {'-' if v is None else duration_text(v)}" for name, v in values)
        text = f"{self.title}: latency {' '.join(texts)}, {self.measurement}"
        return text if all(trial.lost == 0 for trial in self.trials) else f"{text}, {lost_text(self.trials)}"


def measure_latency(
    measurer: Measurer,
    measurement: LatencyMeasurement,
    *,
    on_estimate: Callable[[int, Duration], None] | None = None,
) -> LatencyResult:
    """Measures the latency of every frame at one load, repeatedly.

    Args:
        measurer: Runs the trials.
        measurement: At which load, for how long, how often.
        on_estimate: Told before each trial how many are left, and how long they send.

    Raises:
        PlanError: the measurement makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    measurement.validate()
    trials: list[Trial] = []
    for left in range(measurement.repetitions, 0, -1):
        if on_estimate:
            on_estimate(left, Duration(left * measurement.trial_duration.ns))
        trials.append(measurer.measure(measurement.load.value, measurement.trial_duration))
    return LatencyResult(title=trials[0].title, trials=tuple(trials), measurement=measurement)


def _average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
