# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The records of a run of 1,000 trials, or more, as the library writes them."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from TesterLibrary import TesterLibrary
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.recorder import Recorder

from .machine import load_average
from .outcome import Outcome, Run

TRIALS = 1_000
_OF_A_TEST = 20
_ROUNDS = 3  # of work that takes seconds


def timed(work: Callable[[], object]) -> Outcome:
    """The seconds that a piece of work takes, a few times."""
    runs = []
    for _ in range(_ROUNDS):
        load, begun = load_average(), time.monotonic()
        work()
        runs.append(Run(time.monotonic() - begun, None, load))
    return Outcome(tuple(runs))


@contextmanager
def recorded(trials: int = TRIALS) -> Iterator[tuple[Path, float]]:
    """The folder of the run, on the disk of the working directory, and the seconds that recording took."""
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=Path.cwd()) as name:
        run = Path(name)
        trial = _trial(run)
        recorder = Recorder(run / EVIDENCE, "benchmark")
        begun = time.monotonic()
        for number in range(trials):
            test, in_test = divmod(number, _OF_A_TEST)
            if in_test == 0:
                recorder.begin_test("Benchmark", f"Test {test}")
            recorder.trial(replace(trial, number=in_test + 1))
            if in_test == _OF_A_TEST - 1:
                recorder.verdict(loss_below([trial], Ratio.parse("100 %")))
                facts = {"started_at": "", "elapsed_s": _OF_A_TEST, "tags": []}
                recorder.end_test(status="PASS", outcome="PASS", message="", **facts)
        yield run, time.monotonic() - begun


def _trial(folder: Path) -> Trial:
    """A trial of a simulated device that loses frames."""
    before = Path.cwd()
    (folder / "trial").mkdir()
    os.chdir(folder / "trial")
    try:
        with TesterLibrary(testbed="simulated/loss-law") as library:
            library.open_tester()
            library.create_stream("north", tx="p1", rx="p2", frame_size=1518)
            trial: Trial = library.measure_loss(
                "north", rate=Rate.parse("90 %"), duration=Duration.parse("2 s")
            )
    finally:
        os.chdir(before)
    return trial
