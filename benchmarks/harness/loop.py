# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our engine with two ports that are connected inside its own process, and one stream between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Interface
from time import monotonic, sleep

import grpc

from TesterLibrary._generated.tester.v1.control_pb2 import TakeSnapshotRequest
from TesterLibrary._generated.tester.v1.control_pb2_grpc import TesterStub
from TesterLibrary._generated.tester.v1.counters_pb2 import VersionCounters
from TesterLibrary.measurement.delays.latency import Latency
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.job import Job
from TesterLibrary.model.ports import Port
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Bandwidth, Duration, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.base import Target
from TesterLibrary.targets.engine.process import EngineProcess

from .machine import MEMORY_MIB, UNDISTURBED, sending_cpu

JOB = "benchmark"
_SPEED = Bandwidth(10**10)
_PATIENCE_S = 5


@dataclass(frozen=True)
class Loop:
    """One stream of 64-byte frames from p1 to p2, loaded."""

    target: Target
    stub: TesterStub

    def versions(self) -> tuple[VersionCounters, VersionCounters]:
        """The stream's closed version, then its open one. Reads no histograms, so it is quick."""
        (counted,) = self.stub.TakeSnapshot(TakeSnapshotRequest(jobs=[JOB]), timeout=_PATIENCE_S).streams
        return counted.versions[1 - counted.open_version], counted.versions[counted.open_version]

    def counters(self) -> StreamCounters:
        """Counters of the stream."""
        return self.target.snapshot([JOB]).streams[0]

    def latency(self, seconds: float) -> Latency:
        """Latency of every frame, over so much time of sending."""
        self.target.start([JOB], duration=Duration(int(seconds * 1e9)))
        self.target.wait([JOB], timeout=Duration(int((seconds + _PATIENCE_S) * 1e9)))
        deadline = monotonic() + _PATIENCE_S
        while (found := self.counters()).rx_packets < found.tx_packets and monotonic() < deadline:
            sleep(0.01)
        return Latency(found.latency)


@contextmanager
def loop(spec: str, rate: str) -> Iterator[Loop]:
    """An engine whose two ports are both `spec`, such as `loop:x` or `delay:x,1000`."""
    process = EngineProcess.launch(
        ports={"p1": spec, "p2": spec},
        cpus=[sending_cpu()],
        memory_mib=MEMORY_MIB,
        command_prefix=UNDISTURBED,
    )
    target = process.target()
    try:
        ports = {
            info.name: Port(
                info.name, _SPEED, info.mac, info.max_frame_size, IPv4Interface(f"198.18.0.{number}/24")
            )
            for number, info in enumerate(target.capabilities().ports, 2)
        }
        stream = Stream("north", "p1", "p2", rate=Rate.parse(rate))
        target.load(compile_job(Job(JOB, (stream,)), ports=ports, gateways={}, max_streams=1))
        with grpc.insecure_channel(process.address) as channel:
            yield Loop(target, TesterStub(channel))
    finally:
        target.close()
