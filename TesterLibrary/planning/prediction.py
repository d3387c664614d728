# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a tester will send of a job, to the last packet, before there is a tester."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..errors import PlanError
from ..model.departures import Pattern
from ..model.jobfile import JobFile
from ..model.pattern import Stage
from ..model.plan import Plan, PlannedStream
from ..model.planned_end import PlannedEnd
from ..model.stream import Stream
from ..model.units import FCS_LENGTH, LINE_OVERHEAD, Bandwidth, Rate, RateUnit
from .allocation import LoopbackFlow, LoopbackPort, LoopbackPorts, allocate
from .compile import compile as compile_job
from .match_action import MatchAction, match_action
from .meter import LoopMeter, TofinoMeter
from .protocol import ProtocolPlan, lower
from .responder import asked_for
from .staging import Staging, stage
from .switch_editor import SwitchEditor, switch_editors
from .switch_loops import PlacedLoop, end_loops, placed
from .template_loop import template_packets

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
class SwitchEnd:
    """A responder, its protocol for a switch, and what loops there for it."""

    end: PlannedEnd
    program: MatchAction
    loops: tuple[PlacedLoop, ...]


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
    """All of a job at once: streams and ends share the loopback ports."""
    chip = LoopbackPorts()
    _check_ports(file, chip)
    stagings = [_staged(file, stream, chip) for stream in file.job.streams]
    flows = [_loop(stream, staging) for stream, staging in zip(file.job.streams, stagings, strict=True)]
    programs = [(end, _program(end)) for end in plan.ends]
    loops = [(end, program, end_loops(end.name, program, file.ports[end.port])) for end, program in programs]
    places = allocate([*flows, *(loop.flow for _, _, own in loops for loop in own)], chip)
    streams = (
        Prediction(
            stream,
            planned,
            _asked(file, stream),
            staging,
            places[stream.name],
            _templates(planned, Fraction(flow.bps, chip.port_bps)),
            _edits(stream, planned),
            metered=staging.meter_rate < _line(stream, chip),
        )
        for stream, planned, staging, flow in zip(
            file.job.streams, plan.streams, stagings, flows, strict=True
        )
    )
    ends = (
        SwitchEnd(end, program, tuple(placed(loop, places[loop.flow.name], chip) for loop in own))
        for end, program, own in loops
    )
    return SwitchPrediction(tuple(streams), tuple(ends))


def _program(end: PlannedEnd) -> MatchAction:
    program = match_action(end.protocol, end.parameters)
    if end.opening is not None:
        raise PlanError(f"{end.name!r}: clients open flows by time, and on a Tofino only packets wake one")
    return program


def _check_ports(file: JobFile, chip: LoopbackPorts) -> None:
    """A folded switch has as many ports in front as ports that loop, as fast as these."""
    if len(file.ports) > chip.all_ports:
        over = len(file.ports) - chip.all_ports
        raise PlanError(
            f"front-panel ports: {len(file.ports)} needed, {chip.all_ports} there, {over} too many; "
            "split the job"
        )
    for port in file.ports.values():
        if port.speed.bps > chip.port_bps:
            raise PlanError(
                f"port {port.name!r} of {port.speed}: one of the front panel has "
                f"{Bandwidth(chip.port_bps)} at most"
            )


def _loop(stream: Stream, staging: Staging) -> LoopbackFlow:
    """Its template packets loop as often as the meter lets one pass."""
    pps = staging.meter_rate
    return LoopbackFlow(stream.name, ceil(pps * (stream.frame_size.mean + LINE_OVERHEAD) * 8), ceil(pps))


def _templates(planned: PlannedStream, share: Fraction) -> int:
    """Of the copies that keep a whole port busy, its share; of the smallest frame, which needs most."""
    return ceil(template_packets(min(map(len, planned.frames)) + FCS_LENGTH) * share)


def _edits(stream: Stream, planned: PlannedStream) -> tuple[SwitchEditor, ...]:
    try:
        return switch_editors(planned.editors, stream.headers.types if stream.headers else ())
    except PlanError as problem:
        raise PlanError(f"stream {planned.name!r}: {problem}") from None


def _staged(file: JobFile, stream: Stream, chip: LoopbackPorts) -> Staging:
    if not isinstance(stream.shaping, Pattern | None):
        raise PlanError(
            f"stream {stream.name!r}: a Tofino has stages; for other ways to space frames plan for the engine"
        )
    pattern = stream.shaping.stages if stream.shaping else ()
    try:
        meter = LoopMeter(TofinoMeter(), _line(stream, chip))
        staging = stage(_asked(file, stream), meter, pattern=pattern)
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None
    _check_peak(file, stream, staging, pattern)
    return staging


def _line(stream: Stream, chip: LoopbackPorts) -> Fraction:
    """Of its frames, in a loopback port of its own."""
    return Bandwidth(chip.port_bps).frames_per_second(stream.frame_size.mean)


def _check_peak(file: JobFile, stream: Stream, staging: Staging, pattern: tuple[Stage, ...]) -> None:
    port = file.ports[stream.tx]
    line = port.speed.frames_per_second(stream.frame_size.mean)
    if pattern and staging.peak > line:
        raise PlanError(
            f"stream {stream.name!r}: its pattern ({', then '.join(map(str, pattern))}) needs a peak of "
            f"{Rate(staging.peak, RateUnit.PPS)}; port {port.name!r} ({port.speed}) carries at most "
            f"{Rate(line, RateUnit.PPS)} of frames of {stream.frame_size}"
        )


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
