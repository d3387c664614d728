# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast frames that the engine has captured become pcapng and rows of Parquet on the disk."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from TesterLibrary.model.capture import Capture
from TesterLibrary.model.ports import Port
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.reporting.record.trial_part import TrialPart
from TesterLibrary.running.capture import CaptureFile, Captures
from TesterLibrary.running.tester import Tester
from TesterLibrary.targets.engine.client import EngineTarget

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, above
from .harness.registry import Settings, benchmark
from .senders import engine

_FRAMES = 1_000_000
_ROUNDS = 5
_PATIENCE_S = 60.0
_POLL_S = 0.05


@benchmark(unit="M frames/s", bound=above(1, "M frames/s"))
def frames_write(_: Settings) -> Outcome:
    """`Stop Capture` as a whole: a million 64-byte frames from the engine to pcapng and rows on the disk"""
    runs, cpu_s = [], []
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=Path.cwd()) as name, engine.looped() as target:
        captures = Captures(_tester(target, Path(name)))
        _stopped(target, captures, 1)  # loads numpy and pyarrow
        for _round in range(_ROUNDS):
            load, used_s = load_average(), time.process_time()
            file, spent_s = _stopped(target, captures, _FRAMES)
            cpu_s.append(time.process_time() - used_s)
            runs.append(Run(file.counters.captured / spent_s / 1e6, None, load))
        sizes = [path.stat().st_size / _FRAMES for path in (file.path, file.frames[0].path)]
    note = (
        f"{_FRAMES / median(cpu_s) / 1e6:.1f} M for each second of CPU time of the library; "
        f"{sizes[0]:.0f} bytes of pcapng and {sizes[1]:.1f} of Parquet for each frame"
    )
    return Outcome(tuple(runs), note=note)


def _stopped(target: EngineTarget, captures: Captures, frames: int) -> tuple[CaptureFile, float]:
    """A capture of so many frames, and how long it took to be stopped and written."""
    captures.start(Capture("all", frames=frames), parquet=True)
    end = time.monotonic() + _PATIENCE_S
    while target.snapshot().captures[0].running:
        if time.monotonic() > end:
            raise RuntimeError(f"{frames:,} frames were not captured within {_PATIENCE_S:.0f} s")
        time.sleep(_POLL_S)
    begun = time.monotonic()
    file = captures.stop()
    return file, time.monotonic() - begun


def _tester(target: EngineTarget, directory: Path) -> Tester:
    """A tester for captures, whose only stream is in a trial that lost some frames."""
    capabilities = target.capabilities()
    ports = {p.name: Port(p.name, Bandwidth(10**10), p.mac, p.max_frame_size) for p in capabilities.ports}
    tester = Tester(target, capabilities, ports, {}, Recorder(directory / "evidence"), Console())
    (stream,) = target.snapshot().streams
    part = TrialPart(stream.id, "north", 1, 1, RecordPlace(), 0, 2**62, next(iter(ports)), lost=10)
    tester.evidence.parts.add(part)
    return tester
