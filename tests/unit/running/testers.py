# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester on a fake target, for tests of what stands above targets."""

from __future__ import annotations

from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.capture import Captures
from TesterLibrary.running.clock import Clock
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.hosts import Hosts
from TesterLibrary.running.memberships import Memberships
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.paths import Paths
from TesterLibrary.running.queries import Queries
from TesterLibrary.running.suite import Suite
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.traffic import Traffic
from TesterLibrary.running.trial_rules import TrialRules
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget

SECOND = Duration(10**9)
QUICK = TrialRules(settle=Duration(40_000_000), respite=Duration(0))


def stream(
    name: str = "north", *, tx: str = "p1", rx: str = "p2", size: int = 64, rate: str = "100 %"
) -> Stream:
    return Stream(name, tx=tx, rx=rx, frame_size=FrameSize(size), rate=Rate.parse(rate))


def opened(directory: Path, **options: Any) -> Suite:
    """The state that keywords share, with a fake tester open and a test under way."""
    this = fake_tester(directory, **options)
    suite = Suite("fake", 1, this.recorder, this.progress, scopes=this.scopes)
    captures, traffic, ends = Captures(this), Traffic(this), Connections(this, source_seed=1)
    hosts = Hosts(None, directory / "hosts")
    paths = Paths(this, hosts)
    closing = ExitStack()
    memberships, queries = Memberships(this), Queries(this, ends)
    for part in (captures, queries, ends, traffic, paths, memberships):
        closing.callback(part.close)
    parts = (traffic, ends, captures, paths, hosts, memberships, queries)
    suite._open = OpenTestbed(None, this, *parts, closing)  # type: ignore[arg-type]
    suite.scopes.enter(["s1", "s1-t1"])
    return suite


def fake_tester(directory: Path, *, capacity: int | None = None, **options: Any) -> Tester:
    target = options.pop("target", None) or FakeTarget(
        **{"device": FakeDevice(FakePath(capacity=capacity)), **options}
    )
    capabilities = target.capabilities()
    ports = {
        p.name: Port(p.name, Bandwidth(p.link_speed_bps), p.mac, p.max_frame_size) for p in capabilities.ports
    }
    progress = Console(stream=StringIO())
    clock = Clock.of(target)  # time passes at once
    return Tester(target, capabilities, ports, {}, Recorder(directory), progress, QUICK, clock=clock)
