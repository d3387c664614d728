# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""After how long a device forgets an address from which nothing comes any more.

An address is learned once; from then on frames are sent to it until they are treated as those to an unknown
one. The time is known as well as the gap between two such frames, and the time that they are on their way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Protocol

from ..errors import PlanError
from ..measurement.validated import Validated
from ..model.units.units import Duration, duration_text
from ..verdict import AT_LEAST, AT_MOST, Between, Verdict, assess
from .result import Result


class Table(Enum):
    """The table that an address is in."""

    MAC = "MAC table"  # of a bridge
    NEIGHBOURS = "neighbour table"  # of a router: ARP, or neighbour discovery


@dataclass(frozen=True)
class AgeingTrial(Validated):
    """One address that was learned, and when it was forgotten. Prints as one line."""

    address: str
    known: bool  # frames to it were treated as those to a known address at first
    least_ns: int  # it was known for so long at least
    most_ns: int | None  # and no longer than that; None: it was still known when the trial ended
    objections: tuple[str, ...] = ()
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only

    def __str__(self) -> str:
        if not self.known:
            return self.marked(f"{self.address} was not learned")
        if self.most_ns is None:
            return self.marked(f"{self.address} was still known after {_text(self.least_ns)}")
        return self.marked(f"{self.address} was forgotten after {_range(self.least_ns, self.most_ns)}")


class AgeingMeasurer(Protocol):
    """Lets a device learn an address and watches until it is forgotten."""

    table: Table

    def age(self, timeout: Duration) -> AgeingTrial:
        """Watches an address that was in no trial before. TargetError if the tester is broken or gone."""
        ...


@dataclass(frozen=True)
class AgeingResult(Result):
    """The ageing times of several addresses, one after the other."""

    table: Table
    measured: tuple[AgeingTrial, ...]

    @property
    def shortest_ns(self) -> int:
        """The least time after which an address may have been forgotten."""
        return min(trial.least_ns for trial in self.measured)

    @property
    def longest_ns(self) -> int | None:
        """The time after which each was forgotten for certain; None if one was not."""
        known = [trial.most_ns for trial in self.measured]
        return None if None in known else max(each for each in known if each is not None)

    def verdict_above(self, bound: Duration) -> Verdict:
        """Whether each address was known for at least so long."""
        worst = min(self.measured, key=lambda trial: trial.least_ns)
        return self._verdict(worst, bound, above=True)

    def verdict_below(self, bound: Duration) -> Verdict:
        """Whether each address was forgotten after at most so long."""
        worst = max(self.measured, key=lambda trial: inf if trial.most_ns is None else trial.most_ns)
        return self._verdict(worst, bound, above=False)

    def _verdict(self, worst: AgeingTrial, bound: Duration, *, above: bool) -> Verdict:
        unknown = [trial for trial in self.measured if not trial.known]
        doubt = "; ".join(dict.fromkeys(o for trial in self.measured for o in trial.objections))
        if unknown:
            doubt = doubt or f"{unknown[0].address} was not learned, so that it could not be forgotten"
        most = inf if worst.most_ns is None else worst.most_ns
        return assess(
            Between(worst.least_ns, most),
            AT_LEAST if above else AT_MOST,
            bound.ns,
            subject=f"ageing time of {self.title}",
            measured=_range(worst.least_ns, worst.most_ns) if not unknown else "unknown",
            bound=f"{'>=' if above else '<='} {bound}",
            doubt=doubt or self._open(worst, bound),
        )

    def _open(self, worst: AgeingTrial, bound: Duration) -> str:
        if worst.most_ns is None and worst.least_ns < bound.ns:
            return f"it was watched for {_text(worst.least_ns)} only; give a longer timeout"
        if worst.most_ns is not None and worst.least_ns < bound.ns < worst.most_ns:
            return "the bound lies within what the gap between two frames leaves open; give a higher rate"
        return ""

    def __str__(self) -> str:
        return f"{self.title}: {'; '.join(map(str, self.measured))}"


def measure_ageing(
    measurer: AgeingMeasurer,
    title: str,
    *,
    cycles: int,
    timeout: Duration,
    on_trial: Callable[[AgeingTrial], None] = lambda _: None,
) -> AgeingResult:
    """Has so many addresses learned and forgotten, one after the other.

    Raises:
        PlanError: no cycle, or no time to wait. Nothing was sent.
        TargetError: the tester is broken, gone or late.
    """
    if cycles < 1:
        raise PlanError(f"cycles={cycles} is too few; give 1 or more")
    if timeout.ns <= 0:
        raise PlanError(f"a timeout of {timeout} is too short; it must be above 0")
    trials = []
    for _ in range(cycles):
        trials.append(measurer.age(timeout))
        on_trial(trials[-1])
        if not trials[-1].known:
            break
    return AgeingResult(f"the {measurer.table.value} {title}", (), measurer.table, tuple(trials))


def _range(least_ns: int, most_ns: int | None) -> str:
    return f"more than {_text(least_ns)}" if most_ns is None else f"{_text(least_ns)} to {_text(most_ns)}"


def _text(time_ns: int) -> str:
    return duration_text(round(time_ns, -5))
