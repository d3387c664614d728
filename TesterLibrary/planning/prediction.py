# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Predicts exactly what a tester will send for a job; no tester is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError
from ..model.jobfile import JobFile
from ..model.plan import Plan, PlannedStream
from ..model.planned_end import PlannedEnd
from ..model.stream import Stream
from .compile import compile as compile_job
from .protocol import ProtocolPlan, lower
from .responder import asked_for
from .switch.allocation import LoopbackPort
from .switch.editor import SwitchEditor, own_fields
from .switch.staging import Staging
from .switch.streams import SwitchEnd, place

_MOST_STREAMS = 0xFFFF
UNKNOWN_MAC = b"\2\0\0\0\2\0"  # stands for a neighbour's address, which cannot be asked for without a network


@dataclass(frozen=True)
class Prediction:
    """The rate of one stream. Rates are frames each second."""

    stream: Stream
    planned: PlannedStream
    asked: Fraction  # 0 where only the tester knows it
    staging: Staging | None = None  # stages after a quantised meter; None where a clock is exact
    loopback: LoopbackPort | None = None  # where its template packets loop; None where nothing loops
    templates: int = 0  # the number of template packets
    edits: tuple[SwitchEditor, ...] = ()  # editors of a switch
    metered: bool = False  # whether a meter limits the template packets; else the loop sets their rate

    @property
    def rate(self) -> Fraction:
        """The average rate that will be sent; 0 where only the tester knows it."""
        return self.staging.rate if self.staging else self.planned.frames_per_second

    @property
    def error(self) -> Fraction:
        """(rate - asked) / asked."""
        return self.rate / self.asked - 1 if self.rate else Fraction(0)


@dataclass(frozen=True)
class SwitchPrediction:
    """The streams that a switch sends for a job, and the ends that it answers for."""

    streams: tuple[Prediction, ...]
    ends: tuple[SwitchEnd, ...]


def predict(file: JobFile, target: str) -> tuple[Prediction, ...]:
    """Plans a job for `engine` or `tofino`.

    Raises:
        PlanError: the first limit that is hit, and the file.
    """
    try:
        return _TARGETS[target](file, _planned(file))
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def predict_ends(file: JobFile, target: str) -> tuple[tuple[PlannedEnd, ProtocolPlan], ...]:
    """Responders and clients of a job, with their protocols as the target is given them.

    Raises:
        PlanError: the first limit that is hit, and the file.
    """
    try:
        return tuple((end, lower(end.protocol, target, end.parameters)) for end in _planned(file).ends)
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def _planned(file: JobFile) -> Plan:
    asked = [pair for end in file.job.ends for pair in asked_for(end, file.ports)]
    return compile_job(
        file.job,
        ports=file.ports,
        gateways=file.gateways,
        max_streams=_MOST_STREAMS,
        neighbours={(station.port.name, address): UNKNOWN_MAC for station, address in asked},
    )


def _engine(file: JobFile, plan: Plan) -> tuple[Prediction, ...]:
    return tuple(
        Prediction(stream, planned, _asked(file, stream))
        for stream, planned in zip(file.job.streams, plan.streams, strict=True)
    )


def predict_switch(file: JobFile) -> SwitchPrediction:
    """Streams and ends of a job on a Tofino.

    Raises:
        PlanError: the first resource that runs out, and the file.
    """
    try:
        return _switch(file, _planned(file))
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def _switch(file: JobFile, plan: Plan) -> SwitchPrediction:
    types = [
        header_type for stream in file.job.streams if stream.headers for header_type in stream.headers.types
    ]
    placement = place(plan, file.ports, own_fields(types))
    streams = (
        Prediction(
            stream,
            placed.planned,
            _asked(file, stream),
            placed.staging,
            placed.loopback,
            placed.templates,
            placed.edits,
            placed.metered,
        )
        for stream, placed in zip(file.job.streams, placement.streams, strict=True)
    )
    return SwitchPrediction(tuple(streams), placement.ends)


def _asked(file: JobFile, stream: Stream) -> Fraction:
    """Frames each second; 0 where only the tester knows it."""
    if stream.as_captured:
        return Fraction(0)
    return stream.rate.frames_per_second(stream.frame_size.mean, file.ports[stream.tx].speed)


_TARGETS: Mapping[str, Callable[[JobFile, Plan], tuple[Prediction, ...]]] = {
    "engine": _engine,
    "tofino": lambda file, plan: _switch(file, plan).streams,
}
TARGETS = tuple(_TARGETS)
