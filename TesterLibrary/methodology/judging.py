# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials against bounds. A value from a trial in which the tester fell short is never a PASS or a FAIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..measurement.correction import DelayKind
from ..measurement.latency import Latency
from ..measurement.trial import StreamResult, Trial
from ..model.units import LINE_OVERHEAD, Duration, Rate, RateUnit, Ratio
from ..verdict import Verdict, judge


def loss_below(trials: Sequence[Trial], bound: Ratio) -> Verdict:
    """Whether no trial lost a greater part of its frames than the bound.

    FAIL if a valid trial did, whatever the others say; else INCONCLUSIVE if one is invalid or there is none.
    """
    valid = [trial for trial in trials if trial.valid]
    worst = max(valid, key=lambda trial: trial.loss, default=None)
    where = f"; {worst.misrouted}" if worst and worst.misrouted else ""
    holds = worst is None or worst.loss <= bound.value
    return judge(
        holds=holds,
        subject=f"frame loss of {title_of(trials)}",
        measured=f"{Ratio(worst.loss)} ({worst.lost:,} of {worst.sent:,} frames{where})"
        if worst
        else "unknown",
        bound=f"<= {bound}",
        doubt=doubt_of(trials) if holds else "",
    )


def latency_below(
    trials: Sequence[Trial],
    bound: Duration,
    percentile: float,
    *,
    kind: DelayKind = DelayKind.AS_SEEN,
) -> Verdict:
    """Whether a percentile over all frames of all trials is at most the bound; 100 is the maximum.

    INCONCLUSIVE if a trial is invalid, if there is none, or if a trial received nothing.
    """
    valid = [trial for trial in trials if trial.valid]
    value = latency_of(valid, kind).percentile(percentile)
    deaf = any(trial.latency.count == 0 for trial in valid)
    return judge(
        holds=value is not None and value <= bound.ns,
        subject=f"p{percentile:g} latency of {title_of(trials)}",
        measured="unknown" if value is None else str(Duration(round(value))),
        bound=f"<= {bound}",
        doubt=delay_doubt_of(trials) or ("no frame of a trial was received" if deaf else ""),
    )


def throughput_above(trial: Trial, bound: Rate) -> Verdict:
    """Whether a trial delivered at least the bound, in the bound's unit.

    Below the bound it is FAIL only if the device lost frames: a device that delivered all it was offered
    might deliver more, so that is INCONCLUSIVE.
    """
    value = amount(trial, bound.unit, lambda s: Fraction(s.counters.rx_packets * 10**9, trial.duration_ns))
    doubt = doubt_of([trial])
    if not doubt and value < bound.value and trial.lost == 0:
        doubt = "the device delivered all that it was offered; offer at least the bound"
    return judge(
        holds=value >= bound.value,
        subject=f"throughput of {trial.title}",
        measured=str(Rate(value, bound.unit)),
        bound=f">= {bound}",
        doubt=doubt,
    )


def amount(trial: Trial, unit: RateUnit, frames_per_second: Callable[[StreamResult], Fraction]) -> Fraction:
    """What the streams of a trial carry together, given what each does: in the unit of a rate.

    In `%` it is the part of the trial's load that the frames are of those intended.
    """
    each = [(stream, frames_per_second(stream)) for stream in trial.streams]
    total = sum((rate for _, rate in each), Fraction(0))
    if unit is RateUnit.PPS:
        return total
    if unit is RateUnit.LINE:
        intended = sum((stream.intended_rate for stream in trial.streams), Fraction(0))
        return trial.load * total / intended if intended else Fraction(0)
    overhead = LINE_OVERHEAD if unit is RateUnit.L1 else 0
    return sum((rate * 8 * (stream.mean_size + overhead) for stream, rate in each), Fraction(0))


def latency_of(trials: Sequence[Trial], kind: DelayKind = DelayKind.AS_SEEN) -> Latency:
    """Latency over all frames of all trials."""
    return Latency.merged(trial.latency_as(kind).counters for trial in trials)


def title_of(trials: Sequence[Trial]) -> str:
    """Streams and frame size of trials of the same streams."""
    return trials[0].title if trials else "no trial"


def delay_doubt_of(trials: Sequence[Trial]) -> str:
    """Why the delays of trials are not to be trusted; empty if they are."""
    return doubt_of(trials) or next((d for trial in trials for d in trial.delay_objections), "")


def doubt_of(trials: Sequence[Trial]) -> str:
    """Why trials are not to be trusted; empty if they are."""
    if not trials:
        return "nothing was measured"
    return next(("; ".join(trial.objections) for trial in trials if not trial.valid), "")
