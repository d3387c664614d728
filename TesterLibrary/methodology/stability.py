# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss that does not come from the load: a device that has it is unstable, and a search would mislead.

Of a device that loses frames because it is offered too much, either nothing more is forwarded when more is
offered, or the part that it loses grows at least as fast as the load. Where it loses at a load, forwards more
at twice that load or above, and loses no greater part there than that, its loss has another cause. This has
to hold of the device and of one of its ports: while one has all that it carries, another may forward more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio
from .measurer import Measurer
from .verdicts.judging import doubt_of

_APART = 2  # times the load at which more is forwarded
_MORE = Fraction(12, 10)  # times the rate, from which on more is forwarded
_NOISE = 3  # standard deviations of a count of lost frames


def check_stability(
    measurer: Measurer, load: Fraction, duration: Duration, allowed: Fraction
) -> Iterator[Trial]:
    """Runs a trial at a low load, and another one if it lost more than is allowed: see `changed`."""
    trial = measurer.measure(load, duration)
    yield trial
    if trial.loses_at_most(allowed) is False:
        yield measurer.measure(load, duration)


@dataclass(frozen=True)
class Instability:
    """Two trials by which loss does not come from the load."""

    low: Trial  # that lost frames
    high: Trial  # at a higher load, which forwarded more and lost too little for the load to explain both

    def __str__(self) -> str:
        low, high = self.low, self.high
        return (
            f"lost {_lost_text(low)} of {low.sent:,} frames at {Ratio(low.load)} of line rate and "
            f"{_lost_text(high)} of {high.sent:,} at {Ratio(high.load)}"
        )


def instability(trials: Sequence[Trial], allowed: Fraction, *, least: int = 1) -> Instability | None:
    """The reason to think that loss does not come from the load; None if there is none.

    Args:
        trials: In the order in which they ran, at several loads.
        allowed: The part of its frames that a trial may lose.
        least: How many trials of a load have to lose more than that, the last one among them.
    """
    known = [trial for trial in trials if not doubt_of([trial]) and trial.loss_bounds]
    lossy: dict[Fraction, list[Trial]] = {}
    for trial in known:
        each = lossy.setdefault(trial.load, [])
        if trial.loses_at_most(allowed) is False:
            each.append(trial)
        else:
            each.clear()  # it does not always lose there
    for load in sorted(lossy):
        if len(lossy[load]) < least:
            continue
        low = lossy[load][-1]
        if high := next((high for high in known if _unrelated(low, high)), None):
            return Instability(low, high)
    return None


def changed(checks: Sequence[Trial], trials: Sequence[Trial], allowed: Fraction) -> Instability | None:
    """A check that lost frames, and a trial at its load or a higher one that passed: no load explains both.

    Such a device loses frames by what came before them, such as a pause. None if there are no such trials.

    Args:
        checks: The trials at a low load.
        trials: Later ones that waited for frames on their way, for as long as the checks or longer.
        allowed: The part of its frames that a trial may lose.
    """
    known = [trial for trial in trials if not doubt_of([trial]) and trial.loses_at_most(allowed)]
    for low in checks:
        if doubt_of([low]) or low.loses_at_most(allowed) is not False:
            continue
        if high := next((t for t in known if t.load >= low.load and t.duration_ns >= low.duration_ns), None):
            return Instability(low, high)
    return None


def _unrelated(low: Trial, high: Trial) -> bool:
    """Whether the loss at the low load has another cause than the load, as the trial at a higher one shows.

    The longer trial has to be the one at the higher load: buffers forward more than their rate in short ones.
    """
    if high.load < _APART * low.load or high.duration_ns < low.duration_ns:
        return False
    ports = {stream.rx_port for stream in low.streams}
    return _grows_alone(low, high) and (
        len(ports) == 1 or any(_grows_alone(_to(port, low), _to(port, high)) for port in ports)
    )


def _to(port: str, trial: Trial) -> Trial:
    """The trial as if it had had no streams to other ports."""
    return replace(trial, streams=tuple(s for s in trial.streams if s.rx_port == port))


def _grows_alone(low: Trial, high: Trial) -> bool:
    """Whether more arrives at the high load, and more is lost at the low one than the high one explains."""
    if _forwarded(high) <= _MORE * _forwarded(low):
        return False
    expected = float((high.loss_bounds or (0, 1))[1] * low.load / high.load * low.sent)
    return _lost(low) > expected + _NOISE * sqrt(expected)


def _lost_text(trial: Trial) -> str:
    return f"{trial.lost:,}" if trial.lost is not None else f"at least {_lost(trial):,.0f}"


def _lost(trial: Trial) -> Fraction:
    """Frames that it lost at least."""
    return (trial.loss_bounds or (Fraction(0), Fraction(1)))[0] * trial.sent


def _forwarded(trial: Trial) -> Fraction:
    """Frames a second that arrived."""
    return Fraction(sum(s.order.first_arrivals for s in trial.streams) * 10**9, trial.duration_ns)
