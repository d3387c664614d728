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
from math import ceil, floor

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


def clock_line(exchanges: Sequence[Exchange], at_ns: int, most_drift: Fraction = MOST_DRIFT) -> ClockLine:
    """The line through exchanges, at an instant of this machine.

    The true offset lies within its bound whenever both clocks run at constant rates that differ by at most
    `most_drift`.

    Raises:
        ClockStep: no such line meets all exchanges.
        ValueError: there is no exchange.
    """
    if not exchanges:
        raise ValueError("no exchange with the tester's clock was made")
    slowest, fastest = -most_drift, most_drift
    for first, second in combinations(sorted(exchanges, key=lambda e: e.asked_ns), 2):
        shortest = second.asked_ns - first.answered_ns
        if shortest <= 0:
            continue
        longest = second.answered_ns - first.asked_ns
        least, most = (
            second.least_ahead_ns - first.most_ahead_ns,
            second.most_ahead_ns - first.least_ahead_ns,
        )
        slowest = max(slowest, Fraction(least, shortest if least < 0 else longest))
        fastest = min(fastest, Fraction(most, longest if most < 0 else shortest))
    if slowest > fastest:
        raise ClockStep(f"its drift would be at least {_ppm(slowest)} and at most {_ppm(fastest)}")
    lows, highs = [], []
    for exchange in exchanges:
        ages = (at_ns - exchange.asked_ns, at_ns - exchange.answered_ns)
        changes = [drift * age for drift in (slowest, fastest) for age in ages]
        lows.append(exchange.least_ahead_ns + min(changes))
        highs.append(exchange.most_ahead_ns + max(changes))
    low, high = floor(max(lows)), ceil(min(highs))
    if low > high:
        raise ClockStep(f"it would be ahead by at least {low} ns and at most {high} ns")
    ahead = (low + high) // 2
    return ClockLine(
        at_ns, ahead, max(high - ahead, ahead - low), (slowest + fastest) / 2, (fastest - slowest) / 2
    )


def _ppm(drift: Fraction) -> str:
    return f"{float(drift) * 1e6:+.1f} ppm"
