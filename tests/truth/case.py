# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One case: a verdict of the library beside the truth."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from TesterLibrary.verdict import Outcome, Verdict


@dataclass(frozen=True)
class Case:
    """A verdict, and whether the criterion is met in truth; None where the device did nothing that tells."""

    judge: str
    truth: bool | None
    verdict: Verdict
    excuse: str  # why the verdict may be INCONCLUSIVE; empty if nothing was absent
    about: str  # what rebuilds it
    target: str = "simulated"
    number: int = 0

    @property
    def false_pass(self) -> bool:
        return self.verdict.outcome is Outcome.PASS and self.truth is not True

    @property
    def false_fail(self) -> bool:
        return self.verdict.outcome is Outcome.FAIL and self.truth is not False

    @property
    def inconclusive(self) -> bool:
        return self.verdict.outcome is Outcome.INCONCLUSIVE

    def __str__(self) -> str:
        truth = {True: "within", False: "out of bounds", None: "undefined"}[self.truth]
        excuse = self.excuse or "nothing absent"
        return (
            f"case {self.number} on {self.target}, {self.judge}: truth {truth}, {self.verdict} [{excuse}]\n"
            f"    {self.about}"
        )


Judge = Callable[[random.Random], Case]


def near(draw: random.Random, truth: Fraction, step: Fraction) -> Fraction:
    """A bound at the truth, a step or a hair beside it, somewhere around it, or 0."""
    hair = step / 10**6
    chosen = draw.choice(
        [
            truth,
            truth + step,
            truth - step,
            truth + hair,
            truth - hair,
            truth * Fraction(draw.randint(1, 2000), 1000),
            truth + step * draw.randint(-30, 30),
            Fraction(0),
        ]
    )
    return max(Fraction(0), chosen)
