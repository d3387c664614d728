# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult
from TesterLibrary.model.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import order_counters

from .samples import LATE, MILLISECOND, SECOND, TENTH, said, trial


def resets() -> Iterator[Verdict]:
    gap = OutageCounters(1, 300 * MILLISECOND, 44_000, 300 * MILLISECOND, 10**8, 44_000)
    lossy = {"rx_packets": 148_809 - 44_000, "outages": gap, "order": order_counters(next_sequence=148_809)}
    back = trial(counters=lossy)
    gone = trial(counters={"rx_packets": 0, "order": order_counters()})
    measurement = ResetMeasurement(ResetKind.POWER, TENTH)
    for found in (back, gone, trial(), trial(objections=LATE)):
        yield ResetResult(found.title, (found,), measurement, "the hook").verdict_below(SECOND)
    result = ResetResult(back.title, (back,), measurement, "the hook")
    yield result.verdict_below(Duration(200 * MILLISECOND))
    yield replace(result, changed="another device answers").verdict_below(SECOND)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("reset", said(resets))
