# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device stops forwarding (RFC 6201), while something is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

from ..measurement.counter import Counter, not_counted
from ..measurement.outage_bounds import Outage
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.units.units import Duration, duration_text
from ..verdict import AT_MOST, Between, Verdict, assess
from .measurer import Measurer
from .result import Result
from .verdicts.judging import doubt_of, title_of, undiscerned, unmeasured

_FRAMES = 2  # in the time of a bound: an outage that is longer has at least one of them missing


@dataclass(frozen=True)
class OutageResult(Result):
    """The longest outage of each stream."""

    @property
    def outages(self) -> tuple[Outage, ...]:
        """The longest outage of each stream that had one, the longest of all first."""
        return outages_of(self.trials)

    def __str__(self) -> str:
        return f"{self.title}: {outage_text(self.trials)}"


def measure_outage(measurer: Measurer, load: Fraction, duration: Duration) -> OutageResult:
    """One trial at a load, in part of line rate. TargetError if the tester is broken, gone or late."""
    trial = measurer.measure(load, duration)
    return OutageResult(title=trial.title, trials=(trial,))


def outages_of(trials: Sequence[Trial]) -> tuple[Outage, ...]:
    """The longest outage of each stream of the valid trials, longest first, as far as counted.

    One that had not ended is longer than any other.
    """
    found = [o for trial in trials if trial.valid for s in trial.streams for o in s.outages or ()]
    return tuple(sorted(found, key=lambda o: (not o.ended, o.by_time_ns), reverse=True))


def outage_text(trials: Sequence[Trial]) -> str:
    """The longest outage as people read it; `no outage` only where each stream of each trial was counted."""
    found = outages_of(trials)
    if found:
        return str(found[0])
    counted = all(trial.valid and all(s.outages is not None for s in trial.streams) for trial in trials)
    return f"no outage{_longer(trials)}" if counted else "not measured"


def _longer(trials: Sequence[Trial]) -> str:
    """The time below which no outage is seen: the greatest gap between two frames of a stream."""
    rates = [stream.intended_rate for trial in trials for stream in trial.streams]
    return f" longer than {duration_text(10**9 / min(rates))}" if rates else ""


def _too_coarse(trials: Sequence[Trial], bound: Duration) -> str:
    """The streams whose frames are so far apart that an outage above the bound fits between two of them."""
    streams = [s for trial in trials for s in trial.streams if s.intended_rate * bound.ns < 10**9]
    if not streams:
        return ""
    slowest = min(streams, key=lambda stream: stream.intended_rate)
    names = ", ".join(dict.fromkeys(stream.name for stream in streams))
    advice = (
        f"send at least {ceil(_FRAMES * Fraction(10**9, bound.ns)):,}/s for a bound of {bound}"
        if bound.ns
        else "no rate shows an outage of 0; verify the loss in its place"
    )
    return f"frames of {names} are {duration_text(10**9 / slowest.intended_rate)} apart; {advice}"


def uncounted(trials: Sequence[Trial]) -> str:
    """Why outages of these trials were not counted; some testers count those of frames of one size only."""
    without = {s.name: s.sizes for t in trials if t.valid for s in t.streams if s.counters.outages is None}
    several = f" of {', '.join(without)}, whose frames have several sizes"
    return not_counted([Counter.OUTAGES]) + several * (bool(without) and all(without.values()))


def _outage_of(outage: Outage, streams: Sequence[StreamResult]) -> str:
    """An outage, and the stream that had it if there are several."""
    name = next((stream.name for stream in streams if outage in (stream.outages or ())), "")
    return f"{outage} of {name}" if len({stream.name for stream in streams}) > 1 else str(outage)


def _longest(streams: Sequence[StreamResult]) -> tuple[float, float, bool]:
    """Bounds of the longest outage, and whether all streams have bounds."""
    bounds = [stream.outage_bounds for stream in streams]
    measured = [sides for sides in bounds if sides]
    least = max((sides[0] for sides in measured), default=0)
    most = max((sides[1] for sides in measured), default=0)
    return least, most, len(measured) == len(bounds)


def _open(trials: Sequence[Trial], bound: Duration, most: float) -> str:
    """Why an outage may be longer than a bound, or not."""
    if most == inf:
        return "it was not over when the traffic ended; send for longer"
    return _too_coarse(trials, bound)


def outage_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the longest outage is at most a bound.

    One that was not over when the traffic ended is FAIL if it was longer by then, else INCONCLUSIVE. So it is
    where copies or frames out of order leave its length open, and where frames are further apart
    than the bound, so that none shows a shorter outage.
    """
    streams = [stream for trial in trials if trial.valid for stream in trial.streams]
    longest = next(iter(outages_of(trials)), None)
    text = _outage_of(longest, streams) if longest else f"none{_longer(trials)}"
    least, most, all_measured = _longest(streams)
    if longest and longest.by_time_ns < least < inf:
        text = f"{duration_text(least)} or more; the last one, {text}"
    unknown = not all_measured and least <= bound.ns
    absent = undiscerned(trials) or uncounted(trials)
    return assess(
        least if least == most else Between(least, most),
        AT_MOST,
        bound.ns,
        subject=f"outage of {title_of(trials)}",
        measured="not measured" if unknown and not longest else text,
        bound=f"<= {bound}",
        doubt=doubt_of(trials)
        or unmeasured(trials)
        or (absent if unknown else "")
        or (_open(trials, bound, most) if least <= bound.ns < most else ""),
        text=duration_text,
    )
