# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester plan`: what a tester would send of a job, and with which error."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ..files import paths
from ..files.job import load_job
from ..model.plan.edit import PlannedEditor
from ..model.plan.planned_end import PlannedEnd
from ..model.units.number import counted
from ..model.units.units import Rate, RateUnit
from ..p4.build import check_programs
from ..planning.flows import FlowSpace
from ..planning.prediction import Prediction, ProtocolPlan, predict, predict_ends, targets
from ..planning.switch.chip import CHIPS
from ..planning.switch.plan import SwitchPlan, switch_plan
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
    predictions: Sequence[Prediction]
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
    stream = prediction.stream
    name = f"{stream.name}, {prediction.part}" if prediction.part else stream.name
    if stream.as_captured:
        return f"{name}: {prediction.spacing}"
    error = f"{float(prediction.error):+.1e}" if prediction.error else "none"
    asked = f"{name}: {stream.rate} of {stream.frame_size} is {Rate(prediction.asked, RateUnit.PPS)}"
    return f"{asked}; {prediction.spacing}; error {error}"


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
    stream, planned = prediction.stream, prediction.planned
    return {
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
        **encode(prediction.details()),
    }


def _source(editor: PlannedEditor) -> dict[str, Any]:
    return {"kind": type(editor.source).__name__, **encode(editor.source)}


def _content(prediction: Prediction) -> list[str]:
    """A line for each field that changes, and one for what they make together."""
    planned = prediction.planned
    flows = FlowSpace.of(planned).flows
    number = f"{flows:,} flows" if flows else "flows without an end"
    return [*prediction.editors, number] if planned.editors else []
