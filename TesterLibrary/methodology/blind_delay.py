# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The mean delay of frames that carry no timestamp (norma §6.2), with the bound of its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..measurement.delays.blind_delay import BlindDelay, bounded_text
from ..measurement.trial import Trial
from ..model.units.units import Duration
from ..verdict import AT_MOST, Verdict, assess
from .measurer import Measurer
from .result import Result
from .verdicts.judging import delay_doubt_of, lost_text, title_of


@dataclass(frozen=True)
class BlindDelayResult(Result):
    """The mean delay over all frames that arrived, of all valid trials."""

    @property
    def mean_ns(self) -> float | None:
        """Mean delay; None if nothing arrived, or if the tester's sums of times wrapped."""
        return _weighted(self.trials)[0]

    @property
    def bound_ns(self) -> float | None:
        """The most by which lost frames can make the mean wrong."""
        return _weighted(self.trials)[1]

    def __str__(self) -> str:
        return f"{self.title}: blind delay {delay_text(self.trials)}, {lost_text(self.trials)}"


def measure_blind_delay(measurer: Measurer, load: Fraction, duration: Duration) -> BlindDelayResult:
    """One trial at a load, in part of line rate. TargetError if the tester is broken, gone or late."""
    trial = measurer.measure(load, duration)
    return BlindDelayResult(title=trial.title, trials=(trial,))


def delay_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the mean delay is at most a bound.

    INCONCLUSIVE if the error that lost frames may have caused leaves it open, or a trial is invalid.
    """
    mean, error = _weighted(trials)
    doubt = delay_doubt_of(trials)
    if not doubt and (mean is None or error is None):
        doubt = _absence(trials)
    elif not doubt and mean is not None and error is not None and mean - error <= bound.ns < mean + error:
        doubt = f"it is {delay_text(trials)}: too close to {bound}"
    return assess(
        mean,
        AT_MOST,
        bound.ns,
        subject=f"mean delay of {title_of(trials)}",
        measured=delay_text(trials),
        bound=f"<= {bound}",
        doubt=doubt,
    )


def delay_text(trials: Sequence[Trial]) -> str:
    """The mean with its bound: `105 ns ± 0 ns`."""
    mean, bound = _weighted(trials)
    if mean is None or bound is None:
        return "unknown"
    delays = (stream.blind_delay for trial in trials if trial.valid for stream in trial.streams)
    assumed = dict.fromkeys(delay.assumption for delay in delays if delay)
    return bounded_text(mean, bound) + "".join(assumed)


def _absence(trials: Sequence[Trial]) -> str:
    """Why there is no mean."""
    found = [s.blind_delay for trial in trials if trial.valid for s in trial.streams]
    wrapped = [d.absence for d in found if d and d.arrivals.packets and d.mean_ns is None]
    return wrapped[0] if wrapped else "no frame with a sum of times was received"


def _weighted(trials: Sequence[Trial]) -> tuple[float | None, float | None]:
    """Mean and bound over all streams, each for as many frames as arrived of it, copies apart."""
    found = [s.blind_delay for trial in trials if trial.valid for s in trial.streams]
    delays: list[BlindDelay] = [delay for delay in found if delay and delay.arrivals.packets]
    known = [(mean, delay) for delay in delays if (mean := delay.mean_ns) is not None]
    if not delays or len(known) < len(delays):
        return None, None
    frames = sum(delay.arrived[1] for delay in delays) or 1
    mean = sum((mean * delay.arrived[1] for mean, delay in known), Fraction(0)) / frames
    most = greatest_mean([(mean + delay.bound_ns, *delay.arrived) for mean, delay in known])
    least = -greatest_mean([(delay.bound_ns - mean, *delay.arrived) for mean, delay in known])
    return float(mean), float(max(most - mean, mean - least))


def greatest_mean(values: Sequence[tuple[Fraction, int, int]]) -> Fraction:
    """The greatest mean of values of which each stands for a least to a most number of frames."""
    ordered = sorted(values, reverse=True)
    frames = sum(least for _, least, _ in ordered)
    total = sum((value * least for value, least, _ in ordered), Fraction(0))
    # As long as a value is above the mean, more frames of it raise it.
    for value, least, most in ordered:
        if frames and value <= total / frames:
            break
        frames, total = frames + most - least, total + value * (most - least)
    return total / (frames or 1)
