# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Places a planned job in a switch: the stages of each stream, and the loops of streams and ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil

from ...errors import PlanError
from ...model.pattern import Stage
from ...model.plan.law import Steady
from ...model.plan.plan import Plan, PlannedStream
from ...model.plan.planned_end import PlannedEnd
from ...model.ports import Port
from ...model.units.units import FCS_LENGTH, LINE_OVERHEAD, Bandwidth, Rate, RateUnit
from .allocation import LoopbackFlow, LoopbackPort, LoopbackPorts, Occupied, allocate
from .chip import TOFINO, Chip
from .editor import SwitchEditor, switch_editors
from .gaps import DrawnGaps, drawn, gap_laws
from .loops import PlacedLoop, end_loops, placed, template_packets
from .match_action import MatchAction, match_action
from .meter import LoopMeter
from .parts import named, parts_of
from .phase import first_tick, ticks
from .prefix import check_prefixes
from .refusals import check_edited, check_end, check_stream, check_tags
from .resources import FLOW_CELLS, START, Excess
from .sizes import Turns
from .staging import Staging, draw, stage
from .start_delay import Begin, begins
from .starts import PlacedStarts, placed_starts
from .steps import Level
from .timer_scan import placed_looks
from .timers import timer_of

_Looping = tuple[list[Staging], list[LoopbackFlow], Mapping[str, LoopbackPort]]
_ROUNDED = 1 + Fraction(1, 10**6)  # a meter has not every rate: line rate, too, may be rounded up


@dataclass(frozen=True)
class SwitchStream:
    """A stream whose template packets loop. Rates are frames each second."""

    planned: PlannedStream
    staging: Staging
    flow: LoopbackFlow
    loopback: LoopbackPort
    templates: int  # the number of template packets that loop
    edits: tuple[SwitchEditor, ...]
    metered: bool  # whether a meter limits the template packets; else the loop sets their rate
    begin: Begin


@dataclass(frozen=True)
class SwitchEnd:
    """A responder or clients, the protocol for a switch, and the loops there."""

    end: PlannedEnd
    program: MatchAction
    loops: tuple[PlacedLoop, ...]
    starts: PlacedStarts | None = None  # of clients
    looks: PlacedStarts | None = None  # at their flows, if their table has a timer

    @property
    def events(self) -> dict[str, PlacedStarts]:
        """The packets that are events of its flows, by the event: starts, and looks of a timer."""
        found = {START: self.starts, timer_of(self.end.protocol): self.looks}
        return {event: packets for event, packets in found.items() if event and packets}


@dataclass(frozen=True)
class Placement:
    """The streams and ends of a job in a switch."""

    streams: tuple[SwitchStream, ...]
    ends: tuple[SwitchEnd, ...]


def place(
    plan: Plan,
    ports: Mapping[str, Port],
    own_fields: Mapping[str, int],
    *,
    chip: LoopbackPorts | None = None,
    occupied: Sequence[Occupied] = (),
    kind: Chip = TOFINO,
) -> Placement:
    """Places all of a job at once, because streams and ends share the loopback ports.

    Args:
        plan: The job.
        ports: The tester's ports by name.
        own_fields: Bits of the fields of headers that the switch's program was built with.
        chip: Its loopback ports; those of a folded switch of 3.2 Tbps, if none are given.
        occupied: The flows of other jobs that loop there already.
        kind: The chip, whose program changes so many fields of a template, and which has so many stages.

    Raises:
        PlanError: the first resource that runs out.
    """
    chip = chip or LoopbackPorts()
    _check_ports(ports, chip)
    planned = _parts(plan)
    programs = [(end, _program(end, kind)) for end in plan.ends]
    check_tags(plan.ends)
    check_prefixes(plan.ends)
    loops = [
        (end, program, end_loops(end.name, program, ports[end.port], tagged=end.vlan is not None))
        for end, program in programs
    ]
    openings = {end.name: _openings(end, chip, kind) for end in plan.ends if end.opening}
    looping_flows = [loop.flow for _, _, looping in loops for loop in looping]
    looping_flows += [starts.flow for both in openings.values() for starts in both if starts]
    stagings, flows, places = _looping(planned, ports, chip, looping_flows, occupied)
    streams = (
        SwitchStream(
            stream,
            staging,
            flow,
            places[flow.name],
            _templates(stream, Fraction(flow.bps, chip.port_bps)),
            _edits(stream, own_fields, kind.edited_fields),
            metered=staging.meter_rate < _line(stream, chip),
            begin=begin,
        )
        for stream, staging, flow, begin in zip(
            planned, stagings, flows, begins(planned, stagings), strict=True
        )
    )
    ends = (
        SwitchEnd(
            end,
            program,
            tuple(placed(loop, places[loop.flow.name], chip) for loop in looping),
            *(starts and starts.at(places[starts.flow.name]) for starts in openings.get(end.name, ())),
        )
        for end, program, looping in loops
    )
    return Placement(tuple(streams), tuple(ends))


def _openings(end: PlannedEnd, chip: LoopbackPorts, kind: Chip) -> tuple[PlacedStarts | None, ...]:
    """The starts of clients, and the looks at their flows."""
    return placed_starts(end, chip, kind.edited_fields), placed_looks(end, chip, kind.edited_fields)


def _parts(plan: Plan) -> list[PlannedStream]:
    """The streams, each rate and size of one by itself. PlanError for what a switch does not send."""
    streams = [drawn(part) for stream in plan.streams for part in parts_of(stream)]
    for stream in streams:
        check_stream(stream)
    for resource in (flow_cells(streams), gap_laws(streams)):
        if resource.needed > resource.available:
            raise PlanError(str(resource))
    return streams


def _looping(
    streams: Sequence[PlannedStream],
    ports: Mapping[str, Port],
    chip: LoopbackPorts,
    others: Sequence[LoopbackFlow],
    occupied: Sequence[Occupied],
) -> _Looping:
    """How streams are staged, and where all loops are. Phases are kept if their ticks have room."""

    def looping(in_gap: Mapping[int, int]) -> _Looping:
        stagings = [_staged(stream, ports[stream.tx_port], chip, in_gap[stream.id]) for stream in streams]
        flows = [_loop(stream, staging) for stream, staging in zip(streams, stagings, strict=True)]
        return stagings, flows, allocate([*flows, *others], chip, occupied)

    in_gap = ticks(streams, {stream.id: _line(stream, chip) for stream in streams})
    try:
        return looping(in_gap)
    except PlanError:
        if set(in_gap.values()) <= {1}:
            raise
    return looping(dict.fromkeys(in_gap, 1))


def _program(end: PlannedEnd, chip: Chip) -> MatchAction:
    if end.is_trigger:  # in its own words, as nobody has written its table
        check_end(end, chip)
    program = match_action(end.protocol, end.parameters, chip)
    check_end(end, chip)
    return program


@lru_cache(256)
def _stage(
    target: Fraction, meter: LoopMeter, pattern: tuple[Stage, ...], even: Fraction, up_to: Fraction
) -> Staging:
    """A cached `stage`, because streams of a job often have the same rate."""
    return stage(target, meter, pattern=pattern, enough=even, up_to=up_to)


def _check_ports(ports: Mapping[str, Port], chip: LoopbackPorts) -> None:
    """Checks ports: a folded switch has as many front-panel ports as loopback ports, and they are as fast."""
    if len(ports) > chip.all_ports:
        over = len(ports) - chip.all_ports
        raise PlanError(
            f"front-panel ports: {len(ports)} needed, {chip.all_ports} there, {over} too many; split the job"
        )
    for port in ports.values():
        if port.speed.bps > chip.port_bps:
            raise PlanError(
                f"port {port.name!r} of {port.speed}: one of the front panel has "
                f"{Bandwidth(chip.port_bps)} at most"
            )


def flow_cells(streams: Sequence[PlannedStream]) -> Excess:
    """The counters of flows that streams take, and those that there are."""
    counted = [stream for stream in streams if stream.flows]
    why = ", ".join(f"{stream.name} {stream.flows:,}" for stream in counted)
    instead = "let fields take fewer values, or use a testerd"
    return Excess("counters of flows", sum(stream.flows for stream in counted), FLOW_CELLS, why, instead)


def _loop(stream: PlannedStream, staging: Staging) -> LoopbackFlow:
    """The flow of its template packets, which loop at the meter's rate."""
    pps = staging.meter_rate
    return LoopbackFlow(named(stream), ceil(pps * (stream.frame_size + LINE_OVERHEAD) * 8), ceil(pps))


def _templates(stream: PlannedStream, share: Fraction) -> int:
    """The share of the template packets that keep a port busy; the smallest frame needs the most packets."""
    return ceil(template_packets(min(map(len, stream.frames)) + FCS_LENGTH) * share)


def _edits(stream: PlannedStream, own_fields: Mapping[str, int], units: int) -> tuple[SwitchEditor, ...]:
    try:
        edits = switch_editors(stream.editors, own_fields, stream.frame, units)
        check_edited(stream, edits, own_fields)
        return edits
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None


def _staged(stream: PlannedStream, port: Port, chip: LoopbackPorts, in_gap: int) -> Staging:
    """Its staging, with so many ticks in each gap for its phase; a pattern has none."""
    law = stream.departures.law
    if not isinstance(law, Steady | Turns | Level | DrawnGaps):
        raise PlanError(
            f"stream {stream.name!r}: a Tofino has stages; for other ways to space frames plan for the engine"
        )
    stages = law.stages if isinstance(law, Steady) else ()
    try:
        line = _line(stream, chip)
        meter = LoopMeter(chip.meter, line)
        if isinstance(law, DrawnGaps):
            carried = port.speed.frames_per_second(stream.frame_size)
            return draw(law, meter, line=line, port=carried, up_to=chip.spare_pps(line))
        turn = (Stage(1, in_gap - 1),) if in_gap > 1 and not stages else ()
        staging = _stage(stream.frames_per_second, meter, (*stages, *turn), chip.even, chip.spare_pps(line))
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None
    _check_peak(stream, port, staging, stages)
    return replace(staging, first=first_tick(stream, in_gap)) if turn else staging


def _line(stream: PlannedStream, chip: LoopbackPorts) -> Fraction:
    """The rate of its frames that fills a whole loopback port."""
    return Bandwidth(chip.port_bps).frames_per_second(stream.frame_size)


def _check_peak(stream: PlannedStream, port: Port, staging: Staging, pattern: tuple[Stage, ...]) -> None:
    line = port.speed.frames_per_second(stream.frame_size)
    if pattern and staging.peak > line * _ROUNDED:
        raise PlanError(
            f"stream {stream.name!r}: its pattern ({', then '.join(map(str, pattern))}) needs a peak of "
            f"{Rate(staging.peak, RateUnit.PPS)}; port {port.name!r} ({port.speed}) carries at most "
            f"{Rate(line, RateUnit.PPS)} of its frames of {float(stream.frame_size):g} bytes"
        )
