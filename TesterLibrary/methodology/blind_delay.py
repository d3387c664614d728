# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The mean delay of frames that carry no timestamp (norma §6.2), with the bound of its error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..model.units.units import Duration
from .measurer import Measurer
from .result import Result
from .verdicts.blind_delay import delay_text, weighted_mean
from .verdicts.judging import lost_text


@dataclass(frozen=True)
class BlindDelayResult(Result):
    """The mean delay over all frames that arrived, of all valid trials."""

    @property
    def mean_ns(self) -> float | None:
        """Mean delay; None if nothing arrived, or if the tester's sums of times wrapped."""
        return weighted_mean(self.trials)[0]

    @property
    def bound_ns(self) -> float | None:
        """The most by which lost frames can make the mean wrong."""
        return weighted_mean(self.trials)[1]

    def __str__(self) -> str:
        return f"{self.title}: blind delay {delay_text(self.trials)}, {lost_text(self.trials)}"


def measure_blind_delay(measurer: Measurer, load: Fraction, duration: Duration) -> BlindDelayResult:
    """One trial at a load, in part of line rate. TargetError if the tester is broken, gone or late."""
    trial = measurer.measure(load, duration)
    return BlindDelayResult(title=trial.title, trials=(trial,))
