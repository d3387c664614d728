# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An experiment of a diagnosis, and the interface to the tester that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ...measurement.trial import Trial
from .traffic import FailingTraffic, FrameKind


@dataclass(frozen=True)
class Experiment:
    """The frames that one trial of a diagnosis sends."""

    question: str
    frames: Mapping[FrameKind, int]  # how many of each kind, in the same time
    load: Fraction = Fraction(1)  # part of the load of the failing traffic
    burst: bool = False  # back to back at line rate; else evenly spaced
    after_pause: bool = False  # nothing is sent before it for a second
    any_rate: bool = False  # only the contents of its frames matter, so the tester may miss the rate


@dataclass(frozen=True)
class KindCounts:
    """The counts of one kind of frames in an experiment."""

    sent: int
    lost: int
    last_lost: int | None = None  # number of the last lost frame, from 0; None: not known, or none is lost

    @property
    def all_lost(self) -> bool:
        """Whether no frame arrived."""
        return self.sent > 0 and self.lost == self.sent


@dataclass(frozen=True)
class ExperimentOutcome:
    """An experiment with its counts. If the tester fell short, it says nothing about the device."""

    experiment: Experiment
    counts: Mapping[FrameKind, KindCounts]
    trial: Trial | None = None  # as it was recorded
    objection: str = ""  # why it does not count; empty if it does
    frames_per_second: Fraction = Fraction(0)  # of all kinds together, as it was asked

    @property
    def by_stream(self) -> Mapping[str, tuple[int, int]]:
        """Sent and lost frames of the kinds of each stream."""
        sums: dict[str, tuple[int, int]] = {}
        for kind, counts in self.counts.items():
            sent, lost = sums.get(kind.stream, (0, 0))
            sums[kind.stream] = (sent + counts.sent, lost + counts.lost)
        return sums

    @property
    def sent(self) -> int:
        """Frames of all kinds that were sent."""
        return sum(counts.sent for counts in self.counts.values())

    @property
    def lost(self) -> int:
        """Frames of all kinds that were lost."""
        return sum(counts.lost for counts in self.counts.values())


@dataclass(frozen=True)
class RepeatedTraffic:
    """The failing traffic, sent once more as its author wrote it."""

    counts: Mapping[str, KindCounts] = field(default_factory=dict)  # by stream
    trial: Trial | None = None
    objection: str = ""

    @property
    def sent(self) -> int:
        """Frames of all streams that were sent."""
        return sum(counts.sent for counts in self.counts.values())

    @property
    def lost(self) -> int:
        """Frames of all streams that were lost."""
        return sum(counts.lost for counts in self.counts.values())


class ExperimentMeasurer(Protocol):
    """Runs experiments."""

    traffic: FailingTraffic
    most_kinds: int  # kinds of frames that one experiment may have
    frames_per_second: Fraction  # of the failing traffic, on average

    def repeat(self) -> RepeatedTraffic:
        """Sends the failing traffic after a pause of a second."""
        ...

    def run(self, experiment: Experiment) -> ExperimentOutcome:
        """Runs one experiment."""
        ...

    def now_ns(self) -> int:
        """The time on the clock by which the budget is counted."""
        ...
