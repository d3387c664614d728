# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A switch that streams are loaded into: the vendor's model, or one that does not exist."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.opening import open_target
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.testbeds import open_testbed

from ..harness.machine import load_average
from ..harness.outcome import Outcome, Run
from ..harness.registry import Settings

STREAMS = 64


def measured(settings: Settings, measure: Callable[[TofinoTarget, Plan], float]) -> Outcome:
    """Measures a switch, loaded with a plan of 64 streams, as many times as the settings say."""
    runs = []
    with switch() as (target, plan):
        for _ in range(settings.runs):
            load = load_average()
            runs.append(Run(measure(target, plan), None, load))
        details = target.capabilities().details
    return Outcome(tuple(runs), note=details)


@contextmanager
def switch() -> Iterator[tuple[TofinoTarget, Plan]]:
    """The model of one where SDE_INSTALL is set, or else a fake one, behind the same pipe; and the plan."""
    name = "tofino-model" if os.environ.get("SDE_INSTALL") else "tofino-fake"
    with open_testbed(name) as testbed, closing(open_target(testbed)) as target:
        assert isinstance(target, TofinoTarget)
        infos = target.capabilities().ports
        known = {port.name: port for port in testbed.testbed.ports}
        ports = {info.name: known[info.name].described_by(info.mac, info.max_frame_size) for info in infos}
        rate = Rate.parse("10 pps")
        streams = tuple(Stream(f"s{number}", "p1", "p2", FrameSize(128), rate) for number in range(STREAMS))
        yield target, compile_job(Job("load", streams), ports=ports, gateways={}, max_streams=STREAMS)
