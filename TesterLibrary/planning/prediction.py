# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a tester will send of a job, to the last packet, before there is a tester."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..errors import PlanError
from ..model.jobfile import JobFile
from ..model.plan import Plan, PlannedStream
from ..model.planned_end import PlannedEnd
from ..model.stream import Stream
from .allocation import LoopbackPort
from .compile import compile as compile_job
from .protocol import ProtocolPlan, lower
from .responder import asked_for
from .staging import Staging
from .switch_editor import SwitchEditor, own_fields
from .switch_streams import SwitchEnd, place

_MOST_STREAMS = 0xFFFF
UNKNOWN_MAC = b"\2\0\0\0\2\0"  # of a neighbour: whoever plans without a network cannot ask


@dataclass(frozen=True)
class Prediction:
    """The rate of one stream. Rates are frames each second."""

    stream: Stream
    planned: PlannedStream
    asked: Fraction  # 0 where only the tester knows it
    staging: Staging | None = None  # of a quantised meter; None where a clock is exact
    loopback: LoopbackPort | None = None  # where its template packets loop; None where nothing loops
    templates: int = 0  # how many do
    edits: tuple[SwitchEditor, ...] = ()  # of a switch
    metered: bool = False  # by a meter that limits what loops; else the loop's own rate is the one

    @property
    def rate(self) -> Fraction:
        """What will be sent on average; 0 where only the tester knows it."""
        return self.staging.rate if self.staging else self.planned.frames_per_second

    @property
    def error(self) -> Fraction:
        """(rate - asked) / asked."""
        return self.rate / self.asked - 1 if self.rate else Fraction(0)


@dataclass(frozen=True)
class SwitchPrediction:
    """What a switch sends and answers of a job."""

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
    """Responders and clients of a job, with what a target is given of their protocols.

    Raises:
        PlanError: the first limit that is hit, and the file.
    """
    try:
        return tuple((end, lower(end.protocol, target, end.parameters)) for end in _planned(file).ends)
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def _planned(file: JobFile) -> Plan:
    asked = [own for end in file.job.ends for own in asked_for(end, file.ports)]
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
    types = [own for stream in file.job.streams if stream.headers for own in stream.headers.types]
    placement = place(plan, file.ports, own_fields(types))
    streams = (
        Prediction(
            stream,
            own.planned,
            _asked(file, stream),
            own.staging,
            own.loopback,
            own.templates,
            own.edits,
            own.metered,
        )
        for stream, own in zip(file.job.streams, placement.streams, strict=True)
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
