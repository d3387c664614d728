# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many neighbours a device has learned from ARP, and how fast (norma §8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from .validated import Validated


@dataclass(frozen=True)
class LearningCheck:
    """Addresses that were announced, and those of them to which the device then forwarded."""

    addresses: int
    known: int
    objections: tuple[str, ...] = ()
    doubt: str = ""  # why more of them may be known than were learned from announcements

    @property
    def complete(self) -> bool:
        """Whether the device knows every address at once."""
        return self.known == self.addresses

    def __str__(self) -> str:
        return f"{self.known:,} of {self.addresses:,} addresses known"


@dataclass(frozen=True)
class LearningTrial(Validated):
    """Addresses announced on one port while traffic to them came from another. Prints as one line."""

    addresses: int  # announced
    learned: int  # addresses to which the device forwarded once announcements were over
    announced_rate: float  # announcements each second, from the first to the last
    learning_ns: int  # from the first announcement until the last address was forwarded to
    probing_ns: int  # time between two frames to an address, by which learning_ns can be too long
    objections: tuple[str, ...] = ()
    started_at: str = ""  # wall clock, ISO 8601 with zone, for the report only
    doubt: str = ""  # why fewer of them may have been learned from announcements

    @property
    def all_learned(self) -> bool:
        """Whether the device knows every address at once."""
        return self.learned == self.addresses

    @property
    def learning_rate(self) -> float:
        """Entries each second, at least: the wait for a frame to the last address is part of it."""
        return self.learned * 1e9 / self.learning_ns if self.learning_ns else 0.0

    @property
    def rate_bounds(self) -> tuple[Fraction, Fraction | float]:
        """The least and the greatest rate that the time between two frames to an address allows, exactly."""
        if not (self.learned and self.learning_ns):
            return Fraction(0), Fraction(0)
        shortest = self.learning_ns - self.probing_ns
        least = Fraction(self.learned * 10**9, self.learning_ns)
        return least, Fraction(self.learned * 10**9, shortest) if shortest > 0 else inf

    def __str__(self) -> str:
        text = (
            f"{self.learned:,} of {self.addresses:,} addresses learned in {self.learning_ns / 1e9:.3g} s "
            f"({_rate(self.learning_rate)} of {_rate(self.announced_rate)} announced)"
        )
        return self.marked(text)


def _rate(per_second: float) -> str:
    """A rate as people read it: four digits, without an exponent."""
    return f"{per_second:,.0f}/s" if per_second >= 1000 else f"{per_second:.4g}/s"
