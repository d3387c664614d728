# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the comparison of two long runs takes."""

from __future__ import annotations

from TesterLibrary.model.units.units import Ratio
from TesterLibrary.reporting.pages.comparison import compare
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read_verdicts

from .harness.outcome import Outcome, below
from .harness.recorded import recorded, timed
from .harness.registry import Settings, benchmark

_TRIALS = 10_000
_TOLERANCE = Ratio.parse("3 %")


@benchmark(unit="s", bound=below(5, "s"))
def compare_10000(_: Settings) -> Outcome:
    """Two runs of 10,000 trials compared, from their records to the list of changes"""
    with recorded(_TRIALS) as (run, _seconds):
        evidence = run / EVIDENCE
        return timed(lambda: compare(read_verdicts(evidence), read_verdicts(evidence), _TOLERANCE))
    raise AssertionError("unreachable: recorded swallows no error")
