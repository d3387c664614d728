# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The time that checking its lease adds to a call of the engine."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median
from time import perf_counter_ns

from TesterLibrary._generated.tester.v1.control_pb2 import TakeSnapshotRequest
from TesterLibrary._generated.tester.v1.control_pb2_grpc import TesterStub
from TesterLibrary._generated.tester.v1.lease_pb2 import AcquireLeaseRequest
from TesterLibrary.targets.engine.address import open_channel
from TesterLibrary.targets.engine.leases import Metadata
from TesterLibrary.targets.engine.process import EngineProcess

from .harness.machine import MEMORY_MIB, load_average, sending_cpu
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_CALLS = 1000  # of each engine in a round, taking turns
_PATIENCE_S = 5
_LEAST_US = 0.1  # of a difference that noise has made nothing, or less
_KEY = "tester-lease"


@benchmark(unit="us", bound=below(20, "us"))
def lease_fencing(settings: Settings) -> Outcome:
    """A call under a lease, its token checked, less the same call to an engine that nobody has leased"""
    with ExitStack() as stack:
        leased, free = _engine(stack), _engine(stack)
        granted = leased.AcquireLease(AcquireLeaseRequest(owner="benchmark", ttl_ns=600 * 10**9))
        token: Metadata = ((_KEY, granted.token),)
        runs, calls = [], []
        for _ in range(settings.runs):
            load = load_average()
            with_token, without = [], []
            for _ in range(_CALLS):
                with_token.append(_call(leased, token))
                without.append(_call(free, ()))
            calls.append(median(without))
            runs.append(Run(max(_LEAST_US, median(with_token) - median(without)), None, load))
    return Outcome(tuple(runs), note=f"of a call that takes {median(calls):.0f} us; noise may make it 0")


def _engine(stack: ExitStack) -> TesterStub:
    process = EngineProcess.launch(
        ports={"p1": "loop:x", "p2": "loop:x"}, cpus=[sending_cpu()], memory_mib=MEMORY_MIB
    )
    stack.callback(process.stop)
    channel = open_channel(process.address, None)
    stack.callback(channel.close)
    return TesterStub(channel)


def _call(stub: TesterStub, metadata: Metadata) -> float:
    """Microseconds of a call that reads counters, which only the holder of a lease may."""
    began = perf_counter_ns()
    stub.TakeSnapshot(TakeSnapshotRequest(), timeout=_PATIENCE_S, metadata=metadata)
    return (perf_counter_ns() - began) / 1000
