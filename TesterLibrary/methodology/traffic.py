# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic that ran until it was stopped: one trial for each start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..measurement.counter import total
from ..measurement.trial import Trial
from .result import Result


@dataclass(frozen=True)
class TrafficResult(Result):
    """The trials that were stopped together. Each of them is judged."""

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> TrafficResult:
        """The result of trials that were stopped together, at least one."""
        return cls(" + ".join(dict.fromkeys(trial.title for trial in trials)), tuple(trials))

    @property
    def sent(self) -> int:
        """Frames that left the tester."""
        return sum(trial.sent for trial in self.trials)

    @property
    def received(self) -> int:
        """Frames that arrived where they were expected."""
        return sum(trial.received for trial in self.trials)

    @property
    def lost(self) -> int | None:
        """Frames that were sent and did not arrive; None where one of the trials cannot tell."""
        return total(trial.lost for trial in self.trials)

    def __str__(self) -> str:
        return "; ".join(map(str, self.trials))
