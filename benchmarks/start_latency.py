# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How soon traffic is on the wire after a suite has asked for it."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robotlibcore import DynamicCore

from TesterLibrary.keywords import components
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.suite import Suite

from .harness import witness
from .harness.machine import load_average, need_root
from .harness.outcome import Outcome, Run, below, percentile
from .harness.registry import Settings, benchmark

_TESTBED = "embedded/l2-bridge"
_STREAM = Stream("north", tx="p1", rx="p2", rate=Rate.parse("1 kpps"))
_FEWEST_STARTS = 30
_STARTS_A_RUN = 5


@benchmark(unit="ms", bound=below(50, "ms"))
def start_latency(settings: Settings) -> Outcome:
    """Keyword Start Traffic to the first frame, as a socket of the kernel at the device's end sees it"""
    need_root()
    starts = max(_FEWEST_STARTS, _STARTS_A_RUN * settings.runs)
    with _session() as session, _witness(session) as watching:
        library = DynamicCore(components(session))
        runs = tuple(Run(_start(library, watching), None, load_average()) for _ in range(starts))
    p99 = percentile([run.value for run in runs], 99)
    return Outcome(
        runs, note=f"p99 {p99:.4g} ms of {starts} starts; planning, loading and learning frames included"
    )


@contextmanager
def _session() -> Iterator[Suite]:
    """An open tester with one stream, which is not yet planned for anything."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        records = Path(name)
        session = Suite(_TESTBED, 1, Recorder(records), Console(records, stream=io.StringIO()))
        try:
            session.open()
            session.put(_STREAM)
            yield session
        finally:
            session.close()


@contextmanager
def _witness(session: Suite) -> Iterator[subprocess.Popen[str]]:
    """The program that sees frames arrive, at the device's end of the cable."""
    program = [sys.executable, str(witness.__file__), _STREAM.tx]
    process = subprocess.Popen(
        [*session.open_testbed.testbed.dut_prefix, *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _start(library: DynamicCore, watching: subprocess.Popen[str]) -> float:
    """Milliseconds from the call of the keyword to the first frame."""
    assert watching.stdin is not None
    assert watching.stdout is not None
    watching.stdin.write("arm\n")
    if watching.stdout.readline() != "armed\n":
        raise RuntimeError("nobody watches the wire: the witness has ended")
    called = time.clock_gettime_ns(time.CLOCK_REALTIME)
    handle = library.run_keyword("start_traffic", [_STREAM.name], {})
    seen = watching.stdout.readline().strip()
    library.run_keyword("stop_traffic", [handle], {})
    if not seen.isdecimal():
        raise RuntimeError(f"no frame came after Start Traffic: the witness said {seen!r}")
    return (int(seen) - called) / 1e6
