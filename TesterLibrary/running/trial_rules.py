# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How trials are run: attempts, and the times for which a tester waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ..measurement.evidence import EvidenceLimits
from ..model.units.units import Duration
from .clock import Clock

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class TrialRules:
    """How a trial is run when its keyword does not say otherwise."""

    attempts: int = 3  # at a trial in which the tester did not do its part
    respite: Duration = Duration(500_000_000)  # before the second attempt; twice that before the third
    settle: Duration = Duration(
        200_000_000
    )  # after so long without an arrival nothing more will come (RFC 2544 §23)
    residual: Duration = Duration(2 * 10**9)  # for so long frames that are missing are waited for (§23)
    grace: Duration = Duration(5_000_000_000)  # how much later than due the tester may answer
    longest: Duration = Duration(300 * 10**9)  # of arrivals after the last departure; beyond, it is a loop
    limits: EvidenceLimits = field(default_factory=EvidenceLimits)

    def repeated(
        self,
        measure: Callable[[int], Measured],
        is_final: Callable[[Measured], bool],
        clock: Clock,
        more: int = 0,
    ) -> Measured:
        """The measurement of the first attempt, from 1, that is final, or of the last one.

        `more`: attempts beyond those of the rules, for what is not final though the tester did its part.
        """
        measured = measure(1)
        for attempt in range(1, self.attempts + more):
            if is_final(measured):
                break
            clock.sleep(attempt * self.respite.seconds)  # the disturbance may be over by then
            measured = measure(attempt + 1)
        return measured
