# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords over a simulated device: what the real library does, without packets."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from robot.libraries.BuiltIn import BuiltIn

sys.path.insert(0, str(Path(__file__).parents[3]))

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.judging import loss_below
from TesterLibrary.model.units import Duration, Ratio
from TesterLibrary.reporting.listener import Listener
from TesterLibrary.reporting.progress import Progress
from TesterLibrary.reporting.recorder import Recorder
from tests.unit.reporting.simulated import SimulatedBench


class SimulatedLibrary:
    """One keyword that measures and judges."""

    ROBOT_LIBRARY_SCOPE = "GLOBAL"

    def __init__(self) -> None:
        evidence = Path(BuiltIn().get_variable_value("${OUTPUT DIR}")) / "evidence"
        self._recorder, self._progress = Recorder(evidence), Progress(evidence)
        self.ROBOT_LIBRARY_LISTENER = Listener(self._recorder, self._progress)

    def loss_is_below(self, load: str, bound: str, tester_limit: int = 10**9) -> None:
        """One trial at a load, and a verdict."""
        bench = SimulatedBench(tester_limit=tester_limit)
        trial = bench.measure(Ratio.parse(load).value, Duration(10**9))
        self._recorder.trial(trial)
        self._progress.trial(trial)
        verdict = loss_below([trial], Ratio.parse(bound))
        self._recorder.verdict(verdict)
        verdict.enforce()

    def half_a_trial(self) -> Trial:
        """One trial, without a verdict."""
        trial = SimulatedBench().measure(Fraction(1, 2), Duration(10**9))
        self._recorder.trial(trial)
        return trial
