# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic that ran until it was stopped: one trial for each start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..measurement.counter import total
from ..measurement.trial import Trial
from ..model.units.units import Rate
from ..verdict import Verdict
from .result import Result
from .verdicts.judging import throughput_above


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

    def latest(self) -> tuple[Trial, ...]:
        """See Result."""
        return self.trials

    def frame_throughput_above(self, bound: Rate) -> Verdict:
        """See Result. A load that was offered once is no throughput of several trials."""
        if len(self.trials) > 1:
            return super().frame_throughput_above(bound)
        return throughput_above(self.trials[0], bound)

    def __str__(self) -> str:
        return "; ".join(map(str, self.trials))


def result_of(measured: Trial | Result) -> Result:
    """The measurement as a result; a trial becomes a result of this trial alone."""
    return TrafficResult.of([measured]) if isinstance(measured, Trial) else measured
