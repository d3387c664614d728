# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testers with two paths around a device, a cable, and hosts at both ends, whatever the tester is."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.snapshot import StampDirectionCounters
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.inline import Event, Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stamps import LoadedPath, Stamps
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.tofino.fake import MakesPipelines

from .path_rig import Hosts, SwitchPathRig
from .rig import SPEED

# From p1 a cable to q1, a path to q2, the device, which is a cable, to r1, a path to r2, and a cable to p2.
ENGINE_PORTS = {
    name: f"loop:{cable}" for name, cable in zip(("p1", "q1", "q2", "r1", "r2", "p2"), "xxyyzz", strict=True)
}
_SETTLING_S = 0.05
Does = Callable[[bytes, int], Sequence[tuple[int, bytes]]]  # frame and time; frames and times
JOBS = ("before", "behind", "stamps")


def stamps(**changes: Any) -> Stamps:
    """Stamps around the device."""
    return Stamps(
        name="load", paths=(LoadedPath("before", "before"), LoadedPath("behind", "behind")), **changes
    )


class StampRig(Protocol):
    """A tester with two paths around a device."""

    target: Target
    ports: dict[str, Port]
    around: tuple[tuple[str, str], tuple[str, str]]

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> tuple[list[bytes], list[bytes]]:
        """The frames that the device takes, and those that the other host receives, in their order."""
        ...


def load_paths(rig: StampRig, *, before: Sequence[Event] = (), behind: Sequence[Event] = ()) -> None:
    """Loads the paths around the device."""
    for name, ports, events in zip(("before", "behind"), rig.around, (before, behind), strict=True):
        path = Path(name, ports, tuple(events))
        rig.target.load(compile_job(Job(name, paths=(path,)), ports=rig.ports, gateways={}, max_streams=1))


def load_stamps(rig: StampRig, job: str = "stamps", **changes: Any) -> None:
    """Loads stamps around the device."""
    plan = compile_job(Job(job, stamps=(stamps(**changes),)), ports=rig.ports, gateways={}, max_streams=1)
    rig.target.load(plan)


def start(rig: StampRig, **changes: Any) -> None:
    """Loads and starts paths and stamps."""
    load_paths(rig)
    load_stamps(rig, **changes)
    for job in ("stamps", "before", "behind"):
        rig.target.start([job])


def counters(rig: StampRig) -> tuple[StampDirectionCounters, ...]:
    """The counters of each direction."""
    return rig.target.snapshot(["stamps"]).stamped("stamps", "load").directions


def clear(rig: StampRig) -> None:
    """Removes what a test has left."""
    for job in reversed(JOBS):
        with suppress(PlanError):
            rig.target.unload([job])


class AroundADevice(Hosts):
    """A device between two ports of a fake switch, and a host behind each other one."""

    def __init__(self) -> None:
        super().__init__()
        self.between: dict[int, int] = {}  # device ports
        self.taken: list[bytes] = []  # by the device
        self.does: Does = lambda frame, now_ns: [(now_ns, frame)]
        self.turns: Callable[[], bool] = lambda: False  # whether it sends a frame back to where it came from

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        if port not in self.between:
            yield from super().forward(port, frame, now_ns, others)
            return
        self.taken.append(frame)
        for at_ns, octets in self.does(frame, now_ns):
            yield at_ns, port if self.turns() else self.between[port], octets


class SwitchStampRig(SwitchPathRig):
    """A driver of a fake switch between two hosts and a device, which may be more than a cable."""

    around = (("p1", "p2"), ("p3", "p4"))

    def __init__(self, pipelines: MakesPipelines | None = None, **changes: Any) -> None:
        self.device = AroundADevice()
        super().__init__(pipelines, hosts=self.device, **changes)
        numbers = self.session.numbers
        self.device.between = {numbers["p2"]: numbers["p3"], numbers["p3"]: numbers["p2"]}

    def through(
        self, frames: Sequence[bytes], *, back: bool = False, gap_ns: int = 1000
    ) -> tuple[list[bytes], list[bytes]]:
        """As `pass_frames` of a `StampRig`."""
        ends = [self.session.numbers[name] for name in ("p1", "p4")]
        into = ends[int(back)]
        self.hosts.arrived.clear()
        self.device.taken.clear()
        for frame in frames:
            self.daemon.running.chip.arrive(into, frame, self.now_ns)
            self.now_ns += gap_ns
        self.daemon.running  # noqa: B018 - events until now
        assert {port for port, _ in self.hosts.arrived} <= set(ends)
        return list(self.device.taken), [frame for _, frame in self.hosts.arrived]


class SwitchAround:
    """The same as a `StampRig`."""

    def __init__(self, rig: SwitchStampRig | None = None) -> None:
        self.rig = rig or SwitchStampRig()
        self.target, self.ports, self.around = self.rig.target, self.rig.ports, self.rig.around

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> tuple[list[bytes], list[bytes]]:
        return self.rig.through(frames, back=back)


class EngineAround:
    """An engine with two paths between loops; the device is a cable."""

    around = (("q1", "q2"), ("r1", "r2"))

    def __init__(self, process: EngineProcess) -> None:
        self.target: Target = process.target()
        self.ports = {
            info.name: Port(info.name, SPEED, info.mac, info.max_frame_size)
            for info in self.target.capabilities().ports
        }

    def pass_frames(self, frames: Sequence[bytes], *, back: bool = False) -> tuple[list[bytes], list[bytes]]:
        into, device, out = ("p2", "q2", "p1") if back else ("p1", "r1", "p2")
        for name, port in (("taken", device), ("arrived", out)):
            self.target.captures.start(Capture(name, (port,), frames=10_000))
        self.target.frames.inject([LearningFrame(into, frame) for frame in frames])
        time.sleep(_SETTLING_S)
        return self._captured("taken"), self._captured("arrived")

    def _captured(self, name: str) -> list[bytes]:
        self.target.captures.stop(name)
        seen = [frame.octets for frame in frames_of(self.target.captures.read(name))]
        self.target.captures.forget(name)
        return seen
