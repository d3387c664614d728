# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Evidence of trials: their numbers and records, and where the tester fell short."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

from ..measurement.trial import Trial
from ..reporting.record.finished_trials import Finished, measured_at
from ..reporting.record.progress import Console
from ..reporting.record.record_place import RecordPlace
from ..reporting.record.recorder import Recorder
from ..reporting.record.trial_part import TrialPart
from .trial_rules import TrialRules

_ANY_ERROR = Fraction(10**9)
_KEPT = 4  # trials of one id: ids are given out again when all have been used


class TrialParts:
    """The parts that streams had in trials."""

    def __init__(self) -> None:
        self._parts: dict[int, deque[TrialPart]] = {}

    def note(self, trial: Trial, place: RecordPlace) -> None:
        """A trial was recorded."""
        for stream in trial.streams:
            if stream.counters.tx_packets:
                self.add(TrialPart.of(stream, trial, place))

    def add(self, part: TrialPart) -> None:
        """A stream was in a trial."""
        self._parts.setdefault(part.stream_id, deque(maxlen=_KEPT)).append(part)

    def between(self, started_ns: int, stopped_ns: int, ids: Iterable[int]) -> list[TrialPart]:
        """Those with one of these ids whose frames passed between two times, in the order of their begins."""
        parts = (part for stream_id in ids for part in self._parts.get(stream_id, ()))
        overlapping = (p for p in parts if p.begin_ns <= stopped_ns and p.end_ns >= started_ns)
        return sorted(overlapping, key=lambda part: part.begin_ns)


class EvidenceConditions(Protocol):
    """The parts of a tester that its evidence depends on."""

    recorder: Recorder
    progress: Console
    rules: TrialRules
    seed: int


class TesterEvidence:
    """The evidence of one tester: what it recorded of trials, and its faults."""

    def __init__(self, conditions: EvidenceConditions) -> None:
        self._conditions = conditions
        self.trials = conditions.recorder.last_number  # a test may open its tester twice
        self.parts = TrialParts()  # by which frames in captures are known
        self.faults: list[str] = []  # where the tester fell short, trial by trial
        self.pace: list[str] = []  # trials in which nothing was wrong but the rate
        self.sent: Counter[str] = Counter()  # frames of recorded trials, by stream

    def next_trial(self) -> int:
        """The number of the trial that is run next."""
        self.trials += 1
        return self.trials

    def record(self, trial: Trial, **facts: object) -> Trial:
        """Numbers a trial, writes it down with facts for a next attempt at its test, and shows it."""
        trial = replace(trial, number=self.trials)
        faults = tuple(self._faults(trial))
        self.note_faults(faults)
        if trial.objections and not faults:
            self.pace.append("; ".join(trial.objections))
        self.sent.update({stream.name: stream.counters.tx_packets for stream in trial.streams})
        self.parts.note(trial, self._conditions.recorder.place)
        self._conditions.recorder.trial(trial, seed=self._conditions.seed, **facts)
        self._conditions.progress.trial(trial)
        return trial

    def record_again(self, trial: Trial, record: Mapping[str, Any], folder: str) -> None:
        """Records a trial of another attempt at the test, from the folder that has it, and shows it."""
        kept = {key: record[key] for key in ("asked", "interruption") if key in record}
        conditions, time = self._conditions, measured_at(record)
        conditions.recorder.trial(trial, seed=conditions.seed, taken_over=folder, measured_at=time, **kept)
        conditions.progress.trial(trial)

    def taken_over(self, finished: Finished[Trial]) -> Finished[Trial]:
        """A trial of streams that is taken over, recorded again, with its number in this attempt."""
        self.trials = max(self.trials + 1, finished.found.number)
        trial = replace(finished.found, number=self.trials)
        self.record_again(trial, finished.record, finished.folder)
        return replace(finished, found=trial)

    def note_faults(self, objections: Iterable[str]) -> None:
        """Keeps why the tester did not do its part once, if there is a reason."""
        if fault := "; ".join(objections):
            self.faults.append(fault)

    def _faults(self, trial: Trial) -> Iterator[str]:
        """Why packets of a trial may be missing: all that objects to it but the error of its rate."""
        limits = self._conditions.rules.limits
        judged = set(trial.evidence.objections(limits))
        yield from trial.evidence.objections(replace(limits, max_rate_error=_ANY_ERROR))
        yield from (objection for objection in trial.objections if objection not in judged)
