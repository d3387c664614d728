# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loss that does not come from the load: a device that has it is unstable, and a search would mislead.

Every trial of a search counts: a load that fails, and passes later, contradicts itself.

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


def changed(
    trials: Sequence[Trial], later: Sequence[Trial], allowed: Fraction, *, least: int = 1
) -> Instability | None:
    """A trial that lost frames, and a later one at its load or above that passed: no load explains both.

    Such a device loses frames by what came before them, such as a pause. None if there are no such trials.

    Args:
        trials: In the order in which they ran.
        later: Trials that waited for frames on their way, for as long as the lossy ones or longer. Those that
            are also in `trials` count only from their place there on.
        allowed: The part of its frames that a trial may lose.
        least: How many trials of a load in a row have to lose more than that, the last one among them.
    """
    clear = [trial for trial in later if not doubt_of([trial]) and trial.loses_at_most(allowed)]
    places = {id(trial): place for place, trial in enumerate(trials)}
    highest = max((trial.load for trial in clear), default=Fraction(0))
    losses: dict[Fraction, int] = {}
    for place, low in enumerate(trials):
        if low.load > highest or doubt_of([low]) or low.loses_at_most(allowed) is None:
            continue
        losses[low.load] = 0 if low.loses_at_most(allowed) else losses.get(low.load, 0) + 1
        if losses[low.load] < least:
            continue
        for high in clear:
            if places.get(id(high), len(trials)) > place and _passes_instead(low, high):
                return Instability(low, high)
    return None


def _passes_instead(low: Trial, high: Trial) -> bool:
    """Whether a trial asked for as much as another one for as long, and lost less, beyond chance."""
    return high.load >= low.load and high.duration_ns >= low.duration_ns and _loses_more(low, high)


@dataclass(frozen=True)
class Attempt:
    """A check of a number, such as of groups that a device has to forward."""

    number: float
    passed: bool
    doubt: str  # why it does not show that the number is too high, if it failed; empty if it does
    text: str


def contradiction(attempts: Sequence[Attempt]) -> str:
    """Two attempts that no limit of the device explains, with their places; empty if there are none.

    One failed, and a later one with the same number or a higher one passed. A failure after a higher number
    may be what that one has left behind: a search tries such a number again.
    """
    most = 0.0
    for place, low in enumerate(attempts, start=1):
        fails = not low.passed and not low.doubt and low.number >= most
        most = max(most, low.number)
        if not fails:
            continue
        for later, high in enumerate(attempts[place:], start=place + 1):
            if high.passed and high.number >= low.number:
                return (
                    f"unstable: check {place} failed ({low.text}), and check {later} passed ({high.text}): "
                    "the device needs more than one attempt, or has changed"
                )
    return ""


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
    return _loses_more(low, high, low.load / high.load)


def _loses_more(low: Trial, high: Trial, part: Fraction = Fraction(1)) -> bool:
    """Whether the first loses more, beyond chance, than this part of the loss ratio of the second."""
    expected = float((high.loss_bounds or (0, 1))[1] * part * low.sent)
    return _lost(low) > expected + _NOISE * sqrt(expected)


def _lost_text(trial: Trial) -> str:
    return f"{trial.lost:,}" if trial.lost is not None else f"at least {_lost(trial):,.0f}"


def _lost(trial: Trial) -> Fraction:
    """Frames that it lost at least."""
    return (trial.loss_bounds or (Fraction(0), Fraction(1)))[0] * trial.sent


def _forwarded(trial: Trial) -> Fraction:
    """Frames a second that arrived."""
    return Fraction(sum(s.order.first_arrivals for s in trial.streams) * 10**9, trial.duration_ns)
