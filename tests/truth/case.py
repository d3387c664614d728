# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One case: a verdict of the library beside the truth."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from TesterLibrary.verdict import Outcome, Verdict

# Objections to a trial that are caused by the machine, not by a fault of the tester.
_MACHINE = re.compile(
    "the hypervisor took|a worker did not run for|with a rate error of|kernel dropped|"
    "pauses of the tester|flows in time|the tester's own rings"
)


SIMULATED, FAKE, SWITCH, ENGINE = "simulated", "fake", "tofino-fake", "engine"


@dataclass(frozen=True)
class Case:
    """A verdict, and whether the criterion is met in truth; None where the device did nothing that tells."""

    judge: str
    truth: bool | None
    verdict: Verdict
    excuse: str  # why the verdict may be INCONCLUSIVE; empty if nothing was absent
    about: str  # what rebuilds it
    target: str = SIMULATED
    number: int = 0
    disturbed: str = ""  # how long programs of the machine waited for a CPU meanwhile, if they did

    @property
    def false_pass(self) -> bool:
        return self.verdict.outcome is Outcome.PASS and self.truth is not True

    @property
    def false_fail(self) -> bool:
        return self.verdict.outcome is Outcome.FAIL and self.truth is not False

    @property
    def inconclusive(self) -> bool:
        return self.verdict.outcome is Outcome.INCONCLUSIVE

    @property
    def machine(self) -> str:
        """The machine's disturbances, with numbers, that made the verdict INCONCLUSIVE; or empty."""
        named = self.inconclusive and _MACHINE.search(self.verdict.reason)
        return f"{self.disturbed}; {self.verdict.reason}" if self.disturbed and named else ""

    @property
    def wanting(self) -> bool:
        """INCONCLUSIVE although nothing was absent and nobody disturbed the tester."""
        return self.inconclusive and not self.excuse and not self.machine

    def __str__(self) -> str:
        truth = {True: "within", False: "out of bounds", None: "undefined"}[self.truth]
        excuse = self.machine or self.excuse or "nothing absent"
        return (
            f"case {self.number} on {self.target}, {self.judge}: truth {truth}, {self.verdict} [{excuse}]\n"
            f"    {self.about}"
        )


Judge = Callable[[random.Random], Case]
JUDGES: dict[str, list[Judge]] = {SIMULATED: [], FAKE: [], SWITCH: []}


def judge(make: Judge) -> Judge:
    """Registers a judge of simulated devices."""
    return judge_on(SIMULATED)(make)


def judge_on(target: str) -> Callable[[Judge], Judge]:
    """Registers a judge whose cases run on a target."""

    def register(make: Judge) -> Judge:
        JUDGES[target].append(make)
        return make

    return register


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
