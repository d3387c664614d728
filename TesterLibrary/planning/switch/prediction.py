# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames that a switch sends for a job, and the places of its streams and ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ...errors import PlanError
from ...model.jobfile import JobFile
from ...model.plan.plan import Plan, PlannedStream
from ...model.stream import Stream
from ...model.units.units import FrameSize, Rate, RateUnit
from ..prediction import Prediction, TargetKind, asked, planned, register
from .allocation import LoopbackPorts
from .chip import TOFINO, TOFINO_2, Chip
from .editor import own_fields
from .match_action import match_action, require_room
from .parts import whole
from .sizes import Turns
from .steps import Level
from .streams import SwitchEnd, SwitchStream, place


@dataclass(frozen=True)
class SwitchPrediction:
    """The streams that a switch sends for a job, and the ends that it answers for."""

    streams: tuple[Prediction, ...]
    ends: tuple[SwitchEnd, ...]


def predict_switch(file: JobFile, chip: Chip = TOFINO) -> SwitchPrediction:
    """Streams and ends of a job on a switch with this chip.

    Raises:
        PlanError: the first resource that runs out, and the file.
    """
    try:
        return _switch(file, planned(file), chip)
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def _switch(file: JobFile, plan: Plan, chip: Chip) -> SwitchPrediction:
    types = [
        header_type for stream in file.job.streams if stream.headers for header_type in stream.headers.types
    ]
    placement = place(
        plan,
        file.ports,
        own_fields(types),
        chip=LoopbackPorts.of(chip),
        kind=chip,
    )
    wholes = {one.id: (stream, one) for stream, one in zip(file.job.streams, plan.streams, strict=True)}
    streams = (_predicted(file, *wholes[whole(placed.planned.id)], placed) for placed in placement.streams)
    return SwitchPrediction(tuple(streams), placement.ends)


def _predicted(file: JobFile, stream: Stream, planned: PlannedStream, placed: SwitchStream) -> Prediction:
    """The prediction of a stream, or of the frames of one of its sizes, or of one of its rates."""
    pps = asked(file, stream)
    if isinstance(placed.planned.departures.law, Turns | Level):
        pps *= placed.planned.rate / planned.rate
        size = FrameSize(int(placed.planned.frame_size))
        stream = replace(stream, frame_size=size, rate=Rate(pps, RateUnit.PPS))
    return Prediction(
        stream,
        placed.planned,
        pps,
        placed.staging,
        placed.loopback,
        placed.templates,
        placed.edits,
        placed.metered,
        placed.begin,
    )


def _kind(chip: Chip) -> TargetKind:
    return TargetKind(
        chip.profile,
        lambda file, plan: _switch(file, plan, chip).streams,
        partial(match_action, chip=chip),
        partial(require_room, chip=chip),
    )


for _chip in (TOFINO, TOFINO_2):
    register(_kind(_chip))
