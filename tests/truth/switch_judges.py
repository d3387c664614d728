# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on random devices between the ports of a switch that does not exist; no time passes.

The driver, its tables and the packets of the fake switch are between the device and the judges.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, RateUnit
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.tester import Tester as OpenedTester
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.tofino.fake import Bridge
from tests.contract.rig import SwitchRig
from tests.unit.running.testers import QUICK

from . import stream_judges as streams
from .case import SWITCH, Case, judge_on
from .counting import FRAME, Tester
from .device import Arrival, Device, Log, random_device
from .scene import Scene, Source

_UDP = 17
# The documented span of narrow buckets; a switch counts nanoseconds in steps of its clock.
_FINE_NS = (1_024, 16_777_216)
_FINE_ERROR, _COARSE_ERROR = Fraction(4, 100), Fraction(1, 2)
_SLACK_NS = 2_000  # a rate is made of the ticks of a packet's loop
_LEAST_GAP_NS = 10_000  # a fake switch has some thousands of frames a second
_PATIENCE = Duration(100 * 10**9)


class PassedLog(Log):
    """The log of a device whose frames departed at times that were recorded."""

    departures: dict[int, int]

    def departure_ns(self, sequence: int) -> int:
        return self.departures[sequence]


class LoggedBridge(Bridge):
    """Mistreats test frames as a random device does, and writes down when they came and left."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._device = device
        plan = device.log()
        self._plan: dict[int, list[tuple[int, bool]]] = {}
        for arrival in plan.arrivals:
            delay_ns = arrival.time_ns - plan.departure_ns(arrival.sequence)
            self._plan.setdefault(arrival.sequence, []).append((delay_ns, arrival.expected))
        self.came: dict[int, int] = {}
        self.left: list[Arrival] = []

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        """See `Bridge`."""
        if frame[12:14] != b"\x08\x00" or frame[23] != _UDP:
            yield from super().forward(port, frame, now_ns, others)
            return
        number = len(self.came)
        self.came[number] = now_ns
        (other,) = (one for one in others if one != port)
        for delay_ns, expected in self._plan.get(number, ()):
            self.left.append(Arrival(now_ns + delay_ns, number, expected))
            yield now_ns + delay_ns, other if expected else port, frame

    def log(self) -> Log:
        """The arrivals of the frames that it forwarded."""
        log = PassedLog(self._device, tuple(sorted(self.left, key=lambda a: a.time_ns)))
        object.__setattr__(log, "departures", self.came)
        return log


def _percentile_error(value_ns: int) -> Fraction:
    """A bit more than documented: near the ends of the span the truth may be in the next bucket."""
    narrow = _FINE_NS[0] * (1 + _FINE_ERROR) < value_ns < _FINE_NS[1] * (1 - _FINE_ERROR)
    return _FINE_ERROR if narrow else _COARSE_ERROR


def tester_on(rig: SwitchRig, folder: Path) -> OpenedTester:
    """A tester that is open on a fake switch."""
    return OpenedTester(
        rig.target,
        rig.target.capabilities(),
        rig.ports,
        {},
        Recorder(folder),
        Console(stream=StringIO()),
        QUICK,
        clock=rig.clock,
    )


def _scene(draw: random.Random, *, trials: int = 2, streams: int = 2) -> Scene:
    """One trial of one stream: a bridge numbers what it sees."""
    del trials, streams
    device = random_device(draw, damages=False)
    while device.gap_ns < _LEAST_GAP_NS:
        device = random_device(draw, damages=False)
    bridge = LoggedBridge(device)
    rig = SwitchRig(bridge)
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        tester = tester_on(rig, Path(folder))
        rate = Rate(Fraction(10**9, device.gap_ns), RateUnit.PPS)
        with StreamRun(
            tester, "truth", [Stream("north", "p1", "p2", FrameSize(FRAME), rate)]
        ).loaded() as run:
            run.start(packets=device.frames)
            tester.target.wait([run.name], timeout=_PATIENCE)
            trial = run.finish()
    assert len(bridge.came) == device.frames, f"{len(bridge.came)} of {device.frames} frames came"
    return Scene(
        Tester("switch"),
        (trial,),
        ((bridge.log(),),),
        target=SWITCH,
        slack_ns=_SLACK_NS,
        time_step_ns=1,
        percentile_error=_percentile_error,
    )


def _on_switch(judge: Callable[[random.Random, Source], Case]) -> None:
    judge_on(SWITCH)(lambda draw: judge(draw, _scene))


for _judge in (
    streams.loss,
    streams.reordering,
    streams.outage,
    streams.latency,
    streams.delay,
    streams.count,
):
    _on_switch(_judge)
