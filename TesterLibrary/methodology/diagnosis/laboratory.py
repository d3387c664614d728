# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the experiments of one diagnosis: within its budget, each written down, none asked twice."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...model.units.units import Duration
from .experiment import Experiment, ExperimentMeasurer, ExperimentOutcome, KindCounts, RepeatedTraffic
from .traffic import FrameKind

_FRAMES = 20  # of each kind: by chance all of them are lost with less than 1e-3 up to a loss of 70 %
_LOWEST, _LOW_RATE = Fraction(1, 10), Fraction(1000)  # part of the load, and frames/s
_REPEATS = 1  # of an experiment in which the tester fell short


class DiagnosisEnd(Exception):
    """The diagnosis ends without a cause; the text says why."""


@dataclass(frozen=True)
class ExperimentRecord:
    """One line of the table of experiments."""

    question: str
    kinds: int
    sent: int
    lost: int
    trial: int | None  # its number in the run
    objection: str = ""  # why it does not count


@dataclass
class DiagnosisLab:
    """The experiments so far, and the answers of the device."""

    measurer: ExperimentMeasurer
    budget: Duration
    seed: int = 1
    records: list[ExperimentRecord] = field(default_factory=list)
    observations: list[ExperimentOutcome] = field(default_factory=list)
    totals: dict[FrameKind, KindCounts] = field(default_factory=dict)  # over experiments at `slow`

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        # The load of experiments on contents, part of that of the traffic.
        self.slow = min(Fraction(1), max(_LOWEST, _LOW_RATE / self.measurer.frames_per_second))
        self._ends_ns = self.measurer.now_ns() + self.budget.ns

    @property
    def traffic(self) -> object:
        """The failing traffic."""
        return self.measurer.traffic

    def repeat(self) -> RepeatedTraffic:
        """The failing traffic once more."""
        for _ in range(1 + _REPEATS):
            self._check_budget()
            repetition = self.measurer.repeat()
            number = repetition.trial.number if repetition.trial else None
            sent, lost = repetition.sent, repetition.lost
            question = "the traffic as it is"
            self.records.append(ExperimentRecord(question, 0, sent, lost, number, repetition.objection))
            if not repetition.objection:
                return repetition
        raise DiagnosisEnd(f"the tester fell short: {repetition.objection}")

    def run(self, experiment: Experiment) -> ExperimentOutcome:
        """One valid experiment. DiagnosisEnd if the budget is used up, or the tester falls short."""
        for _ in range(1 + _REPEATS):
            self._check_budget()
            observation = self.measurer.run(experiment)
            number = observation.trial.number if observation.trial else None
            self.records.append(
                ExperimentRecord(
                    experiment.question,
                    len(experiment.frames),
                    observation.sent,
                    observation.lost,
                    number,
                    observation.objection,
                )
            )
            if not observation.objection:
                self.observations.append(observation)
                return observation
        raise DiagnosisEnd(f"the tester fell short: {observation.objection}")

    def ask(self, question: str, kinds: Iterable[FrameKind], *, again: bool = False) -> None:
        """Sends kinds that are not known yet; `again`: also those that are known.

        The numbers of frames differ, so that no device that counts frames always meets the same kind.
        """
        open_kinds = [k for k in dict.fromkeys(kinds) if again or k not in self.totals]
        for begin in range(0, len(open_kinds), self.measurer.most_kinds):
            batch = open_kinds[begin : begin + self.measurer.most_kinds]
            frames = {kind: self.random.randint(_FRAMES, 2 * _FRAMES) for kind in batch}
            observation = self.run(Experiment(question, frames, self.slow, any_rate=True))
            for kind, counts in observation.counts.items():
                self.learn(kind, counts)

    def learn(self, kind: FrameKind, counts: KindCounts) -> None:
        """Adds counts of a kind."""
        before = self.totals.get(kind, KindCounts(0, 0))
        self.totals[kind] = KindCounts(before.sent + counts.sent, before.lost + counts.lost)

    def loses(self, kind: FrameKind) -> bool:
        """Whether all frames of a known kind were lost."""
        return self.totals[kind].all_lost

    def is_partial(self, kind: FrameKind) -> bool:
        """Whether some frames of a known kind were lost, and some arrived."""
        counts = self.totals[kind]
        return 0 < counts.lost < counts.sent

    def total(self, frames: Mapping[FrameKind, int], load: Fraction, question: str) -> ExperimentOutcome:
        """One experiment with exact numbers of frames."""
        return self.run(Experiment(question, frames, load))

    def _check_budget(self) -> None:
        if self.measurer.now_ns() >= self._ends_ns:
            raise DiagnosisEnd(f"the budget of {self.budget} is used up; give a longer one")


def sample(kinds: Sequence[FrameKind], most: int, draw: random.Random) -> list[FrameKind]:
    """Different kinds, at most a number of them, drawn at random."""
    different = list(dict.fromkeys(kinds))
    return different if len(different) <= most else draw.sample(different, most)
