# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials against bounds. A value from a trial in which the tester fell short is never a PASS or a FAIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf

from ...errors import TesterLibraryError
from ...measurement import remarks
from ...measurement.attempt import flapping
from ...measurement.counter import total
from ...measurement.delays.correction import DelayKind
from ...measurement.delays.latency import Figure, Latency
from ...measurement.stream_result import StreamResult
from ...measurement.trial import Trial
from ...model.units.units import LINE_OVERHEAD, Duration, Rate, RateUnit, Ratio, duration_text, ratio_text
from ...verdict import AT_LEAST, AT_MOST, About, Between, Outcome, Undecided, Verdict, assess

# A reason to doubt a rate below what is asked: that was not offered.
ALL_DELIVERED = "the device delivered all that it was offered"


def loss_below(
    trials: Sequence[Trial],
    bound: Ratio,
    timeout: Duration | None = None,
    *,
    at: Ratio | None = None,
) -> Verdict:
    """Whether no trial lost a greater part of its frames than the bound.

    With a timeout, frames that arrived later are lost, too. With a load, `at`, trials up to it are judged.
    Where loads differ, the verdict says at which one most was lost.

    FAIL if a valid trial did, whatever the others say; else INCONCLUSIVE if one is invalid, if there is none,
    if the counts of one leave its loss open, or if a stream of one received nothing: what all streams lost
    together hides that one of them is dead. If `at` was not tried, PASS needs a higher load within the bound.
    """
    tried = trials
    trials, above = _up_to(tried, at)
    bounds = [_loss_bounds(trial, timeout) for trial in trials]
    known = [
        (*_unpaused(b, trial, bound), trial)
        for b, trial in zip(bounds, trials, strict=True)
        if trial.valid and b
    ]
    least, most, worst = max(known, key=lambda each: each[0], default=(Fraction(0), Fraction(0), None))
    if worst is not None and least > bound.value:
        doubt = ""
    else:
        least, most, worst = max(known, key=lambda each: each[1], default=(least, most, None))
        is_open = worst and least <= bound.value < most and (most == 1 or worst.lost_crowded)
        doubt = (
            _untried(trials, at, tried)
            or _loss_doubt(trials, timeout)
            or (remarks.loss_open(worst) if worst and is_open else "")
            or deaf(trials)
            or _unrated(trials, at)
            or _untried_at(trials, above, bound, timeout, at)
        )
    return assess(
        (least if least == most else Between(least, most)) if worst else None,
        AT_MOST,
        bound.value,
        subject=f"frame loss of {title_of(tried)}{'' if at is None else f' at loads up to {at}'}",
        measured=_loss_within_text(worst, least, most, timeout) + _at_load(worst, at, tried)
        if worst
        else "unknown",
        bound=f"<= {bound}",
        doubt=doubt,
        criterion="frame loss",
        text=ratio_text,
    )


def _up_to(tried: Sequence[Trial], at: Ratio | None) -> tuple[list[Trial], list[Trial]]:
    """The trials at loads up to one, and those above; without a load all trials, and none."""
    if at is None:
        return list(tried), []
    judged = [trial for trial in tried if trial.load <= at.value or _is_at(trial, at)]
    return judged, [trial for trial in tried if trial.load > at.value]


def _unrated(trials: Sequence[Trial], at: Ratio | None) -> str:
    """Why the load of a trial is not known, if loads are judged."""
    return "" if at is None else next(filter(None, map(remarks.no_rate, trials)), "")


def _is_at(trial: Trial, at: Ratio) -> bool:
    """Whether a load left in a trial, as far as people read it."""
    return str(Ratio(trial.left_load)) == str(at)


def _untried(trials: Sequence[Trial], at: Ratio | None, tried: Sequence[Trial]) -> str:
    """Why nothing is known of loads that are judged; empty if something is."""
    if trials or at is None or not tried:
        return ""
    lowest = Ratio(min(trial.load for trial in tried))
    return f"no load at or below {at} was tried; the lowest was {lowest}; give Sweep Frame Loss at={at}"


def _untried_at(
    trials: Sequence[Trial],
    above: Sequence[Trial],
    bound: Ratio,
    timeout: Duration | None,
    at: Ratio | None,
) -> str:
    """Why lower loads within the bound leave open the load that is judged; empty if they do not.

    It was tried itself, or the next higher load is within the bound, too.
    """
    if at is None or any(_is_at(trial, at) for trial in trials):
        return ""
    lower = Ratio(max(trial.left_load for trial in trials))
    higher = min((trial.load for trial in above), default=None)
    if higher is None:
        return f"{at} was not tried; the highest load was {lower}; give Sweep Frame Loss at={at}"
    nearest = [trial for trial in above if trial.load == higher]
    within = loss_below(nearest, bound, timeout)
    if within.outcome is Outcome.PASS:
        return ""
    return (
        f"{at} was not tried: the next lower load, {lower}, is within the bound, and of the next higher one, "
        f"{Ratio(higher)}, the loss is {within.measured}; give Sweep Frame Loss at={at}"
    )


def _at_load(worst: Trial, at: Ratio | None, tried: Sequence[Trial]) -> str:
    """The load of a trial, where there are others."""
    if at is None and len({trial.load for trial in tried}) < 2:
        return ""
    return f" at a load of {Ratio(worst.load)}"


def _loss_bounds(trial: Trial, timeout: Duration | None) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest loss; where delays are in doubt, any frame may have been late."""
    if timeout is None or trial.loss_bounds is None:
        return trial.loss_bounds
    return (
        (trial.loss_bounds[0], Fraction(1)) if trial.delay_objections else trial.loss_bounds_within(timeout)
    )


def _unpaused(bounds: tuple[Fraction, Fraction], trial: Trial, bound: Ratio) -> tuple[Fraction, Fraction]:
    """A loss; the least is lower where only frames behind pauses of the tester put it above the bound."""
    least, most = bounds
    unpaused = trial.unpaused_loss(least)
    return (unpaused if unpaused <= bound.value < least else least), most


def _loss_doubt(trials: Sequence[Trial], timeout: Duration | None) -> str:
    """Why the loss of trials is not to be trusted; with a timeout, their delays, too. Empty if it is."""
    if timeout is None:
        return doubt_of(trials) or unmeasured(trials)
    untimed = any(trial.late_bounds(timeout) is None for trial in trials)
    return (
        delay_doubt_of(trials)
        or unmeasured(trials)
        or (undelayed(trials) or "not every frame that arrived was timed" if untimed else "")
    )


def _loss_within_text(trial: Trial, least: Fraction, most: Fraction, timeout: Duration | None) -> str:
    """The loss with its counts; with a timeout, with how many frames were late."""
    late = None if timeout is None else trial.late_bounds(timeout)
    if late is None or trial.delay_objections:
        return _loss_text(trial)
    count = f"{late[0]:,}" if late[0] == late[1] else f"{late[0]:,} to {late[1]:,}"
    value = str(Ratio(least)) if least == most else f"{Ratio(least)} to {Ratio(most)}"
    return (
        f"{value} ({count} of {trial.sent:,} frames later than {timeout}; without these {_loss_text(trial)})"
    )


def _loss_text(trial: Trial) -> str:
    """The loss with its counts, and with remarks on other frames."""
    if trial.loss is None and trial.loss_bounds:
        least, most = trial.loss_bounds
        if most < 1:
            loss = f"{Ratio(least)} to {Ratio(most)}"
        else:
            loss = f"at least {Ratio(least)}" if least else "not known"
        loss += f" (received {trial.received:,} of {trial.sent:,} frames"
    else:
        loss = f"{Ratio(trial.loss or Fraction(0))} ({trial.lost:,} of {trial.sent:,} frames"
    return "; ".join((loss, *remarks.besides(trial))) + ")"


def latency_below(
    trials: Sequence[Trial],
    bound: Duration,
    percentile: float,
    *,
    kind: DelayKind = DelayKind.AS_SEEN,
    beside: str = "",
    doubt: str = "",
) -> Verdict:
    """Whether a percentile over all frames of all trials is at most the bound; 100 is the maximum.

    INCONCLUSIVE if a trial is invalid, if there is none, if a stream of one received nothing, or if it
    depends on which arrivals are copies; or because of a `doubt`. `beside`: what else was sent, for the text.
    """
    if not 0 < percentile <= 100:
        raise TesterLibraryError(f"a percentile of {percentile:g} is not above 0 and at most 100")
    valid = [trial for trial in trials if trial.valid]
    latency, copies = latency_of(valid, kind), sum(trial.order.copies[1] for trial in valid)
    figure = latency.figure_without(copies, percentile)
    measured = duration_text(figure.value) if figure else "unknown"
    if figure and any(trial.lost for trial in trials):
        measured += f" of the frames that arrived ({lost_text(trials)})"
    return assess(
        about(figure),
        AT_MOST,
        bound.ns,
        subject=f"p{percentile:g} latency of {title_of(trials)}{beside}",
        measured=measured,
        bound=f"<= {bound}",
        doubt=delay_doubt_of(trials)
        or undelayed(trials)
        or doubt
        or (_copies_doubt(figure, bound, copies, latency.count) if figure and copies else ""),
    )


def _copies_doubt(figure: Figure, bound: Duration, copies: int, arrivals: int) -> str:
    """That copies leave open on which side of a bound a latency is; empty if they do not."""
    if not figure.least <= bound.ns < figure.most:
        return ""
    least, most = map(duration_text, (figure.least, figure.most))
    return f"{copies:,} of {arrivals:,} arrivals may be copies, so it lies between {least} and {most}"


def throughput_above(trial: Trial, bound: Rate) -> Verdict:
    """Whether a trial without loss delivered at least the bound, in the bound's unit (RFC 1242 §3.17).

    Frames count that arrived as they were sent, each once. Below the bound it is FAIL only if the device lost
    frames: a device that delivered all it was offered might deliver more, so that is INCONCLUSIVE. With loss
    it is never PASS: what arrives then is the forwarding rate (RFC 2285 §3.6.1), and nobody knows what the
    device delivers without loss.
    """
    value = amount(trial, bound.unit, lambda s: Fraction(s.order.first_arrivals * 10**9, trial.sending_ns))
    highest = amount(
        trial, bound.unit, lambda s: Fraction(s.order.most_first_arrivals * 10**9, trial.sending_ns)
    )
    least, most = trial.loss_bounds or (Fraction(0), Fraction(1))
    doubt = doubt_of([trial]) or ("" if trial.has_rate else f"{remarks.no_rate(trial)}; send more")
    if not doubt and value < bound.value and not least:
        doubt = "the device delivered all that it was offered; offer at least the bound"
    if not doubt and highest >= bound.value and most:
        doubt = unmeasured([trial]) or (
            f"{remarks.loss_text(trial)}, and throughput allows no loss: this is the forwarding rate; offer "
            "the bound and no more, or search the throughput"
        )
    return assess(
        value if value == highest else Between(value, highest),
        AT_LEAST,
        bound.value,
        subject=f"throughput of {trial.title}",
        measured="; ".join((str(Rate(value, bound.unit)), *remarks.besides(trial))),
        bound=f">= {bound}",
        doubt=doubt,
    )


def amount(trial: Trial, unit: RateUnit, frames_per_second: Callable[[StreamResult], Fraction]) -> Fraction:
    """The rate of all streams of a trial together, from the rate of each stream; in this unit.

    In `%` it is the trial's load multiplied by the ratio of these frames to the intended ones.
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
    return Latency.merged(trial.latency_as(kind) for trial in trials)


def about(figure: Figure | None) -> Between | None:
    """A time as it is judged: with its error. A percentile of too few values has no upper bound."""
    if figure is None:
        return None
    if figure.few:
        return Undecided(figure.least, inf, figure.few)
    if not figure.error:
        return Between(figure.least, figure.most)
    return About(figure.least, figure.most, f"{duration_text(figure.value)} ± {figure.error}")


def title_of(trials: Sequence[Trial]) -> str:
    """Streams and frame size of trials of the same streams."""
    return trials[0].title if trials else "no trial"


def lost_text(trials: Sequence[Trial]) -> str:
    """The frames that trials lost, as people read it."""
    lost = total(trial.lost for trial in trials)
    return "loss not known" if lost is None else f"lost {lost:,} frames"


def delay_doubt_of(trials: Sequence[Trial]) -> str:
    """Why the delays of trials are not to be trusted; empty if they are."""
    return doubt_of(trials) or next((d for trial in trials for d in trial.delay_objections), "")


def order_doubt_of(trials: Sequence[Trial]) -> str:
    """Why the order of the frames of trials is not to be trusted; empty if it is."""
    return doubt_of(trials) or next((d for trial in trials for d in trial.order_objections), "")


def doubt_of(trials: Sequence[Trial]) -> str:
    """Why nothing can be concluded from trials; empty if something can.

    The tester did not do its part, or what the device did leaves open what its counts mean.
    """
    if not trials:
        return "nothing was measured"
    doubts = (
        "; ".join(trial.objections or trial.findings or filter(None, [remarks.unconfirmed(trial)]))
        for trial in trials
    )
    return next(filter(None, doubts), "") or flapping_of(trials)


def untold(trial: Trial, bound: Ratio) -> str:
    """Why a trial does not tell whether it lost more than the bound; empty if it does."""
    return doubt_of([trial]) or (remarks.loss_open(trial) if trial.loses_at_most(bound.value) is None else "")


def flapping_of(trials: Sequence[Trial]) -> str:
    """That a link went down in several attempts at trials, in each of which it was to be up; empty if not."""
    attempts = [
        down
        for trial in trials
        for down in (
            *(attempt.links_down for attempt in trial.earlier),
            () if trial.valid else trial.evidence.links_down,
        )
    ]
    return flapping(attempts)


def unmeasured(trials: Sequence[Trial]) -> str:
    """Why the loss of trials is not known, where it is not; empty where it is."""
    streams = (stream.name for trial in trials for stream in trial.streams if not stream.measured)
    names = ", ".join(dict.fromkeys(streams))
    return f"the arrivals of {names} are not measured, so nobody knows its loss" if names else ""


def deaf(trials: Sequence[Trial]) -> str:
    """The streams of trials that received nothing; empty if each received something."""
    streams = (s.name for trial in trials for s in trial.streams if not s.counters.rx_packets)
    names = ", ".join(dict.fromkeys(streams))
    return f"no frame of {names} was received" if names else ""


def undelayed(trials: Sequence[Trial]) -> str:
    """The streams of trials that have no latency, and why; empty if each has one."""
    undelayed = [s for trial in trials for s in trial.streams if not s.counters.latency.count]
    names = ", ".join(dict.fromkeys(s.name for s in undelayed if s.signed))
    missing = (
        f"no latency of {names} is known: no frame with a signature was received, or one took longer than "
        "the tester can measure"
        if names
        else ""
    )
    return deaf(trials) or missing or (undiscerned(trials) if undelayed else "")


def undiscerned(trials: Sequence[Trial]) -> str:
    """The streams of trials whose frames have no signature, and what to do; empty if all have one."""
    names = ", ".join(dict.fromkeys(s.name for trial in trials for s in trial.streams if not s.signed))
    if not names:
        return ""
    return f"frames of {names} have no signature and are not told apart; give `Create Stream` signature=True"
