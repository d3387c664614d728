# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device stops forwarding (RFC 6201), while something is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..measurement.counter import Counter, not_counted
from ..measurement.outage import Outage
from ..measurement.trial import Trial
from ..model.units import Duration, duration_text
from ..verdict import AT_MOST, Between, Verdict, assess
from .judging import doubt_of, title_of, undiscerned, unmeasured
from .measurer import Measurer
from .result import Result


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
    return "no outage" if counted else "not measured"


def uncounted(trials: Sequence[Trial]) -> str:
    """Why outages of these trials were not counted; some testers count those of frames of one size only."""
    without = {s.name: s.sizes for t in trials if t.valid for s in t.streams if s.counters.outages is None}
    several = f" of {', '.join(without)}, whose frames have several sizes"
    return not_counted([Counter.OUTAGES]) + several * (bool(without) and all(without.values()))


def outage_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the longest outage is at most a bound; one that was not over when the traffic ended is not.

    INCONCLUSIVE where copies or frames out of order leave its length open.
    """
    streams = [stream for trial in trials if trial.valid for stream in trial.streams]
    longest = next(iter(outages_of(trials)), None)
    name = next((stream.name for stream in streams if longest in (stream.outages or ())), "")
    several = len({stream.name for stream in streams}) > 1
    each = [stream.outage_bounds for stream in streams]
    known = [bounds for bounds in each if bounds]
    least, most = (max((bounds[side] for bounds in known), default=0) for side in (0, 1))
    unknown = len(known) < len(each) and least <= bound.ns
    absent = undiscerned(trials) or uncounted(trials)
    return assess(
        least if least == most else Between(least, most),
        AT_MOST,
        bound.ns,
        subject=f"outage of {title_of(trials)}",
        measured=f"{longest}{f' of {name}' * several}" if longest else "not measured" if unknown else "none",
        bound=f"<= {bound}",
        doubt=doubt_of(trials) or unmeasured(trials) or (absent if unknown else ""),
        text=duration_text,
    )
