# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast a device deletes the connections of its table when it is told to (RFC 9693 §4.8).

So many connections are opened and held; then the table is deleted out of band, and the time of that is taken.
The command takes time of its own, so it is given to an empty table before. Whether a connection is gone is
seen from outside: the responder goes on asking for each through its entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Protocol

from ..errors import PlanError
from ..measurement.validated import Validated
from ..model.units.number import counted
from ..model.units.quantity import Frequency
from ..model.units.units import duration_text
from ..verdict import AT_LEAST, Between, Verdict, assess, text_of
from .result import Result

_SECOND = 10**9
_TRUSTED = 3  # of so many times the shortest is not that of a busy machine
_TIMES = 10  # RFC 9693 §6: at least so many repetitions, of which the median is reported


@dataclass(frozen=True)
class TeardownTrial(Validated):
    """One table of connections that was deleted. Prints as one line."""

    connections: int  # that were asked for
    held: int  # of them, when the table was deleted
    empty_ns: int  # the time that the deletion of an empty table took
    command_ns: int  # the time from the begin of the command to its end
    least_ns: int  # the last entry was there until then at least, from the begin of the command
    most_ns: int | None  # and no longer than that; None: entries were still there at the end
    left: int = 0  # entries that were still there
    crossed: int = 0  # frames that had arrived at a connection until then and were for another
    objections: tuple[str, ...] = ()
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    earlier_attempts: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.held:,} of {self.connections:,} connections deleted within {_text(self.command_ns)}"
        if self.most_ns is None:
            text = f"{self.left:,} of {self.held:,} connections were still there after {_text(self.least_ns)}"
        elif self.most_ns > 2 * self.command_ns:
            text += f", the last of them after {_text(self.least_ns)} to {_text(self.most_ns)}"
        return self.marked(f"{text}, an empty table within {_text(self.empty_ns)}")


class TeardownMeasurer(Protocol):
    """Has connections opened and held, and their table deleted."""

    def tear_down(self, connections: int) -> TeardownTrial:
        """Deletes a table of so many connections. TargetError if the tester is broken, gone or late."""
        ...


@dataclass(frozen=True)
class TeardownResult(Result):
    """Connections that a device deletes each second, in several repetitions."""

    measured: tuple[TeardownTrial, ...]

    @property
    def rate(self) -> Fraction:
        """Connections deleted each second, by the median of the times; 0 if some were never deleted."""
        return self._bounds()[0]

    @property
    def shortened(self) -> tuple[str, ...]:
        """Says that there were fewer repetitions than the RFC asks for."""
        number = len(self.measured)
        few = f"{counted(number, 'repetition')}: RFC 9693 §6 asks for at least {_TIMES}"
        return (few,) if number < _TIMES else ()

    def verdict_above(self, bound: Frequency) -> Verdict:
        """Whether so many connections are deleted each second, by the median of the repetitions."""
        least, most = self._bounds()
        return assess(
            Between(least, most),
            AT_LEAST,
            bound.per_second,
            subject=f"connection tear-down rate of {self.title}",
            measured=_rate_text(least, most),
            bound=f">= {bound}",
            doubt=self._doubt() or self._open(least, most, bound),
        )

    def _bounds(self) -> tuple[Fraction, Fraction | float]:
        """The rate by the median of the times, and what the device itself may have reached at most.

        The command may take up to twice as long as ever for an empty table without deleting anything, and a
        machine that is late makes a time longer: the shortest one counts.
        """
        trials = self.measured
        held = min(trial.held for trial in trials)
        times = [inf if trial.most_ns is None else trial.most_ns for trial in trials]
        slow = inf if inf in times else sorted(times)[len(trials) // 2]
        left = [trial.least_ns for trial in trials if trial.most_ns is None]
        fast = max(left) if left else min(max(trial.least_ns, trial.command_ns) for trial in trials)
        fast -= 2 * max(trial.empty_ns for trial in trials)
        least = Fraction(0) if slow == inf else Fraction(held * _SECOND, max(1, int(slow)))
        surely = fast > 0 and (left or len(trials) >= _TRUSTED)
        return least, Fraction(held * _SECOND, fast) if surely else inf

    def _doubt(self) -> str:
        """Why nothing is known of the device."""
        if found := dict.fromkeys(o for trial in self.measured for o in trial.objections):
            return "; ".join(found)
        short = next((trial for trial in self.measured if trial.held < trial.connections), None)
        if short:
            return (
                f"{short.held:,} of {short.connections:,} connections were open when the table was to be "
                "deleted: the device did not take or keep the others; give fewer, or clients with a lower "
                "rate"
            )
        if crossed := sum(trial.crossed for trial in self.measured):
            return f"{crossed:,} frames for other flows had arrived: the device mixes its connections up"
        if all(trial.left == trial.held for trial in self.measured):
            return "the hook deleted none of the connections: is it that of this device's table?"
        return ""

    def _open(self, least: Fraction, most: Fraction | float, bound: Frequency) -> str:
        """The reason why a bound that lies between both is left open."""
        if not least < bound.per_second <= most:
            return ""
        if any(trial.most_ns is None for trial in self.measured):
            return "some connections were still there when they were watched no longer"
        if len(self.measured) < _TRUSTED:
            repetitions = counted(len(self.measured), "repetition")
            return f"{repetitions} may be those of a busy machine; give {_TRUSTED} or more"
        empty = _text(max(trial.empty_ns for trial in self.measured))
        return (
            f"the hook takes {empty} for an empty table, too, and entries are asked for now and then only; "
            "open more connections"
        )

    def __str__(self) -> str:
        rate = _rate_text(*self._bounds())
        return f"{self.title}: connection tear-down rate {rate}, {counted(len(self.measured), 'repetition')}"


def measure_teardown(
    measurer: TeardownMeasurer,
    title: str,
    *,
    connections: int,
    repetitions: int,
    on_trial: Callable[[TeardownTrial], None] = lambda _: None,
) -> TeardownResult:
    """Deletes a table of so many connections, so many times.

    Raises:
        PlanError: no connection, or no repetition. Nothing was sent.
        TargetError: the tester is broken, gone or late.
    """
    for name, number in (("connections", connections), ("repetitions", repetitions)):
        if number < 1:
            raise PlanError(f"{name}={number} is too few; give 1 or more")
    trials: list[TeardownTrial] = []
    for _ in range(repetitions):
        trials.append(measurer.tear_down(connections))
        on_trial(trials[-1])
        if trials[-1].held < connections:
            break
    return TeardownResult(title, (), tuple(trials))


def _rate_text(least: Fraction, most: Fraction | float) -> str:
    if most == inf:
        return f"at least {text_of(round(least))}/s"
    return f"{text_of(round(least))}/s to {text_of(round(most))}/s"


def _text(time_ns: int) -> str:
    return duration_text(round(time_ns, -5))
