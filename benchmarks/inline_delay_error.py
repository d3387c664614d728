# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How well the delays of a path are those that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Interface
from statistics import median

from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.impairment import Impairment, PathDelay
from TesterLibrary.model.inline import Path
from TesterLibrary.model.job import Job
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target, part_of
from TesterLibrary.targets.engine.process import EngineProcess

from .harness.machine import MEMORY_MIB, UNDISTURBED, load_average, sending_cpu
from .harness.outcome import Outcome, Run, below, percentile
from .harness.registry import Settings, benchmark

# What a sends arrives on b, whence the path takes it to c; d receives it.
_PORTS = {"a": "loop:x", "b": "loop:x", "c": "loop:y", "d": "loop:y"}
_ASKED_NS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
# No delay is a multiple of its gaps: a frame would be due just when the same worker sends another one.
_RATE = "9373 pps"
_SPEED = Bandwidth(10**10)
_PATIENCE = Duration(20 * 10**9)


@dataclass(frozen=True)
class _Error:
    asked_ns: int
    median: float
    p99: float


@benchmark(unit="ns", bound=below(100, "ns"))
def inline_delay_error(settings: Settings) -> Outcome:
    """Median |delay added - delay asked| of each frame through a path, 1 us to 100 ms, where it is worst"""
    runs, rounds = [], []
    for _ in range(settings.runs):
        with _engine() as (target, ports):
            base = median(_latencies(target, ports, 0, settings.seconds))
            errors = []
            for asked in _ASKED_NS:
                found = [
                    max(1.0, abs(taken - base - asked))
                    for taken in _latencies(target, ports, asked, settings.seconds)
                ]
                errors.append(_Error(asked, median(found), percentile(found, 99)))
        rounds.append(errors)
        runs.append(Run(max(error.median for error in errors), None, load_average()))
    note = "; ".join(
        f"{asked / 1000:g} us: {median(each[place].median for each in rounds):,.0f} "
        f"(p99 {median(each[place].p99 for each in rounds):,.0f})"
        for place, asked in enumerate(_ASKED_NS)
    )
    return Outcome(tuple(runs), note=note)


@contextmanager
def _engine() -> Iterator[tuple[Target, dict[str, Port]]]:
    process = EngineProcess.launch(
        ports=_PORTS, cpus=[sending_cpu()], memory_mib=MEMORY_MIB, command_prefix=UNDISTURBED
    )
    target = process.target()
    try:
        yield (
            target,
            {
                info.name: Port(
                    info.name, _SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{number}/24")
                )
                for number, info in enumerate(target.capabilities().ports, 2)
            },
        )
    finally:
        target.close()


def _latencies(target: Target, ports: dict[str, Port], delay_ns: int, seconds: float) -> list[int]:
    """The time from the signature of each frame to its arrival, with that delay on its path."""
    path = Path("path", ("b", "c"))
    if delay_ns:
        delay = PathDelay(mean=Duration(delay_ns))
        path = path.with_impairment(Impairment(delay=delay, heading=Heading.FORWARD))
    stream = Stream("north", "a", "d", FrameSize(128), Rate.parse(_RATE))
    jobs = ("path", "north")
    for job in (Job("path", paths=(path,)), Job("north", (stream,))):
        target.load(compile_job(job, ports=ports, gateways={}, max_streams=1))
    sent = Capture("sent", ports=("a", "d"), frames=10**6, snap_length=64)
    try:
        target.start(["path"])
        part_of(target, "captures").start(sent)
        target.start(["north"], duration=Duration(int(seconds * 1e9)))
        target.wait(["north"], timeout=Duration(_PATIENCE.ns + int(seconds * 1e9)))
        part_of(target, "captures").stop("sent")
        left: dict[int, int] = {}
        came: dict[int, int] = {}
        for frame in frames_of(part_of(target, "captures").read("sent")):
            if frame.sequence is not None:
                (left if frame.transmitted else came)[frame.sequence] = frame.time_ns
        part_of(target, "captures").forget("sent")
    finally:
        target.unload(jobs)
    taken = [came[number] - at for number, at in left.items() if number in came]
    if not taken:
        raise RuntimeError(f"no frame came through a path with a delay of {delay_ns} ns")
    return taken
