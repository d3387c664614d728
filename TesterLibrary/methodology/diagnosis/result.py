# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a diagnosis: a sentence, and the experiments that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.units.number import counted
from ...model.units.units import Duration
from ..result import Result
from .laboratory import ExperimentRecord


@dataclass(frozen=True)
class ConfirmedCause:
    """One cause, and the smallest traffic that shows it."""

    sentence: str  # Loses each frame of 1,024 to 1,279 bytes
    fails: str  # the smallest traffic that fails
    passes: str  # the same traffic without the condition
    confirmed: int  # how often it failed, and the other one passed


@dataclass(frozen=True)
class DiagnosisResult(Result):
    """Why frames are lost. It changes no verdict."""

    causes: tuple[ConfirmedCause, ...]  # together they explain the loss; none: it is not explained
    reason: str  # why it is not explained; empty if it is
    others_sent: int  # frames that no cause speaks of
    others_lost: int
    excluded: tuple[str, ...]  # conditions that experiments have excluded, each with the reason
    candidates: tuple[str, ...]  # what may still be the cause, where it is not explained
    experiments: tuple[ExperimentRecord, ...]
    took: Duration

    @property
    def explained(self) -> bool:
        """Whether the cause is known."""
        return bool(self.causes) and not self.reason

    @property
    def sentence(self) -> str:
        """The cause in one sentence, or why none is known."""
        if not self.explained:
            return f"not explained: {self.reason}"
        causes = "; ".join(cause.sentence for cause in self.causes)
        confirmed = min(cause.confirmed for cause in self.causes)
        others = f"; {self.others_lost:,} of {self.others_sent:,} of all others" if self.others_sent else ""
        return f"{causes}{others}; confirmed {counted(confirmed, 'time')}"

    def __str__(self) -> str:
        return f"{self.title}: {self.sentence} ({counted(len(self.experiments), 'experiment')}, {self.took})"
