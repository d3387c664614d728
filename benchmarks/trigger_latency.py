# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a trigger takes from a packet to its frame."""

from __future__ import annotations

from ipaddress import IPv4Interface
from statistics import median

from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import PacketFilter
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.trigger import SentFrames, Trigger
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target, part_of
from TesterLibrary.targets.engine.process import EngineProcess

from .harness.machine import MEMORY_MIB, UNDISTURBED, load_average, sending_cpu
from .harness.outcome import Outcome, Run, below, percentile
from .harness.registry import Settings, benchmark

_RATE = "10 kpps"
_SPEED = Bandwidth(10**10)
_SENT = 53


@benchmark(unit="ns", bound=below(10_000, "ns"))
def trigger_latency(settings: Settings) -> Outcome:
    """Median time from a packet's departure over a ring to that of the frame that a trigger sends for it"""
    runs, tails = [], []
    for _ in range(settings.runs):
        process = EngineProcess.launch(
            ports={"a": "loop:x", "b": "loop:x"},
            cpus=[sending_cpu()],
            memory_mib=MEMORY_MIB,
            command_prefix=[*UNDISTURBED],
        )
        target = process.target()
        try:
            found = _latencies(target, settings.seconds)
        finally:
            target.close()
        tails.append(percentile(found, 99))
        runs.append(Run(float(median(found)), None, load_average()))
    return Outcome(tuple(runs), note=f"p99 {median(tails):,.0f} ns")


def _latencies(target: Target, seconds: float) -> list[int]:
    ports = {
        info.name: Port(info.name, _SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{n}/24"))
        for n, info in enumerate(target.capabilities().ports, 2)
    }
    # It is expected back on its own port, so that it is of no stream where it arrives.
    asks = Stream(
        "asks",
        "a",
        "a",
        FrameSize(64),
        Rate.parse(_RATE),
        signature=False,
        headers=HeaderStack.parse(f"Ether / IP(src=198.18.0.2, dst=198.18.0.3) / UDP(dport={_SENT})"),
    )
    answers = Trigger(
        name="answers",
        port="b",
        filter=PacketFilter.parse(f"UDP.dport == {_SENT}"),
        send=SentFrames.parse("Ether / IP / UDP(dport=7)"),
        most=10**9,
    )
    packets = int(seconds * 10_000)
    for job in (Job("answers", ends=(answers,)), Job("asks", (asks,))):
        target.load(compile_job(job, ports=ports, gateways={}, max_streams=1))
    target.start(["answers"])
    part_of(target, "captures").start(Capture("all", filter="udp", frames=10 * packets))
    target.start(["asks"], packets=packets)
    target.wait(["asks"], timeout=Duration(60 * 10**9))
    part_of(target, "captures").stop("all")
    frames = [frame for frame in frames_of(part_of(target, "captures").read("all")) if frame.transmitted]
    left = [frame.time_ns for frame in frames if frame.port == "a"]
    answered = [frame.time_ns for frame in frames if frame.port == "b"]
    if len(left) != packets or len(answered) != packets:
        raise RuntimeError(f"{len(left)} packets, {len(answered)} answers; {packets} expected of each")
    return [max(1, later - earlier) for earlier, later in zip(left, answered, strict=True)]
