# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a question to the frames of many trials takes, and how much memory."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from TesterLibrary.reporting.captures.frames import FOLDER, FrameRows
from TesterLibrary.reporting.captures.query import MEMORY
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.recorder import Recorder

from .harness.captured import PLACE, STREAM, batches, trial
from .harness.outcome import Impossible, Outcome, below
from .harness.recorded import timed
from .harness.registry import Settings, benchmark

_TRIALS, _FRAMES = 100, 1_001_000
_SQL = """
select trial, stream, direction, count(*) as frames, count(event) as lost, sum(size) as octets,
       avg(received_ns - sent_ns) as mean_ns, max(received_ns - sent_ns) as max_ns
from frames group by all order by all
"""


@benchmark(unit="s", bound=below(10, "s"))
def frames_query(_: Settings) -> Outcome:
    """`tester query` over 10^8 rows of frames: frames, losses, octets and latency of each of 100 trials"""
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=Path.cwd()) as name:
        run = Path(name)
        rows, size = _written(run / EVIDENCE)
        if shutil.disk_usage(run).free < (_TRIALS + 10) * size:
            raise Impossible(f"{_TRIALS * size / 1e9:.1f} GB are needed in {Path.cwd()}")
        first = run / EVIDENCE / FOLDER / "trial=1"
        for number in range(2, _TRIALS + 1):
            shutil.copytree(first, first.with_name(f"trial={number}"))
        command = [sys.executable, "-m", "TesterLibrary.commands.main", "query", str(run), _SQL, "--csv"]

        def ask() -> None:
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            answer = done.stdout.splitlines()[1:]
            assert sum(int(line.split(",")[3]) for line in answer) == rows * _TRIALS, done.stdout

        outcome = timed(ask)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    note = (
        f"{rows * _TRIALS:,} rows, {size * _TRIALS / 1e9:.1f} GB; {peak:.0f} MiB of memory, {MEMORY} allowed"
    )
    return Outcome(outcome.runs, note=note)


def _written(evidence: Path) -> tuple[int, int]:
    """The frames of one trial: how many rows and bytes."""
    Recorder(evidence, "benchmark").event("benchmark")
    rows = FrameRows("benchmark", {STREAM: "north"})
    for batch in batches(_FRAMES):
        rows.add(batch)
    (file,) = rows.write(evidence / FOLDER, "benchmark", PLACE, trial(_FRAMES))
    return file.rows, file.path.stat().st_size
