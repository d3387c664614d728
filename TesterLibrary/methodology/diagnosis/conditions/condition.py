# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The two kinds of conditions. Each condition is one file of this folder that registers itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..experiment import ExperimentOutcome
from ..laboratory import DiagnosisLab
from ..traffic import FRAME_SIZE, Factor, FrameKind


class ValueSet(Protocol):
    """Values of one factor: a frame with one of them is lost."""

    def holds(self, value: int) -> bool:
        """Whether a value is one of them."""
        ...

    def text(self, factor: Factor) -> str:
        """The condition in a sentence: `of 1,024 to 1,279 bytes`, `with UDP.dport 53`."""
        ...


@dataclass(frozen=True)
class Fit:
    """The values that the answers so far allow, and the values that decide about the rest."""

    values: ValueSet
    questions: tuple[int, ...] = ()


class FitValues(Protocol):
    """Fits one family of value sets to answers."""

    def __call__(self, factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit | None:
        """The set around a losing value; None if the answers contradict the whole family.

        `answers`: whether frames with a value are lost.
        """
        ...


@dataclass(frozen=True)
class Family:
    """A family of value sets. Of sets that are equal on the traffic, that of the lowest rank is named."""

    name: str
    rank: int
    fit: FitValues


families: list[Family] = []


def family(name: str, rank: int) -> Callable[[FitValues], FitValues]:
    """Function decorator: registers a family of value sets."""

    def register(fit: FitValues) -> FitValues:
        families.append(Family(name, rank, fit))
        families.sort(key=lambda known: known.rank)
        return fit

    return register


class Occurrence(Protocol):
    """A condition on when frames are sent, whatever is in them."""

    @property
    def text(self) -> str:
        """The rest of the sentence `Loses …`."""
        ...

    @property
    def smallest(self) -> str:
        """The smallest traffic that fails."""
        ...

    def lost_bounds(self, frames: int) -> tuple[int, int]:
        """The fewest and the most lost frames of the failing traffic, after a pause."""
        ...


@dataclass(frozen=True)
class Symptoms:
    """How the loss of some kinds depends on the load, the number of frames, and a pause before them."""

    frames: Mapping[FrameKind, int]
    usual: ExperimentOutcome  # evenly spaced at the load of the failing traffic, after a pause
    at_once: ExperimentOutcome  # the same without a pause before
    twice: ExperimentOutcome  # twice as many frames, after a pause
    slow: ExperimentOutcome  # at a quarter of the load, after a pause

    @property
    def all(self) -> tuple[ExperimentOutcome, ...]:
        """The four experiments."""
        return self.usual, self.at_once, self.twice, self.slow

    @property
    def any_lost(self) -> bool:
        """Whether one of them lost a frame."""
        return any(observation.lost for observation in self.all)


class Investigate(Protocol):
    """Searches one condition by experiments of its own."""

    def __call__(self, lab: DiagnosisLab, symptoms: Symptoms) -> Occurrence | str:
        """The condition, confirmed by predictions that came true; or why it is excluded."""
        ...


investigations: list[tuple[int, str, Investigate]] = []


def occurrence(name: str, rank: int) -> Callable[[Investigate], Investigate]:
    """Function decorator: registers the search for a condition on time; the lowest rank is tried first."""

    def register(investigate: Investigate) -> Investigate:
        investigations.append((rank, name, investigate))
        investigations.sort(key=lambda known: known[0])
        return investigate

    return register


def with_values(factor: Factor, text: str) -> str:
    """The condition in a sentence, for a factor with these values."""
    return f"of {text} bytes" if factor.name == FRAME_SIZE else f"with {factor.name} {text}"


def spread(first: int, last: int, most: int) -> Sequence[int]:
    """Numbers, at most `most`, evenly spread over a range with its ends."""
    if last < first:
        return ()
    if last - first < most:
        return range(first, last + 1)
    return sorted({first + (last - first) * step // (most - 1) for step in range(most)})
