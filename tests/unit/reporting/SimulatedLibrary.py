# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords over a simulated device: what the real library does, without packets."""

from __future__ import annotations

import errno
import os
import sys
from fractions import Fraction
from pathlib import Path

from assertionengine import AssertionOperator
from robot.libraries.BuiltIn import BuiltIn

sys.path.insert(0, str(Path(__file__).parents[3]))

from TesterLibrary.errors import TargetError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.reporting.record import listener
from TesterLibrary.reporting.record.listener import Listener
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.recorder import TESTER_FAULT, Recorder
from TesterLibrary.verdict import Outcome, Verdict, assess
from tests.unit.reporting.simulated import SimulatedBench

_WRITE = os.write


class SimulatedLibrary:
    """Keywords that measure, judge, or do both."""

    ROBOT_LIBRARY_SCOPE = "GLOBAL"

    def __init__(self, inconclusive: str = "skip", testbed: str = "") -> None:
        evidence = Path(BuiltIn().get_variable_value("${OUTPUT DIR}")) / "evidence"
        self._recorder, self._progress = Recorder(evidence), Console(evidence)
        self._recorder.place = RecordPlace(testbed)
        self._judged = 0
        self.ROBOT_LIBRARY_LISTENER = Listener(
            self._recorder, self._progress, inconclusive_fails=inconclusive == "fail"
        )

    def judge(self, *outcomes: str) -> None:
        """A verdict with the next of these outcomes: the first at the first call, and so on."""
        outcome = outcomes[self._judged % len(outcomes)]
        self._judged += 1
        doubt = "the tester was late" if outcome == "INCONCLUSIVE" else ""
        verdict = Verdict(Outcome(outcome), f"value {self._judged}", "1", "2", doubt)
        self._recorder.verdict(verdict)
        verdict.enforce(repeated=self._recorder.judgements.repeating)

    def delay_is(self, measured: str, bound: str = "5 ms") -> None:
        """A verdict on a value."""
        value, most = Duration.parse(measured), Duration.parse(bound)
        texts = {"subject": "delay of north", "measured": str(value), "bound": f"<= {most}"}
        verdict = assess(value.ns, AssertionOperator["<="], most.ns, **texts)
        self._recorder.verdict(verdict)
        verdict.enforce()

    def fill_the_disk(self, name: str) -> None:
        """Cuts every further write to the file of this name in its middle."""

        def write(file: int, content: bytes) -> int:
            if Path(f"/proc/self/fd/{file}").readlink().name != name:
                return _WRITE(file, content)
            if len(content) > 20:
                return _WRITE(file, content[:20])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        os.write = write

    def make_room(self) -> None:
        """Files can grow again."""
        os.write = _WRITE

    def loss_is_below(self, load: str, bound: str, tester_limit: int = 10**9) -> None:
        """One trial at a load, and a verdict."""
        tester = SimulatedBench(tester_limit=tester_limit)
        trial = tester.measure(Ratio.parse(load).value, Duration(10**9))
        self._recorder.trial(trial)
        self._progress.trial(trial)
        verdict = loss_below([trial], Ratio.parse(bound))
        self._recorder.verdict(verdict)
        verdict.enforce()

    def spoil_the_page(self) -> None:
        """No table of trials can be drawn from now on."""
        listener.trials_html = lambda *_: 1 // 0

    def tester_breaks(self) -> None:
        """The tester is gone, as the library says it."""
        fault = TargetError("no tester answers at unix:/run/north")
        self._recorder.event(TESTER_FAULT, reason=fault.reason)
        raise fault

    def half_a_trial(self) -> Trial:
        """One trial, without a verdict."""
        trial = SimulatedBench().measure(Fraction(1, 2), Duration(10**9))
        self._recorder.trial(trial)
        return trial
