# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bench on a fake tester, for tests of what stands above targets."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

from TesterLibrary.bench import Bench, TrialRules
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget

SECOND = Duration(10**9)
QUICK = TrialRules(settle=Duration(40_000_000), respite=Duration(0))


def stream(
    name: str = "north", *, tx: str = "p1", rx: str = "p2", size: int = 64, rate: str = "100 %"
) -> Stream:
    return Stream(name, tx=tx, rx=rx, frame_size=FrameSize(size), rate=Rate.parse(rate))


def bench(directory: Path, *, capacity: int | None = None, **options: Any) -> Bench:
    target = FakeTarget(device=FakeDevice(FakePath(capacity=capacity)), **options)
    capabilities = target.capabilities()
    ports = {p.name: Port(p.name, Bandwidth(10**9), p.mac, p.max_frame_size) for p in capabilities.ports}
    progress = Progress(stream=StringIO())

    def sleep(seconds: float) -> None:
        """In the fake's time, which passes at once."""
        target.advance(Duration(round(seconds * 10**9)))

    return Bench(target, capabilities, ports, {}, Recorder(directory), progress, QUICK, sleep=sleep)
