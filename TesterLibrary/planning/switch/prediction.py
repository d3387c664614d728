# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The frames that a switch sends for a job, and the places of its streams and ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from ...errors import PlanError
from ...model.job import JobFile
from ...model.plan.plan import Plan, PlannedStream
from ...model.stream import Stream
from ...model.units.units import FrameSize, Rate, RateUnit, duration_text
from ..prediction import Prediction, TargetKind, asked, planned, register
from .allocation import LoopbackPorts
from .chip import TOFINO, TOFINO_2, Chip
from .editor import own_fields
from .match_action import match_action, require_room
from .parts import whole
from .phase import phase
from .sizes import Turns
from .staging import Staging
from .steps import Level
from .streams import SwitchEnd, SwitchStream, place


@dataclass(frozen=True)
class SwitchPrediction(Prediction):
    """The frames of one stream, or of one of its sizes or rates: stages after a quantised meter pass them."""

    placed: SwitchStream

    @property
    def rate(self) -> Fraction:
        """The average rate that will be sent."""
        return self.placed.staging.rate

    @property
    def part(self) -> str:
        """The rate of a step and its frames; empty for other streams."""
        law = self.planned.departures.law
        if not isinstance(law, Level):
            return ""
        return f"{'second' if law.before else 'first'} rate, {law.total:,} frames"

    @property
    def spacing(self) -> str:
        """Meter, stages, start and loopback port, for people."""
        begin, templates = self.placed.begin, self.placed.templates
        spacing = self._gap_text() if self.placed.staging.gaps else self._stage_text()
        if begin.delay:
            spacing += f", {begin.delay:,} frames after the start"
        if begin.pause_ns is not None:
            spacing += f", {duration_text(begin.pause_ns)} after the rate before has ended"
        return f"{spacing}, {templates} template packets in loopback port {self.placed.loopback}"

    @property
    def editors(self) -> list[str]:
        """A line for each field that changes, with the editor of the switch that writes it."""
        units = {edit.field: str(edit) for edit in self.placed.edits}
        return [
            f"{editor}{units.get(editor.name, units.get(editor.field, ''))}"
            for editor in self.planned.editors
        ]

    def details(self) -> Mapping[str, object]:
        """Meter, stages, gaps and loopback port, by their names in JSON."""
        staging, begin, law = self.placed.staging, self.placed.begin, self.planned.departures.law
        return {
            "meter_pps": staging.meter_rate,
            "meter_error": float(staging.meter_error),
            "peak_pps": staging.peak,
            "stages": [{"pass": stage.passes, "skip": stage.skips} for stage in staging.stages],
            "phase": float(staging.phase),
            "gaps": _gaps(staging),
            "loopback": self.placed.loopback,
            "template_packets": self.placed.templates,
            "step": {"before": law.before, "frames": law.total} if isinstance(law, Level) else None,
            "delay_frames": begin.delay,
            "pause_ns": None if begin.pause_ns is None else float(begin.pause_ns),
            "switch_editors": self.placed.edits,
        }

    def _gap_text(self) -> str:
        staging = self.placed.staging
        variation = f" (standard deviation {staging.gaps.variation:.3f} means)" if staging.gaps else ""
        resolution_ns = float(10**9 / staging.meter_rate)
        return f"{self.planned.departures.law}{variation}, in steps of {resolution_ns:,.3g} ns"

    def _stage_text(self) -> str:
        staging = self.placed.staging
        stages = ", ".join(map(str, staging.stages))
        meter = (
            f"meter {Rate(staging.meter_rate, RateUnit.PPS)} ({float(staging.meter_error):+.1e} by itself)"
        )
        if staging.first:
            return f"{meter}, {stages} from tick {staging.first} on"
        if phase(self.planned):
            return f"{meter}, {stages}, without its phase, for whose ticks no loopback port has room"
        return f"{meter}, {stages}"


def _gaps(staging: Staging) -> dict[str, float] | None:
    """The random gaps of a switch; None for a stream that is spaced by stages."""
    gaps = staging.gaps
    if gaps is None:
        return None
    return {
        "quantiles": len(gaps.gaps_ns),
        "least_ns": min(gaps.gaps_ns),
        "most_ns": max(gaps.gaps_ns),
        "variation": gaps.variation,
        "resolution_ns": float(10**9 / staging.meter_rate),
        "lateness_ns": staging.lateness_ns,
    }


@dataclass(frozen=True)
class PredictedJob:
    """The streams that a switch sends for a job, and the ends that it answers for."""

    streams: tuple[SwitchPrediction, ...]
    ends: tuple[SwitchEnd, ...]


def predict_switch(file: JobFile, chip: Chip = TOFINO) -> PredictedJob:
    """Streams and ends of a job on a switch with this chip.

    Raises:
        PlanError: the first resource that runs out, and the file.
    """
    try:
        return _switch(file, planned(file), chip)
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def _switch(file: JobFile, plan: Plan, chip: Chip) -> PredictedJob:
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
    return PredictedJob(tuple(streams), placement.ends)


def _predicted(
    file: JobFile, stream: Stream, planned: PlannedStream, placed: SwitchStream
) -> SwitchPrediction:
    """The prediction of a stream, or of the frames of one of its sizes, or of one of its rates."""
    pps = asked(file, stream)
    if isinstance(placed.planned.departures.law, Turns | Level):
        pps *= placed.planned.rate / planned.rate
        size = FrameSize(int(placed.planned.frame_size))
        stream = replace(stream, frame_size=size, rate=Rate(pps, RateUnit.PPS))
    return SwitchPrediction(stream, placed.planned, pps, placed)


def _kind(chip: Chip) -> TargetKind:
    return TargetKind(
        chip.profile,
        lambda file, plan: _switch(file, plan, chip).streams,
        partial(match_action, chip=chip),
        partial(require_room, chip=chip),
    )


for _chip in (TOFINO, TOFINO_2):
    register(_kind(_chip))
