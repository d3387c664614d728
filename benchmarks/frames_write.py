# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast captured frames become rows of Parquet on the disk."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from TesterLibrary.reporting.frames import FrameRows

from .harness.captured import PLACE, STREAM, batches, trial
from .harness.machine import load_average
from .harness.outcome import Outcome, Run, above
from .harness.registry import Settings, benchmark

_FRAMES = 1_000_000
_ROUNDS = 5


@benchmark(unit="M rows/s", bound=above(1, "M rows/s"))
def frames_write(_: Settings) -> Outcome:
    """Rows of frames each second, from the frames of a capture to a Parquet file that is on the disk"""
    runs = []
    FrameRows("first").add([])  # loads numpy and pyarrow
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=Path.cwd()) as name:
        for number in range(_ROUNDS):
            load = load_average()
            rows, spent_s = FrameRows("benchmark", {STREAM: "north"}), 0.0
            for batch in batches(_FRAMES):
                begun = time.monotonic()
                rows.add(batch)
                spent_s += time.monotonic() - begun
            begun = time.monotonic()
            (file,) = rows.write(Path(name), f"run-{number}", PLACE, trial(_FRAMES))
            spent_s += time.monotonic() - begun
            runs.append(Run(file.rows / spent_s / 1e6, None, load))
        note = (
            f"{file.path.stat().st_size / file.rows:.1f} bytes a row; reading frames and pcapng not included"
        )
    return Outcome(tuple(runs), note=note)
