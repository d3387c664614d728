# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bench on a fake tester, for tests of what stands above targets."""

from __future__ import annotations

from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

from TesterLibrary.bench import Bench, TrialRules
from TesterLibrary.capturing import Captures
from TesterLibrary.ends import Ends
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.opening import OpenTester
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder
from TesterLibrary.session import Session
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.traffic import Traffic

SECOND = Duration(10**9)
QUICK = TrialRules(settle=Duration(40_000_000), respite=Duration(0))


def stream(
    name: str = "north", *, tx: str = "p1", rx: str = "p2", size: int = 64, rate: str = "100 %"
) -> Stream:
    return Stream(name, tx=tx, rx=rx, frame_size=FrameSize(size), rate=Rate.parse(rate))


def opened(directory: Path, **options: Any) -> Session:
    """What keywords share, with a fake tester open and a test under way."""
    this = bench(directory, **options)
    session = Session("fake", 1, this.recorder, this.progress, scopes=this.scopes)
    captures, traffic, ends = Captures(this), Traffic(this), Ends(this)
    closing = ExitStack()
    for part in (captures, ends, traffic):
        closing.callback(part.close)
    session._tester = OpenTester(None, this, traffic, ends, captures, closing)  # type: ignore[arg-type]
    session.scopes.enter(["s1", "s1-t1"])
    return session


def bench(directory: Path, *, capacity: int | None = None, **options: Any) -> Bench:
    target = FakeTarget(device=FakeDevice(FakePath(capacity=capacity)), **options)
    capabilities = target.capabilities()
    ports = {p.name: Port(p.name, Bandwidth(10**9), p.mac, p.max_frame_size) for p in capabilities.ports}
    progress = Progress(stream=StringIO())

    def sleep(seconds: float) -> None:
        """In the fake's time, which passes at once."""
        target.advance(Duration(round(seconds * 10**9)))

    return Bench(target, capabilities, ports, {}, Recorder(directory), progress, QUICK, sleep=sleep)
