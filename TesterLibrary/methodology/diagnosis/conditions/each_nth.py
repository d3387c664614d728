# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Each n-th frame is lost: a balancer with one bad member, a buffer with one bad cell, a sampled flow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..experiment import Experiment, ExperimentOutcome
from ..laboratory import DiagnosisLab
from ..sequential_test import SequentialTest, binomial
from ..traffic import FrameKind
from .condition import Occurrence, Symptoms, occurrence

_MOST_SECONDS = 4  # of one experiment
_ROUNDS = 12
_TIMES = 3


@dataclass(frozen=True)
class EachNth:
    """The last one of `period` frames is lost, again and again."""

    period: int

    @property
    def text(self) -> str:
        """See Occurrence."""
        return f"each {ordinal(self.period)} frame"

    @property
    def smallest(self) -> str:
        """See Occurrence."""
        return f"{self.period:,} frames: one is lost"

    def lost_bounds(self, frames: int) -> tuple[int, int]:
        """See Occurrence."""
        return frames // self.period, ceil(Fraction(frames, self.period))


def ordinal(number: int) -> str:
    """`2nd`, `13th`, `21st`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def agrees(period: int, frames: int, lost: int) -> bool:
    """Whether a loss is that of each n-th frame."""
    return frames // period <= lost <= ceil(Fraction(frames, period))


def _is_of(period: int, seen: ExperimentOutcome) -> bool:
    """Whether each n-th is lost of all frames, or of those of each stream."""
    streams = seen.by_stream.values()
    return agrees(period, seen.sent, seen.lost) or all(agrees(period, *counts) for counts in streams)


@occurrence("each n-th frame", rank=2)
def find_each_nth(lab: DiagnosisLab, symptoms: Symptoms) -> Occurrence | str:
    """The loss grows with the number of frames as that of each n-th, exactly."""
    if not symptoms.twice.lost:
        return "the loss does not grow with the number of frames"
    kind = next(iter(symptoms.frames))
    periods = [n for n in range(2, symptoms.twice.sent) if all(_is_of(n, seen) for seen in symptoms.all)]
    before: ExperimentOutcome | None = None
    question, most = "each n-th frame: which n", ceil(_MOST_SECONDS * lab.measurer.frames_per_second)
    for _ in range(_ROUNDS):
        if len(periods) < 2:
            break
        frames = min(most, _parting_frames(periods[0], periods[-1]))
        observation = lab.run(Experiment(question, {kind: frames}))
        periods = [n for n in periods if agrees(n, observation.sent, observation.lost)]
        periods = _by_position(periods, kind, before, observation)
        before = observation
    if not periods:
        return "the loss is not that of each n-th frame: it varies from trial to trial"
    if len(periods) > 1:
        return (
            f"it may be each {ordinal(periods[0])} to {ordinal(periods[-1])} frame, which is not told apart"
        )
    return _confirmed(lab, kind, periods[0], symptoms)


def _parting_frames(least: int, most: int) -> int:
    """A number of frames that two periods cannot lose equally many of."""
    return ceil(3 * Fraction(least * most, most - least))


def _by_position(
    periods: Iterable[int], kind: FrameKind, before: ExperimentOutcome | None, now: ExperimentOutcome
) -> list[int]:
    """The periods that fit the distance between the last lost frames of two experiments in a row."""
    counts = now.counts[kind]
    earlier = before.counts[kind] if before else None
    if earlier is None or earlier.last_lost is None or counts.last_lost is None or not counts.lost:
        return [*periods]
    distance = earlier.sent - earlier.last_lost + counts.last_lost
    fitting = [n for n in periods if distance == n * counts.lost]
    return fitting or [*periods]  # other frames between the experiments were counted, too


def _confirmed(lab: DiagnosisLab, kind: FrameKind, period: int, symptoms: Symptoms) -> Occurrence | str:
    """Multiples of the period lose exactly as many frames, of one kind and of all."""
    test, factor = SequentialTest(), 16
    while not test.decided:
        question = f"{factor} of {factor * period:,} frames"
        observation = lab.run(Experiment(question, {kind: factor * period}))
        if observation.lost != factor:
            return f"of {factor * period:,} frames it loses {observation.lost}, not {factor}"
        test.came_true(binomial(factor * period, 1 / period, factor, factor))
    for _ in range(_TIMES):
        observation = lab.run(Experiment("the smallest traffic that fails", {kind: period}))
        if observation.lost != 1:
            return f"of {period:,} frames it loses {observation.lost}, not 1"
    share = max(1, ceil(Fraction(factor * period, len(symptoms.frames))))
    everything = dict.fromkeys(symptoms.frames, share)
    observation = lab.run(Experiment("each n-th frame of all kinds", everything))
    if not _is_of(period, observation):
        return f"each {ordinal(period)} frame of one kind is lost, but not of all kinds"
    return EachNth(period)
