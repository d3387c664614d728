# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the reports of a run take."""

from __future__ import annotations

from TesterLibrary.reporting.pages.rebuild import rebuild

from .harness.outcome import Outcome, below
from .harness.recorded import recorded, timed
from .harness.registry import Settings, benchmark


@benchmark(unit="s", bound=below(10, "s"))
def report_1000(_: Settings) -> Outcome:
    """Both certificates, JUnit, Markdown and CSV of 1,000 trials from their records, without Robot's log"""
    with recorded() as (run, _seconds):
        return timed(lambda: rebuild(run))
    raise AssertionError("unreachable: recorded swallows no error")
