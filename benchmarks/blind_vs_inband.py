# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether the mean delay without timestamps is that of the timestamps in every frame."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.opening import open_tester

from .harness.machine import load_average, need_root
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_STREAM = Stream("north", tx="p1", rx="p2", rate=Rate.parse("50 kpps"))
_ALLOWED_NS, _ALLOWED_PART = 50, 0.01
_LEAST = 0.001  # smaller values count as this, because a figure is above 0


@benchmark(unit="of the allowed error", bound=below(1, "of the allowed error"))
def blind_vs_inband(settings: Settings) -> Outcome:
    """Blind mean delay against the in-band one of the same trial through a bridge; 1 % + 50 ns are allowed"""
    need_root()
    runs, last = [], ""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        progress = Console(stream=io.StringIO())
        bed = open_tester("embedded/l2-bridge", seed=1, recorder=Recorder(Path(name)), progress=progress)
        try:
            measurer = TrialMeasurer(bed.tester, [_STREAM])
            for _ in range(settings.runs):
                trial = measurer.measure(measurer.load, Duration(int(settings.seconds * 1e9)))
                part, last = _part_of_allowed(trial)
                runs.append(Run(max(part, _LEAST), None, load_average()))
        finally:
            bed.close()
    return Outcome(tuple(runs), note=last)


def _part_of_allowed(trial: Trial) -> tuple[float, str]:
    """The difference as a part of the allowed error; lost frames add their printed bound to the latter."""
    blind, in_band = trial.streams[0].blind_delay, trial.latency.mean
    if blind is None or blind.mean_ns is None or in_band is None:
        raise RuntimeError(f"no frame was received: {trial}")
    allowed = _ALLOWED_NS + _ALLOWED_PART * in_band + float(blind.bound_ns)
    note = f"the last: blind {blind}, in band {in_band:,.0f} ns"
    return abs(float(blind.mean_ns) - in_band) / allowed, note
