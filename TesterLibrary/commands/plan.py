# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester plan`: what a tester would send of a job, and with which error."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..files import paths
from ..files.job import load_job
from ..model.plan.edit import PlannedEditor
from ..model.plan.planned_end import PlannedEnd
from ..model.units.number import counted
from ..model.units.units import Rate, RateUnit, duration_text
from ..p4.build import check_programs
from ..planning.flows import FlowSpace
from ..planning.prediction import Prediction, ProtocolPlan, predict, predict_ends, targets
from ..planning.switch.chip import CHIPS
from ..planning.switch.phase import phase
from ..planning.switch.plan import SwitchPlan, switch_plan
from ..planning.switch.staging import Staging
from ..planning.switch.steps import Level
from ..reporting.record.codec import encode
from ._command import command

_DESCRIPTION = """
Plans a job file for a target without one, and predicts the rate of each stream: on testerd (engine) the law
by which frames are due, exactly; on Tofino a meter, and the registers after it that pass and skip packets,
where templates loop, and how full the switch is. A job that cannot be planned is refused with the limit it
hits (exit status 3).
"""


@command("plan", help="what a tester would send of a job, and with which error", description=_DESCRIPTION)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job",
        metavar="JOB",
        help=f"a job file, or one of {', '.join(paths.names('jobs'))}, which show the format",
    )
    parser.add_argument("--target", choices=targets(), default="engine", help="default: engine")
    parser.add_argument("--json", action="store_true", help="exact numbers, for programs")
    parser.set_defaults(run=_plan)


def _plan(options: argparse.Namespace) -> int:
    file = load_job(options.job)
    switch: SwitchPlan | None = None
    ends: Sequence[tuple[PlannedEnd, ProtocolPlan]]
    if options.target in CHIPS:
        switch = switch_plan(file, CHIPS[options.target])
        programs = {end.program.protocol.name: end.program for end in switch.ends}
        check_programs(list(programs.values()))
        predictions, ends = switch.streams, [(end.end, end.program) for end in switch.ends]
    else:
        predictions, ends = predict(file, options.target), predict_ends(file, options.target)
    loops = {end.end.name: end.loops for end in switch.ends} if switch else {}
    if options.json:
        streams = [_record(prediction) for prediction in predictions]
        record = {"job": file.job.name, "target": options.target, "streams": streams}
        record["ends"] = [{**_end_record(*end), "loops": encode(loops.get(end[0].name, ()))} for end in ends]
        print(json.dumps({**record, **({"switch": switch.record()} if switch else {})}, indent=2))
    else:
        also = f", {len(ends)} responders and clients" if ends else ""
        print(f"{file.job.name} on {options.target}: {counted(len(file.job.streams), 'stream')}{also}")
        for prediction in predictions:
            print(f"  {_line(prediction)}")
            for line in _content(prediction):
                print(f"    {line}")
        for end, table in ends:
            print(f"  {_end_line(end)}")
            print(f"    {table.summary()}")
            for loop in loops.get(end.name, ()):
                print(f"    {loop}")
        for line in switch.summary() if switch else ():
            print(f"  {line}")
    return 0


def _line(prediction: Prediction) -> str:
    stream, staging = prediction.stream, prediction.staging
    how = str(prediction.planned.departures.law)
    if staging and staging.gaps:
        resolution_ns = float(10**9 / staging.meter_rate)
        how += (
            f" (standard deviation {staging.gaps.variation:.3f} means), in steps of {resolution_ns:,.3g} ns"
        )
    elif staging:
        stages = ", ".join(map(str, staging.stages))
        how = f"meter {_pps(staging.meter_rate)} ({float(staging.meter_error):+.1e} by itself), {stages}"
        if staging.first:
            how += f" from tick {staging.first} on"
        elif phase(prediction.planned):
            how += ", without its phase, for whose ticks no loopback port has room"
    if prediction.begin.delay:
        how += f", {prediction.begin.delay:,} frames after the start"
    if prediction.begin.pause_ns is not None:
        how += f", {duration_text(prediction.begin.pause_ns)} after the rate before has ended"
    if place := prediction.loopback:
        how += f", {prediction.templates} template packets in loopback port {place}"
    name = f"{stream.name}{_step(prediction)}"
    if stream.as_captured:
        return f"{name}: {how}"
    error = f"{float(prediction.error):+.1e}" if prediction.error else "none"
    asked = f"{name}: {stream.rate} of {stream.frame_size} is {_pps(prediction.asked)}"
    return f"{asked}; {how}; error {error}"


def _step(prediction: Prediction) -> str:
    """The place of a rate in a step, on a switch; empty of other streams."""
    law = prediction.planned.departures.law
    if not isinstance(law, Level):
        return ""
    return f", {'second' if law.before else 'first'} rate, {law.total:,} frames"


def _end_line(end: PlannedEnd) -> str:
    opening = end.opening
    if opening is None:
        return f"{end.name}: answers on {end.port}, {end.flow_capacity:,} flows at most"
    rate = f"{float(opening.rate * 10**9):g} each second" if opening.rate else "as fast as it can"
    total = f"{opening.total:,} in all" if opening.total else "until it is stopped"
    return (
        f"{end.name}: opens flows on {end.port}, {opening.connections:,} at once of {opening.flows:,}, "
        f"{rate}, {total}"
    )


def _end_record(end: PlannedEnd, table: ProtocolPlan) -> dict[str, Any]:
    return {
        "name": end.name,
        "port": end.port,
        "vlan": end.vlan,
        "flow_capacity": end.flow_capacity,
        "parameters": dict(end.parameters),
        "accepts": encode(end.accepts),
        "opening": encode(end.opening),
        "protocol": table.record(),
    }


def _record(prediction: Prediction) -> dict[str, Any]:
    stream, planned, staging = prediction.stream, prediction.planned, prediction.staging
    record: dict[str, Any] = {
        "name": stream.name,
        "tx": stream.tx,
        "rx": stream.rx,
        "frame_size": float(stream.frame_size.mean),
        "order": list(planned.order),
        "editors": [{**encode(editor), "source": _source(editor)} for editor in planned.editors],
        "checksums": encode(planned.checksums),
        "flows": FlowSpace.of(planned).flows,
        "version_bit": planned.version.bit_offset if planned.version else None,
        "matches": [
            {"offset": match.offset, "mask": match.mask.hex(), "value": match.value.hex()}
            for match in planned.matches
        ],
        "frames": [frame.hex() for frame in planned.frames],
        "rate": "as captured" if stream.as_captured else str(stream.rate),
        "asked_pps": str(prediction.asked),
        "planned_pps": str(prediction.rate),
        "error": float(prediction.error),
    }
    if staging is None:
        law = planned.departures.law
        exact = {"packets": planned.rate.numerator, "nanoseconds": planned.rate.denominator}
        return record | exact | {"law": type(law).__name__.lower(), **encode(law)}
    level = planned.departures.law if isinstance(planned.departures.law, Level) else None
    return record | {
        "meter_pps": str(staging.meter_rate),
        "meter_error": float(staging.meter_error),
        "peak_pps": str(staging.peak),
        "stages": [{"pass": stage.passes, "skip": stage.skips} for stage in staging.stages],
        "phase": float(staging.phase),
        "gaps": _gaps(staging),
        "loopback": encode(prediction.loopback),
        "template_packets": prediction.templates,
        "step": {"before": level.before, "frames": level.total} if level else None,
        "delay_frames": prediction.begin.delay,
        "pause_ns": None if prediction.begin.pause_ns is None else float(prediction.begin.pause_ns),
        "switch_editors": encode(prediction.edits),
    }


def _gaps(staging: Staging) -> dict[str, Any] | None:
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


def _source(editor: PlannedEditor) -> dict[str, Any]:
    return {"kind": type(editor.source).__name__, **encode(editor.source)}


def _content(prediction: Prediction) -> list[str]:
    """A line for each field that changes, and one for what they make together."""
    planned = prediction.planned
    flows = FlowSpace.of(planned).flows
    number = f"{flows:,} flows" if flows else "flows without an end"
    units = {edit.field: str(edit) for edit in prediction.edits}
    lines = (f"{editor}{units.get(editor.name, units.get(editor.field, ''))}" for editor in planned.editors)
    return [*lines, number] if planned.editors else []


def _pps(rate: Fraction) -> str:
    return str(Rate(rate, RateUnit.PPS))
