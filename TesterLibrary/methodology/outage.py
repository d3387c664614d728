# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a device stops forwarding (RFC 6201), while something is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..measurement.outage import Outage
from ..measurement.trial import Trial
from ..model.units import Duration
from ..verdict import Verdict, judge
from .judging import doubt_of, title_of
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
    """The longest one of each stream of the valid trials, the longest of all first."""
    found = [s.outage for trial in trials if trial.valid for s in trial.streams]
    return tuple(sorted((o for o in found if o), key=lambda o: o.by_time_ns, reverse=True))


def outage_below(trials: Sequence[Trial], bound: Duration) -> Verdict:
    """Whether the longest outage is at most a bound; one that was not over when the traffic ended is not."""
    longest = next(iter(outages_of(trials)), None)
    return judge(
        holds=longest is None or (longest.ended and longest.by_time_ns <= bound.ns),
        subject=f"outage of {title_of(trials)}",
        measured=str(longest) if longest else "none",
        bound=f"<= {bound}",
        doubt=doubt_of(trials),
    )
