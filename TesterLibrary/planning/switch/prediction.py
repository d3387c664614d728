# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames that a Tofino sends for a job, and the places of its streams and ends."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PlanError
from ...model.jobfile import JobFile
from ...model.plan import Plan
from ..prediction import Prediction, TargetKind, asked, planned, register
from .editor import own_fields
from .match_action import match_action
from .streams import SwitchEnd, place


@dataclass(frozen=True)
class SwitchPrediction:
    """The streams that a switch sends for a job, and the ends that it answers for."""

    streams: tuple[Prediction, ...]
    ends: tuple[SwitchEnd, ...]


def predict_switch(file: JobFile) -> SwitchPrediction:
    """Streams and ends of a job on a Tofino.

    Raises:
        PlanError: the first resource that runs out, and the file.
    """
    try:
        return _switch(file, planned(file))
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
            asked(file, stream),
            placed.staging,
            placed.loopback,
            placed.templates,
            placed.edits,
            placed.metered,
            placed.delay,
        )
        for stream, placed in zip(file.job.streams, placement.streams, strict=True)
    )
    return SwitchPrediction(tuple(streams), placement.ends)


register(TargetKind("tofino", lambda file, plan: _switch(file, plan).streams, match_action))
