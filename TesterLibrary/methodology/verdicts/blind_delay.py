# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the mean delay of frames that carry no timestamp (norma §6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...measurement.delays.blind_delay import BlindDelay, bounded_text
from ...measurement.trial import Trial
from ...model.units.units import Duration
from ...verdict import AT_MOST, Verdict, assess
from .judging import delay_doubt_of, title_of


def delay_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the mean delay is at most a bound.

    INCONCLUSIVE if the error that lost frames may have caused leaves it open, or a trial is invalid.
    """
    mean, error = weighted_mean(trials)
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
    mean, bound = weighted_mean(trials)
    if mean is None or bound is None:
        return "unknown"
    delays = (stream.blind_delay for trial in trials if trial.valid for stream in trial.streams)
    assumed = dict.fromkeys(delay.assumption for delay in delays if delay)
    return bounded_text(mean, bound) + "".join(assumed)


def _absence(trials: Sequence[Trial]) -> str:
    """Why there is no mean."""
    delays = [s.blind_delay for trial in trials if trial.valid for s in trial.streams]
    wrapped = [d.absence for d in delays if d and d.arrivals.packets and d.mean_ns is None]
    return wrapped[0] if wrapped else "no frame with a sum of times was received"


def weighted_mean(trials: Sequence[Trial]) -> tuple[float | None, float | None]:
    """The mean over all streams, weighted by the frames that arrived, and the bound of its error."""
    streams = [stream for trial in trials if trial.valid for stream in trial.streams]
    delays: list[BlindDelay] = [d for s in streams if (d := s.blind_delay) and d.arrivals.packets]
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
