# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The offset and drift of a tester's clock, from readings that were asked for over the control connection.

A reading was taken between question and answer. So each exchange bounds the offset, and two exchanges bound
the drift. A short round trip bounds more than a long one; no assumption is made on which way took how long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

UNIT = 10**15  # of drifts as whole numbers
MOST_DRIFT = Fraction(1, 2000)  # between two clocks; crystals differ by less than 0.02 %


@dataclass(frozen=True)
class Exchange:
    """One reading of a tester's clock. The other times are of this machine."""

    asked_ns: int
    read_ns: int
    answered_ns: int

    @property
    def least_ahead_ns(self) -> int:
        """The clock is ahead by at least this."""
        return self.read_ns - self.answered_ns

    @property
    def most_ahead_ns(self) -> int:
        """The clock is ahead by at most this."""
        return self.read_ns - self.asked_ns


@dataclass(frozen=True)
class ClockLine:
    """By how much a tester's clock is ahead of this machine's, at one instant."""

    at_ns: int  # of this machine
    ahead_ns: int
    within_ns: int  # by how much ahead_ns may be wrong
    drift: Fraction  # growth of ahead_ns, middle of its bounds
    drift_within: Fraction


class ClockStep(ValueError):
    """The exchanges contradict each other: a clock has stepped, or drifts more than clocks do."""


def drift_bounds(exchanges: Sequence[Exchange], most_drift: Fraction = MOST_DRIFT) -> tuple[int, int]:
    """The least and the greatest drift with which all exchanges agree, in units of 1 / `UNIT`.

    Raises:
        ClockStep: there is none.
    """
    slowest, fastest = -int(most_drift * UNIT), int(most_drift * UNIT)
    for first, second in combinations(sorted(exchanges, key=lambda e: e.asked_ns), 2):
        shortest = second.asked_ns - first.answered_ns
        if shortest <= 0:
            continue
        longest = second.answered_ns - first.asked_ns
        least = second.least_ahead_ns - first.most_ahead_ns
        most = second.most_ahead_ns - first.least_ahead_ns
        slowest = max(slowest, least * UNIT // (shortest if least < 0 else longest))
        fastest = min(fastest, -(-most * UNIT // (longest if most < 0 else shortest)))
    if slowest > fastest:
        raise ClockStep(f"its drift would be at least {_ppm(slowest)} and at most {_ppm(fastest)}")
    return slowest, fastest


def clock_line(exchanges: Sequence[Exchange], at_ns: int, drifts: tuple[int, int] | None = None) -> ClockLine:
    """The line through exchanges, at an instant of this machine. `drifts` are their `drift_bounds`.

    The true offset lies within its bound whenever both clocks run at constant rates that differ by at most
    `MOST_DRIFT`.

    Raises:
        ClockStep: no such line meets all exchanges.
        ValueError: there is no exchange.
    """
    if not exchanges:
        raise ValueError("no exchange with the tester's clock was made")
    drifts = drift_bounds(exchanges) if drifts is None else drifts
    lows, highs = [], []
    for exchange in exchanges:
        ages = (at_ns - exchange.asked_ns, at_ns - exchange.answered_ns)
        changes = [drift * age for drift in drifts for age in ages]
        lows.append(exchange.least_ahead_ns + min(changes) // UNIT)
        highs.append(exchange.most_ahead_ns - (-max(changes) // UNIT))
    low, high = max(lows), min(highs)
    if low > high:
        raise ClockStep(f"it would be ahead by at least {low} ns and at most {high} ns")
    ahead = (low + high) // 2
    slowest, fastest = drifts
    return ClockLine(
        at_ns,
        ahead,
        max(high - ahead, ahead - low),
        Fraction(slowest + fastest, 2 * UNIT),
        Fraction(fastest - slowest, 2 * UNIT),
    )


def _ppm(drift: int) -> str:
    return f"{drift * 1e6 / UNIT:+.1f} ppm"
