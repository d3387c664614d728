# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The streams of recorded trials, by their ids: which frames of a capture belong to which trial."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from ..measurement.trial import Trial
from ..reporting.record.record_place import RecordPlace
from ..reporting.record.trial_part import TrialPart

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
        found = (part for stream_id in ids for part in self._parts.get(stream_id, ()))
        overlapping = (p for p in found if p.begin_ns <= stopped_ns and p.end_ns >= started_ns)
        return sorted(overlapping, key=lambda part: part.begin_ns)
