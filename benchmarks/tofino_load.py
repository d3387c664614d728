# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a job takes into a switch, and its counters out of it.

At the model of a switch that runs here where SDE_INSTALL is set, or else at a switch that does not exist,
behind the same pipe.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import FrameSize, Rate
from TesterLibrary.opening import open_target
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.entry import Entry, Masked
from TesterLibrary.targets.tofino.target import TofinoTarget
from TesterLibrary.testbeds import open_testbed

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_STREAMS, _ROWS = 64, 4000
_EFSM = "InternalIngress.responder.efsm"
_LINK = 255  # of no job


@benchmark(unit="s", bound=below(2, "s"))
def tofino_load(settings: Settings) -> Outcome:
    """A job of 64 streams, and 4,000 rows of a protocol's table, into a switch"""
    return _measured(settings, _load)


@benchmark(unit="ms", bound=below(100, "ms"))
def tofino_counters(settings: Settings) -> Outcome:
    """The counters of 64 streams that send out of a switch, latencies included"""
    return _measured(settings, _read)


def _measured(settings: Settings, measure: Callable[[TofinoTarget, Plan], float]) -> Outcome:
    runs = []
    with _switch() as (target, plan):
        for _ in range(settings.runs):
            load = load_average()
            runs.append(Run(measure(target, plan), None, load))
        details = target.capabilities().details
    return Outcome(tuple(runs), note=details)


@contextmanager
def _switch() -> Iterator[tuple[TofinoTarget, Plan]]:
    name = "tofino-model" if os.environ.get("SDE_INSTALL") else "tofino-fake"
    with open_testbed(name) as testbed, closing(open_target(testbed)) as target:
        assert isinstance(target, TofinoTarget)
        infos = target.capabilities().ports
        known = {port.name: port for port in testbed.testbed.ports}
        ports = {own.name: known[own.name].described_by(own.mac, own.max_frame_size) for own in infos}
        rate = Rate.parse("10 pps")
        streams = tuple(Stream(f"s{own}", "p1", "p2", FrameSize(128), rate) for own in range(_STREAMS))
        yield target, compile_job(Job("load", streams), ports=ports, gateways={}, max_streams=_STREAMS)


def _load(target: TofinoTarget, plan: Plan) -> float:
    """Seconds; what was loaded is taken out again after them."""
    rows = [
        Entry(
            f"internal.{_EFSM}.rows",
            {"link": Masked(_LINK, 0xFF), "payload_length": Masked(own, 0xFFFF), "$MATCH_PRIORITY": own},
            f"{_EFSM}.silent",
            {"next": 0, "moves": 0, "write_port": 0},
        )
        for own in range(_ROWS)
    ]
    begin = time.perf_counter()
    target.load(plan)
    target.session.write(rows)
    taken = time.perf_counter() - begin
    target.session.remove(rows)
    target.unload([plan.job])
    return taken


def _read(target: TofinoTarget, plan: Plan) -> float:
    """Milliseconds. A fake switch first does what was due since the start, which is not what is measured."""
    target.load(plan)
    target.start([plan.job])
    target.snapshot()
    begin = time.perf_counter()
    counted = target.snapshot().streams
    taken = time.perf_counter() - begin
    target.unload([plan.job])
    if len(counted) != _STREAMS or not all(own.sending for own in counted):
        raise RuntimeError(f"{len(counted)} of {_STREAMS} streams were read, or do not send")
    return taken * 1000
