# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator

from TesterLibrary.measurement.traces.congestion_notifications import Scope, congestion_notifications
from TesterLibrary.measurement.traces.go_back_n import go_back_n
from TesterLibrary.measurement.traces.trace import Change, PathTrace
from TesterLibrary.methodology.verdicts.congestion_notifications import notified_of_congestion
from TesterLibrary.methodology.verdicts.go_back_n import (
    end_counted_alike,
    goes_back_n,
    nak_latency_below,
    reaction_latency_below,
)
from TesterLibrary.methodology.verdicts.retransmissions import recovery_below
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Verdict
from tests.approval import Approved
from tests.unit.measurement.roce_traces import Wire

from .samples import said

BOUND, MICROSECOND = Duration(30_000), Duration(1_000)


def right() -> Wire:
    return Wire().data(0).data(1, lost=True).data(2).nak(1).data(1, 2).ack(2)


def selective() -> PathTrace:
    return Wire().data(0).data(1, lost=True).data(2, 3).nak(1).data(1).data(4).trace()


def marked(wire: Wire, psn: int) -> Wire:
    return wire.data(psn, change=Change.MARKED)


def going_back() -> Iterator[Verdict]:
    found = go_back_n(right().trace())
    yield goes_back_n(found)
    yield goes_back_n(go_back_n(Wire().data(0, 1).trace()))
    yield goes_back_n(go_back_n(selective()))
    yield goes_back_n(go_back_n(Wire().data(0, 1).nak(2).nak(2).nak(2).nak(2).nak(2).trace()))
    yield goes_back_n(go_back_n(right().trace(received=20)))
    yield goes_back_n(go_back_n(Wire().data(0, change=Change.REWRITTEN).trace()))
    for bound in (BOUND, MICROSECOND):
        yield nak_latency_below(found, bound)
        yield reaction_latency_below(found, bound)
        yield recovery_below(found, bound)
    yield nak_latency_below(go_back_n(Wire().data(0).trace()), BOUND)
    yield end_counted_alike(found, "compute", {"naks": (1, 1), "retransmitted": (2, 2)})
    yield end_counted_alike(found, "compute", {"naks": (0, 1), "retransmitted": (7, 2)})
    yield end_counted_alike(found, "compute", {"naks": (None, 1)})


def notifications() -> Iterator[Verdict]:
    close = marked(marked(Wire(), 0).cnp(), 1).cnp()
    for wire, tolerance in (
        (marked(Wire(), 0).cnp(), Duration(0)),
        (marked(Wire(), 0).waits(200), Duration(0)),
        (Wire().data(0), Duration(0)),
        (Wire().data(0).cnp(), Duration(0)),
        (close, Duration(0)),
        (close, Duration(100_000)),
    ):
        found = congestion_notifications(wire.trace())
        yield notified_of_congestion(found, Scope.QUEUE_PAIR, Duration(50_000), BOUND, tolerance)


def test_each_verdict_says_what_was_approved(approved: Approved) -> None:
    approved("roce", said(going_back, notifications))
