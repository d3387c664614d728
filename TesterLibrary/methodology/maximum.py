# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The most connections a device opens each second, or holds at once (RFC 3511 §5.2, §5.3).

The search doubles from the lowest level until a trial fails, and then halves what lies between, until the
bounds are as close as the resolution asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import ceil, floor

from ..errors import PlanError, TesterLibraryError, require
from ..measurement.session_trial import SessionTrial
from ..model.units.number import counted
from ..model.units.quantity import Frequency
from ..model.units.units import Duration, Ratio
from ..verdict import AT_LEAST, Verdict, assess, text_of
from .bisection import highest_passing
from .failure_remarks import changed_remarks, failures_of
from .sessions import ConnectionResult, SessionMeasurer, no_room

_SECOND = 10**9  # nanoseconds
_ENDS = 2  # of a time


class Limit(Enum):
    """Why the maximum is not higher."""

    SEARCH = "search"  # its highest level passed
    DEVICE = "device"  # a valid trial above it failed
    TESTER = "tester"  # above it the tester did not do its part


class Quantity(Enum):
    """The quantity whose maximum is searched."""

    RATE = "connection rate"  # connections opened each second
    CONCURRENT = "concurrent connections"  # open at once

    def text(self, level: float) -> str:
        """A level as people read it."""
        return f"{text_of(level)}/s" if self is Quantity.RATE else f"{level:,.0f}"


@dataclass(frozen=True)
class MaximumSearch:
    """Bounds and precision of a search. Levels are whole numbers."""

    quantity: Quantity
    lowest: int
    highest: int
    duration: Duration
    resolution: Ratio = Ratio(Fraction(1, 50))  # of the level: how far apart the final bounds are at most
    failures: Ratio = Ratio(Fraction(0))  # part of the connections that may fail
    tolerance: Ratio = Ratio(Fraction(1, 100))  # part of a rate by which it may be missed

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (
                1 <= self.lowest <= self.highest,
                "lowest must be at least 1 and at most highest",
                "lowest highest",
            ),
            (self.duration.ns > 0, "the duration must be above 0", "duration"),
            (0 < self.resolution.value < 1, "the resolution must be above 0 and below 100 %", "resolution"),
            (self.failures.value < 1, "failures must be below 100 %", "failures"),
        )

    def passes(self, level: int, trial: SessionTrial) -> bool:
        """Whether the tester did its part, and the device opened or held what it was asked to."""
        counted = trial.statistics
        if not trial.valid or self._fails(trial) or self._may_fail(trial):
            return False
        if self.quantity is Quantity.RATE:
            if counted.established is None:
                return False
            # Of even openings a time has as many as are due in it, in whole numbers.
            due = level * (1 - self.tolerance.value) * Fraction(counted.duration_ns, _SECOND)
            return counted.established >= max(1, floor(due))
        if counted.established is None or counted.ended is None:
            return False
        return counted.established - counted.ended >= level * (1 - self.failures.value)

    def duration_at(self, level: int) -> Duration:
        """The duration of a trial: at a low rate one in which two connections are within the tolerance.

        One may be due at either end of the time.
        """
        if self.quantity is not Quantity.RATE or not self.tolerance.value:
            return self.duration
        return Duration(max(self.duration.ns, ceil(_ENDS * _SECOND / (self.tolerance.value * level))))

    def limit_of(self, failing: SessionTrial) -> Limit:
        """Whether it was the device or the tester that a level failed by."""
        offered = self.quantity is not Quantity.RATE or self._fails(failing) or not failing.all_in_use
        judged = failing.valid and (self._fails(failing) or not self._may_fail(failing))
        return Limit.DEVICE if judged and offered else Limit.TESTER

    def _fails(self, trial: SessionTrial) -> bool:
        """Whether too many connections failed, or one had what is for another."""
        failed = trial.failed_bounds
        return failed is None or failed.least > self.failures.value or trial.statistics.crossed > 0

    def _may_fail(self, trial: SessionTrial) -> bool:
        """Whether too many connections may have had content that is not theirs."""
        failed = trial.failed_bounds
        return failed is not None and failed.most > self.failures.value

    def __str__(self) -> str:
        return (
            f"{self.quantity.value} from {self.lowest:,} to {self.highest:,}, resolution {self.resolution}, "
            f"trials of {self.duration}, failures {self.failures}"
        )


@dataclass(frozen=True)
class MaximumResult(ConnectionResult):
    """The highest level that passed. Both bounds rest on trials."""

    search: MaximumSearch
    maximum: int  # 0 if no level passed
    failed_at: int | None  # the lowest level that did not; None if there is none
    limited_by: Limit
    levels: tuple[int, ...]  # of each trial, in the order in which they ran
    measured: tuple[SessionTrial, ...]

    @property
    def trial(self) -> SessionTrial:
        """The one at the maximum; the last one, if none passed."""
        found = [t for level, t in zip(self.levels, self.measured, strict=True) if level == self.maximum]
        return found[-1] if found else self.measured[-1]

    def session(self) -> SessionTrial:
        """See ConnectionResult."""
        return self.trial

    def connection_rate_above(self, bound: Frequency) -> Verdict:
        """See ConnectionResult. TesterLibraryError: another quantity was searched."""
        self._require(Quantity.RATE)
        return self.verdict_above(bound.per_second, str(bound))

    def concurrent_connections_above(self, bound: int) -> Verdict:
        """See ConnectionResult. TesterLibraryError: another quantity was searched."""
        self._require(Quantity.CONCURRENT)
        return self.verdict_above(bound, f"{bound:,}")

    def _require(self, quantity: Quantity) -> None:
        if self.search.quantity is not quantity:
            raise TesterLibraryError(f"the {quantity.value} of {self.title} was not searched; this is {self}")

    @property
    def next_failure(self) -> str:
        """See Result."""
        levels = zip(self.levels, self.measured, strict=True)
        failed = [trial for level, trial in levels if level == self.failed_at]
        if self.failed_at is None or not failed:
            return ""
        return f"{self.search.quantity.text(self.failed_at)} did not pass: {failed[-1]}"

    def verdict_above(self, bound: float | Fraction, text: str) -> Verdict:
        """Whether the maximum is at least the bound. FAIL only where the device failed there or below."""
        holds = self.maximum >= bound
        verdict = assess(
            self.maximum,
            AT_LEAST,
            bound,
            subject=f"{self.search.quantity.value} of {self.title}",
            measured="; ".join(filter(None, (self._text, self._failures()))),
            bound=f">= {text}",
            doubt="" if holds else self._doubt(bound),
        )
        return replace(verdict, limit="" if self.limited_by is Limit.DEVICE else self.limited_by.value)

    @property
    def _text(self) -> str:
        text = self.search.quantity.text
        if self._dead:
            return text(0)
        if self.maximum or self.failed_at is None:
            return text(self.maximum)
        return f"below {text(self.failed_at)}" if self.limited_by is Limit.DEVICE else "not known"

    @property
    def _failing(self) -> SessionTrial | None:
        """The trial at the lowest level that the device did not pass; None if there is none."""
        if self.failed_at is None or self.limited_by is not Limit.DEVICE:
            return None
        return self.measured[self.levels.index(self.failed_at)]

    @property
    def _dead(self) -> bool:
        """Whether no connection ended well at any level."""
        return not self.maximum and self._failing is not None and self._failing.dead

    def _failures(self) -> str:
        """How connections failed at the lowest level that the device did not pass."""
        remarks = "; ".join(failures_of(self._failing)) if self._failing else ""
        return f"at {self.failed_at:,} {remarks}" if remarks else ""

    def _doubt(self, bound: float | Fraction) -> str:
        if self.failed_at is None:
            return f"the device passed the highest level of the search, {self.search.highest:,}"
        if self.limited_by is Limit.TESTER:
            failed = self.measured[self.levels.index(self.failed_at)]
            why = "; ".join(failed.objections or changed_remarks(failed))
            why = why or no_room(failed, Fraction(self.failed_at))
            return f"limited by the tester at {self.failed_at:,}: {why}"
        if self.failed_at <= bound or self._dead:
            return ""
        if not self.maximum:
            return f"nothing below {self.failed_at:,} was tried; give a lower lowest="
        return (
            f"the device passed at {self.maximum:,} and failed at {self.failed_at:,}, and the bound lies "
            "between them; search with a finer resolution"
        )

    def __str__(self) -> str:
        return (
            f"{self.title}: {self.search.quantity.value} {self._text}, "
            f"limited by the {self.limited_by.value}, {counted(len(self.measured), 'trial')}"
        )


def find_maximum(
    measurer: SessionMeasurer,
    search: MaximumSearch,
    *,
    on_trial: Callable[[int, SessionTrial], None] = lambda _level, _trial: None,
) -> MaximumResult:
    """Searches the highest level that passes.

    Raises:
        PlanError: the search makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    search.validate()
    levels: list[int] = []
    trials: list[SessionTrial] = []

    def passes(level: int) -> bool:
        trial = measurer.measure(level, search.duration_at(level))
        if trial.connection_rate is None:
            raise PlanError(
                f"the {search.quantity.value} of {trial.statistics.name} cannot be searched: the tables of "
                "its protocol count neither connections established nor answers"
            )
        levels.append(level)
        trials.append(trial)
        on_trial(level, trial)
        return search.passes(level, trial)

    passed, failed = highest_passing(search.lowest, search.highest, search.resolution.value, passes)
    failing = trials[levels.index(failed)] if failed is not None else None
    limit = Limit.SEARCH if failing is None else search.limit_of(failing)
    return MaximumResult(
        title=trials[0].statistics.name,
        trials=(),
        search=search,
        maximum=passed,
        failed_at=failed,
        limited_by=limit,
        levels=tuple(levels),
        measured=tuple(trials),
    )
