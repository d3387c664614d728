# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of a run's time that recording its trials takes."""

from __future__ import annotations

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.recorded import TRIALS, recorded
from .harness.registry import Settings, benchmark

_TRIAL_S = 1.0  # of the profile quick, which has the shortest trials


@benchmark(unit="%", bound=below(1, "%"))
def record_1000(settings: Settings) -> Outcome:
    """The part of the time of trials of 1 s that it takes to record them, each on the disk before the next"""
    runs = []
    for _ in range(settings.runs):
        load = load_average()
        with recorded() as (_run, seconds):
            runs.append(Run(100 * seconds / (TRIALS * _TRIAL_S), None, load))
    return Outcome(tuple(runs), note=f"{TRIALS:,} trials of one stream; trials of 60 s: a sixtieth of it")
