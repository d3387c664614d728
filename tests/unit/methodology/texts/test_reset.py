# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.methodology.measurer import Interruption
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import order_counters

from .samples import LATE, MILLISECOND, SECOND, TENTH, said, trial


def resets() -> Iterator[Verdict]:
    gap = OutageCounters(1, 300 * MILLISECOND, 44_000, 300 * MILLISECOND, 10**8, 44_000)
    lossy = {"rx_packets": 148_809 - 44_000, "outages": gap, "order": order_counters(next_sequence=148_809)}
    back = trial(counters=lossy)
    gone = trial(counters={"rx_packets": 0, "order": order_counters()})
    several = trial(counters=lossy | {"rx_packets": 40_000})
    measurement, seen = ResetMeasurement(ResetKind.POWER, TENTH), Interruption(0, arriving=True, steady=True)
    for found in (back, gone, trial(), trial(objections=LATE)):
        yield ResetResult(found.title, (found,), measurement, (seen,), "the hook").verdict_below(SECOND)
    result = ResetResult(back.title, (back,), measurement, (seen,), "the hook")
    yield result.verdict_below(Duration(200 * MILLISECOND))
    yield replace(result, changed="another device answers").verdict_below(SECOND)
    yield replace(result, trials=(several,)).verdict_below(Duration(500 * MILLISECOND))
    yield replace(result, trials=(gone,)).verdict_below(Duration(900 * MILLISECOND))
    for state in (replace(seen, missing=5), replace(seen, arriving=False), replace(seen, steady=False)):
        yield replace(result, interruptions=(state,)).verdict_below(SECOND)
    twice = replace(result, trials=(back, back), interruptions=(seen, seen))
    for bound in (SECOND, Duration(200 * MILLISECOND)):
        yield twice.verdict_below(bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("reset", said(resets))
