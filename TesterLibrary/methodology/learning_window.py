# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many addresses a bridge can be asked for before it forgets the first of them (RFC 2889 §5.7, §5.8).

Where learning and probing take as long as its ageing time, the rates of the tester are found, not its table.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..errors import PlanError
from ..model.units.quantity import Frequency
from ..model.units.units import Duration


@dataclass(frozen=True)
class LearningWindow:
    """The time from the first frame from which a bridge learns to the last frame to what it has learned."""

    ageing: Duration  # after which it has forgotten an address
    probe_rate: Frequency  # of the frames to the addresses
    gap: Duration  # between the frames from the addresses and those to them

    def most(self, rate: Frequency) -> int:
        """The most addresses that are learned at a rate and probed within the ageing time; 0: none."""
        each = 1 / rate.per_second + 1 / self.probe_rate.per_second
        return max(0, ceil(self._time / each) - 1)

    def refuse_more(self, addresses: int, rate: Frequency) -> None:
        """PlanError unless so many addresses are learned and probed within the ageing time."""
        if addresses <= self.most(rate):
            return
        taken = addresses / rate.per_second + addresses / self.probe_rate.per_second
        raise PlanError(
            f"{addresses:,} addresses that are learned at {rate} and probed at {self.probe_rate} take "
            f"{float(taken):.3g} s and {self.gap} between, and the bridge forgets them after "
            f"ageing={self.ageing}; {self._remedy(addresses)}"
        )

    def exceeded(self, first_ns: int, last_ns: int) -> str:
        """Why a check whose first and last frame left then says nothing of the table; empty if it does."""
        taken = last_ns - first_ns
        if taken < self.ageing.ns:
            return ""
        return (
            f"the last address was probed {taken / 1e9:.3g} s after the first one was learned, and the "
            f"bridge forgets after {self.ageing}; give higher rates, or fewer addresses"
        )

    @property
    def _time(self) -> Fraction:
        return Fraction(self.ageing.ns - self.gap.ns, 10**9)

    def _remedy(self, addresses: int) -> str:
        if self._time <= 0:
            return f"give the bridge a longer ageing time than {self.gap}"
        return f"give fewer addresses, or both rates above {ceil(2 * addresses / self._time):,}/s"
