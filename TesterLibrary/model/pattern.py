# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How frames are spaced around their average rate: pass/skip stages and bursts (norma §5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError

MOST_STAGES = 8


@dataclass(frozen=True)
class Stage:
    """Of the ticks that reach it, passes `passes`, then skips `skips`, forever."""

    passes: int
    skips: int

    def __post_init__(self) -> None:
        if self.passes < 1 or self.skips < 0:
            raise PlanError(
                f"a stage that passes {self.passes} and skips {self.skips}: "
                "it has to pass at least 1 and skip 0 or more"
            )

    @property
    def ratio(self) -> Fraction:
        """The part of the ticks that it passes."""
        return Fraction(self.passes, self.passes + self.skips)

    @property
    def period(self) -> int:
        """Ticks after which it starts over; what its register has to count to."""
        return self.passes + self.skips

    def __str__(self) -> str:
        return f"pass {self.passes:,} skip {self.skips:,}"


@dataclass(frozen=True)
class Burst:
    """Batches of `packets`, sent at `peak` times the average rate."""

    packets: int
    peak: Fraction

    def __post_init__(self) -> None:
        if self.packets < 1:
            raise PlanError(f"a burst of {self.packets} packets: it has to have at least 1")
        if self.peak < 1:
            raise PlanError(
                f"a burst with a peak of {float(self.peak):g}x: the average would exceed the peak; "
                "give 1x or more"
            )

    @property
    def stage(self) -> Stage:
        """The stage that makes it; what rounding to whole packets costs is the peak's, not the average's.

        Known answers: 1,000 packets at 2.5x -> pass 1,000 skip 1,500; 4 packets at 2.5x -> pass 4 skip 6.
        """
        return Stage(self.packets, round(self.packets * (self.peak - 1)))
