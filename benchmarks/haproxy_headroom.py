# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether HAProxy reaches its limit before the tester does."""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import OpenTestbed, open_tester

from .harness.machine import load_average, need_program, need_root
from .harness.outcome import Impossible, Outcome, Run, above
from .harness.registry import Settings, benchmark

_CONNECTIONS = 256  # at once, each of one request
_BODY = 1024
_WARM_UP_S = 1.0
_MOST_IDLE = 0.1  # of the device's CPU: with more it is not at its limit
_IDLE_FIELDS = (4, 5)  # of a line of /proc/stat: idle and iowait
_LEAST = 0.01  # a figure is above 0


@benchmark(unit="%", bound=above(30, "%"))
def haproxy_headroom(settings: Settings) -> Outcome:
    """Time in which the worker has nothing to do while HAProxy, on another CPU, is at its limit"""
    need_root()
    need_program("haproxy", "haproxy")
    runs, rates, taken = [], [], []
    with _balanced() as bed:
        if bed.testbed.dut_cpu is None:
            raise Impossible("HAProxy and the tester share the only CPU; needed are two")
        time.sleep(_WARM_UP_S)
        for _ in range(settings.runs):
            load, before = load_average(), _sample(bed)
            time.sleep(settings.seconds)
            after = _sample(bed)
            free = after.device_idle_s - before.device_idle_s
            if free > _MOST_IDLE * settings.seconds:
                raise RuntimeError(
                    f"no limit: HAProxy's CPU was idle for {free:.2f} s of {settings.seconds} s"
                )
            spent = after.at_s - before.at_s
            runs.append(Run(max(_LEAST, 100 * (after.idle_s - before.idle_s) / spent), None, load))
            taken.append((after.waited_s - before.waited_s) / spent)
            rates.append((after.transactions - before.transactions) / spent)
    note = (
        f"{min(rates):,.0f} to {max(rates):,.0f} transactions/s through HAProxy, {_BODY} bytes each; other "
        f"work had the worker's CPU for up to {max(taken):.1%} of the time, which does not count as idle"
    )
    return Outcome(tuple(runs), note=note)


class _Sample(NamedTuple):
    at_s: float
    idle_s: float  # of the worker, without what the kernel took from it
    waited_s: float
    device_idle_s: float
    transactions: int


def _sample(bed: OpenTestbed) -> _Sample:
    snapshot = bed.tester.target.snapshot()
    (worker,) = snapshot.workers
    transactions = bed.connections.statistics("users").transactions
    assert transactions is not None
    return _Sample(
        at_s=snapshot.taken_at_ns / 1e9,
        idle_s=(worker.idle_ns - worker.waited_ns) / 1e9,
        waited_s=worker.waited_ns / 1e9,
        device_idle_s=_device_idle_s(bed.testbed.dut_cpu),
        transactions=transactions,
    )


def _device_idle_s(cpu: int | None) -> float:
    lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    values = next(line.split() for line in lines if line.startswith(f"cpu{cpu} "))
    return sum(int(values[field]) for field in _IDLE_FIELDS) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _balanced() -> Iterator[OpenTestbed]:
    """Clients, HAProxy and its four servers."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        progress = Console(stream=io.StringIO())
        bed = open_tester("embedded/l7-balancer", seed=1, recorder=Recorder(Path(name)), progress=progress)
        try:
            servers = Endpoints.parse("198.19.1.10-198.19.1.13:80")
            bed.connections.start(Responder(name="web", port="p2", protocol="http-server", servers=servers))
            bed.connections.start(
                Clients(
                    name="users",
                    port="p1",
                    protocol="http-client",
                    target=Endpoints.parse("192.0.2.10:80"),
                    sources=Endpoints.parse("198.18.2.1-198.18.2.100"),
                    connections=_CONNECTIONS,
                    parameters={"size": _BODY, "linger": 0},
                )
            )
            yield bed
        finally:
            bed.close()
