# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device stops forwarding (RFC 6201), while something is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..measurement.counter import Counter, not_counted
from ..measurement.outage import Outage
from ..measurement.trial import Trial
from ..model.units import Duration
from ..verdict import AT_MOST, Verdict, assess
from .judging import doubt_of, title_of, unmeasured
from .measurer import Measurer
from .result import Result


@dataclass(frozen=True)
class OutageResult(Result):
    """The longest outage of each stream."""

    @property
    def outages(self) -> tuple[Outage, ...]:
        """The longest one of each stream that had one, the longest of all first."""
        return outages_of(self.trials)

    def __str__(self) -> str:
        return f"{self.title}: {self.outages[0] if self.outages else 'no outage'}"


def measure_outage(measurer: Measurer, load: Fraction, duration: Duration) -> OutageResult:
    """One trial at a load, in part of line rate. TargetError if the tester is broken, gone or late."""
    trial = measurer.measure(load, duration)
    return OutageResult(title=trial.title, trials=(trial,))


def outages_of(trials: Sequence[Trial]) -> tuple[Outage, ...]:
    """The longest one of each stream of the valid trials, the longest of all first, as far as counted."""
    found = [o for trial in trials if trial.valid for s in trial.streams for o in s.outages or ()]
    return tuple(sorted(found, key=lambda o: o.by_time_ns, reverse=True))


def outage_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the longest outage is at most a bound; one that was not over when the traffic ended is not."""
    longest = next(iter(outages_of(trials)), None)
    unknown = any(stream.outages is None for trial in trials for stream in trial.streams)
    return assess(
        _length(longest),
        AT_MOST,
        bound.ns,
        subject=f"outage of {title_of(trials)}",
        measured=str(longest) if longest else "not measured" if unknown else "none",
        bound=f"<= {bound}",
        doubt=doubt_of(trials) or unmeasured(trials) or (not_counted([Counter.OUTAGES]) if unknown else ""),
    )


def _length(outage: Outage | None) -> float:
    """How long an outage lasted, in nanoseconds: without end where nothing arrived any more."""
    if outage is None:
        return 0
    return outage.by_time_ns if outage.ended else inf
