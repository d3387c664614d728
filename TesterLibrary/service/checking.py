# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Looks at the tester of a place before it is granted: it answers, links are up, frames over cables arrive.

A tester that each run starts is started for it, by `python -m TesterLibrary.service.checking`: a process of
its own, so that nothing of it stays in the service.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from ..campaign.child_status import StatusReader, StatusWriter
from ..errors import TesterLibraryError
from ..model.job import Job
from ..model.stream import Stream
from ..model.units.units import Duration, FrameSize, Rate
from ..planning.compile import compile as compile_job
from ..targets.base import Target, part_of
from ..targets.opening import open_target
from ..testbeds import open_testbed
from ..testbeds.python_process import python_command
from ..testbeds.testbed import Testbed
from .config import ServedPlace

_FRAMES = 1000
_RATE = Rate.parse("100 kpps")
_PATIENCE = Duration(5 * 10**9)
_ARRIVE_S = 1.0
_START_S = 60.0  # for an embedded testbed, on a machine that is busy
_JOB = "service-check"


def problem_of(place: ServedPlace) -> str:
    """The fault of a place whose tester each run starts; empty if there is none."""
    cables = [":".join(cable) for cable in place.cables]
    problems: list[str] = []
    with tempfile.TemporaryFile() as status:
        file = status.fileno()
        command = python_command(__name__, str(file), place.file, *cables)
        try:
            done = subprocess.run(command, pass_fds=(file,), timeout=_START_S, check=False)
        except subprocess.TimeoutExpired:
            return f"its tester could not be looked at within {_START_S:.0f} s"
        status.seek(0)
        StatusReader(lambda event: problems.append(event.get("text", "")), problems.append).feed(
            status.read()
        )
    if done.returncode == 0:
        return ""
    return (
        "; ".join(problems)
        or f"its check ended with status {done.returncode}; the log of the service says why"
    )


def look_at(target: Target, testbed: Testbed, cables: Sequence[Sequence[str]]) -> str:
    """The fault of a tester; empty if there is none. TesterLibraryError if it is broken or gone."""
    capabilities = target.capabilities()
    known = {port.name: port for port in capabilities.ports}
    missing = [port.name for port in testbed.ports if port.name not in known]
    if missing:
        return f"the tester has no port {missing[0]}; it has {', '.join(known)}"
    down = [port.name for port in testbed.ports if not known[port.name].link_up]
    if down:
        return f"the link of {', '.join(down)} is down"
    left = target.snapshot().jobs
    if left:
        return f"the tester still has job {left[0].name!r} of {left[0].started_by or 'somebody'}"
    return _over_cables(target, testbed, cables) if cables else ""


def _over_cables(target: Target, testbed: Testbed, cables: Sequence[Sequence[str]]) -> str:
    """Sends frames over cables, both ways; says which have not arrived."""
    capabilities = target.capabilities()
    ports = {}
    for port in testbed.ports:
        info = capabilities.port(port.name)
        ports[port.name] = port.described_by(info.mac, info.max_frame_size)
    ways = [pair for one, other in cables for pair in ((one, other), (other, one))]
    streams = tuple(Stream(f"{tx} to {rx}", tx, rx, FrameSize(64), _RATE) for tx, rx in ways)
    plan = compile_job(
        Job(_JOB, streams), ports=ports, gateways={}, max_streams=capabilities.max_streams, first_id=1
    )
    target.load(plan)
    try:
        if plan.learning:
            part_of(target, "frames").inject(plan.learning)
        target.start([_JOB], packets=_FRAMES)
        target.wait([_JOB], timeout=_PATIENCE)
        until = time.monotonic() + _ARRIVE_S
        while True:
            counted = target.snapshot([_JOB]).streams
            lost = [stream for stream in counted if (stream.rx_packets or 0) < stream.tx_packets]
            if not lost or time.monotonic() > until:
                break
            time.sleep(0.02)
    finally:
        target.unload([_JOB])
    names = {planned.id: planned.name for planned in plan.streams}
    said = (f"{names[s.id]}: {s.rx_packets} of {s.tx_packets} frames arrived" for s in lost)
    return "; ".join(said)


def main(arguments: Sequence[str]) -> int:
    """Looks at a testbed that is opened for it. Tells the parent what is wrong; the status is 1 then."""
    file, name, *cables = arguments
    try:
        with open_testbed(name) as running:
            target = open_target(running)
            try:
                problem = look_at(target, running.testbed, [cable.split(":") for cable in cables])
            finally:
                target.close()
    except TesterLibraryError as error:
        problem = str(error)
    if problem:
        StatusWriter(int(file)).tell("error", text=problem)
    return int(bool(problem))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
