# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.measurement.snapshot import (
    OutageCounters,
)
from TesterLibrary.methodology.outage import outage_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.counted import order_counters

from .samples import LATE, MILLISECOND, SECOND, said, trial, unsigned


def outages() -> Iterator[Verdict]:
    bound = Duration(50 * MILLISECOND)
    gap = OutageCounters(1, 300 * MILLISECOND, 44_000, 300 * MILLISECOND, 10**8, 44_000)
    lossy = {"rx_packets": 148_809 - 44_000, "outages": gap, "order": order_counters(next_sequence=148_809)}
    yield outage_below([trial(counters={"order": order_counters(next_sequence=148_809)})], bound)
    yield outage_below([trial(counters=lossy)], bound)
    yield outage_below([trial(counters=lossy)], SECOND)
    yield outage_below([trial(counters={"rx_packets": 100_000, "order": order_counters(100_000)})], bound)
    yield outage_below([trial("100 %", counts=False)], bound)
    yield outage_below([unsigned("100 %")], bound)
    yield outage_below([trial(objections=LATE)], bound)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("outage", said(outages))
