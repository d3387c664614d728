# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a question to the records of a run takes."""

from __future__ import annotations

from TesterLibrary.reporting.captures.query import query
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import read

from .harness.outcome import ANY, Outcome
from .harness.recorded import recorded, timed
from .harness.registry import Settings, benchmark

_SQL = "select test, count(*), avg(loss_ratio), max(latency_p99_ns) from trials group by test order by test"


@benchmark(unit="s", bound=ANY)
def query_1000(_: Settings) -> Outcome:
    """One SELECT over 1,000 trials, from their records to the answer"""
    with recorded() as (run, _seconds):
        return timed(lambda: query(read(run / EVIDENCE), _SQL))
    raise AssertionError("unreachable: recorded swallows no error")
