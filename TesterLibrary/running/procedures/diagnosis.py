# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiments of a diagnosis on a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

from ...errors import TesterLibraryError
from ...measurement import remarks
from ...measurement.stream_result import StreamResult
from ...measurement.trial import Trial
from ...methodology.diagnosis import (
    FRAME_SIZE,
    Diagnosis,
    DiagnosisResult,
    Experiment,
    ExperimentOutcome,
    FailingTraffic,
    FrameKind,
    KindCounts,
    RepeatedTraffic,
    diagnose_loss,
)
from ...model.stream import Stream
from ...model.units.units import LINE_OVERHEAD, Duration
from ..measurer import NO_PAUSES, Pauses, TrialMeasurer
from ..suite import Suite
from ..tester import Tester
from .diagnosed_traffic import DiagnosedStream

_PAUSE = Duration(10**9)
_REPEATED = Duration(10**9)  # for so long the failing traffic is sent
_LEAST = Duration(10 * 10**6)  # of an experiment whose rate does not matter
_ANY_RATE = Fraction(1, 2)  # greatest rate error of such an experiment
_MOST_KINDS = 24


def diagnose(suite: Suite, names: Sequence[str], diagnosis: Diagnosis) -> DiagnosisResult:
    """Searches why streams, or all of them, lose frames. The last measurement stays the one that is judged.

    Raises:
        PlanError: the limits make no sense, or the frames of a stream cannot be varied. Nothing was sent.
    """
    diagnosis.validate()
    streams = suite.refuse_without("a diagnosis", names, by_signature=True, needs=())
    suite.scopes.modifiers.refuse_beside("an experiment of a diagnosis")
    experiments = TargetExperiments(suite.tester, streams, pauses=suite.pauses())
    suite.progress.begin(f"diagnosis of {' + '.join(stream.name for stream in streams)}")
    result = diagnose_loss(experiments, diagnosis, on_step=suite.progress.step)
    suite.recorder.result(result)
    suite.progress.end(str(result))
    return result


def diagnose_failure(suite: Suite) -> None:
    """Diagnoses the streams of the last trial of a failed test, unless none of its frames was lost.

    The verdict stays as it is: an error of the diagnosis is a warning and an event of the record.
    """
    trial = suite.scopes.current.last
    if suite.recorder.judgements.repeating or not isinstance(trial, Trial) or trial.lost == 0:
        return
    try:
        result = diagnose(suite, [stream.name for stream in trial.streams], Diagnosis(seed=suite.seed))
    except TesterLibraryError as error:
        suite.recorder.event("not diagnosed", reason=str(error))
        suite.warn(f"The failure is not diagnosed: {error}")
    else:
        suite.warn(f"Diagnosis of {result}")


class TargetExperiments:
    """The `ExperimentMeasurer` of a tester."""

    def __init__(
        self,
        tester: Tester,
        streams: Sequence[Stream],
        *,
        note: Callable[[Trial], None] = lambda _: None,
        pauses: Pauses = NO_PAUSES,
    ) -> None:
        """PlanError if the frames of a stream cannot be varied."""
        self._tester, self._note, self._pauses = tester, note, pauses
        self._originals = tuple(streams)
        self._streams = {stream.name: DiagnosedStream(tester, stream) for stream in streams}
        self.traffic = FailingTraffic(tuple(stream.traffic for stream in self._streams.values()))
        self.frames_per_second = sum(
            (stream.frames_per_second for stream in self._streams.values()), start=Fraction(0)
        )
        self.most_kinds = min(_MOST_KINDS, tester.capabilities.max_streams)

    def now_ns(self) -> int:
        """See ExperimentMeasurer."""
        return self._tester.clock.now_ns()

    def repeat(self) -> RepeatedTraffic:
        """See ExperimentMeasurer."""
        self._tester.clock.pause(_PAUSE)
        measurer = self._measurer(self._originals)
        trial = measurer.measure(measurer.load, _REPEATED)
        counts = {stream.name: _counts(trial.stream(stream.name)) for stream in self._originals}
        return RepeatedTraffic(counts, trial, _objection(trial))

    def run(self, experiment: Experiment) -> ExperimentOutcome:
        """See ExperimentMeasurer."""
        if experiment.after_pause:
            self._tester.clock.pause(_PAUSE)
        duration = self._duration(experiment)
        streams = {
            f"{kind.stream} ({number})": (kind, Fraction(frames) / duration * 10**9)
            for number, (kind, frames) in enumerate(experiment.frames.items(), 1)
        }
        measurer = self._measurer(
            [self._streams[kind.stream].of(kind, name, rate) for name, (kind, rate) in streams.items()]
        )
        measurer.leads = lambda _load, _duration: True  # what is late in it is not waited for
        if experiment.any_rate:
            measurer.limits = replace(self._tester.rules.limits, max_rate_error=_ANY_RATE)
        trial = measurer.measure(measurer.load, Duration(floor(duration)))
        counts = {kind: _counts(trial.stream(name)) for name, (kind, _) in streams.items()}
        each_second = sum((rate for _, rate in streams.values()), start=Fraction(0))
        return ExperimentOutcome(experiment, counts, trial, _objection(trial), each_second)

    def _measurer(self, streams: Sequence[Stream]) -> TrialMeasurer:
        return TrialMeasurer(self._tester, streams, note=self._note, pauses=self._pauses)

    def _duration(self, experiment: Experiment) -> Fraction:
        """How many nanoseconds its frames take on the busiest port."""
        bits: dict[str, int] = {}
        for kind, frames in experiment.frames.items():
            tx = self._streams[kind.stream].stream.tx
            bits[tx] = bits.get(tx, 0) + frames * _line_bits(kind)
        offered: dict[str, Fraction] = {}
        for stream in self._originals:
            offered[stream.tx] = offered.get(stream.tx, Fraction(0)) + self._tester.part_of_line(stream)
        load = {tx: Fraction(1) if experiment.burst else experiment.load * offered[tx] for tx in bits}
        speeds = self._tester.ports
        longest = max(Fraction(bits[tx] * 10**9, speeds[tx].speed.bps) / load[tx] for tx in bits)
        return max(longest, Fraction(_LEAST.ns)) if experiment.any_rate else longest


def _line_bits(kind: FrameKind) -> int:
    return 8 * (kind.value(FRAME_SIZE) + LINE_OVERHEAD)


def _counts(stream: StreamResult) -> KindCounts:
    """Sent and lost frames, and the last of those that were lost, where the tester knows it."""
    sent, lost, outages = stream.counters.tx_packets, stream.order.lost, stream.counters.outages
    last = None
    if lost and stream.counters.order.next_sequence is not None:
        if stream.counters.order.next_sequence < sent:
            last = sent - 1
        elif outages and outages.last_sequence:
            last = outages.last_sequence - 1
    return KindCounts(sent, lost or 0, last)


def _objection(trial: Trial) -> str:
    """Why a trial does not count."""
    if not trial.valid:
        return "; ".join(trial.objections)
    return remarks.loss_unknown(trial) if trial.lost is None else ""
