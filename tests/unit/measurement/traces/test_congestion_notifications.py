# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""ECN marks and congestion notifications of RoCEv2 in traces."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.traces.congestion_notifications import Scope, congestion_notifications
from TesterLibrary.measurement.traces.trace import Change, PathTrace
from TesterLibrary.methodology.verdicts.congestion_notifications import notified_of_congestion
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome, Verdict

from ..roce_traces import Wire

INTERVAL, WITHIN, NO_TIME = Duration(50_000), Duration(30_000), Duration(0)


def judged(
    trace: PathTrace,
    scope: Scope = Scope.QUEUE_PAIR,
    tolerance: Duration = NO_TIME,
    interval: Duration = INTERVAL,
) -> Verdict:
    return notified_of_congestion(congestion_notifications(trace), scope, interval, WITHIN, tolerance)


def marked(wire: Wire, psn: int, pair: int = 17) -> Wire:
    return wire.data(psn, pair=pair, change=Change.MARKED)


def test_a_mark_is_answered() -> None:
    found = congestion_notifications(marked(Wire().data(0), 1).data(2).cnp().trace())
    assert (found.marked, found.cnps, found.unprompted) == (1, 1, 0)
    assert found.marks[0].notified_ns == 19_000
    assert found.least_ns(Scope.PORT) is None


def test_a_packet_that_came_marked_counts_as_well() -> None:
    found = congestion_notifications(Wire().data(0, tos=3).cnp().trace())
    assert (found.marked, found.unprompted) == (1, 0)


def test_a_marked_packet_that_did_not_arrive_counts_not() -> None:
    found = congestion_notifications(Wire().data(0, tos=3, lost=True).trace())
    assert found.marked == 0
    assert judged(Wire().data(0, tos=3, lost=True).trace()).outcome is Outcome.INCONCLUSIVE


def test_a_mark_within_the_interval_needs_no_answer() -> None:
    wire = marked(Wire(), 0).cnp()
    assert judged(marked(wire, 1).trace()).outcome is Outcome.PASS
    assert judged(marked(wire.waits(60), 2).waits(100).trace()).outcome is Outcome.FAIL


def test_intervals_of_a_port_and_of_queue_pairs() -> None:
    """One NIC paces queue pairs, another one its whole port (Lumina, table 4)."""
    each = marked(marked(Wire(), 0), 0, pair=18).cnp().cnp(pair=18)
    assert congestion_notifications(each.trace()).least_ns(Scope.PORT) == 10_000
    assert congestion_notifications(each.trace()).least_ns(Scope.QUEUE_PAIR) is None
    assert judged(each.trace()).outcome is Outcome.PASS
    assert judged(each.trace(), Scope.PORT).outcome is Outcome.FAIL
    assert judged(each.trace(), Scope.ADDRESS).outcome is Outcome.FAIL
    port = marked(marked(Wire(), 0), 0, pair=18).cnp()
    assert judged(port.trace(), Scope.PORT).outcome is Outcome.PASS
    assert judged(port.trace()).outcome is Outcome.FAIL


def test_what_the_tester_cannot_tell_apart_is_inconclusive() -> None:
    wire = marked(marked(Wire(), 0).cnp(), 1).cnp()
    assert judged(wire.trace()).outcome is Outcome.FAIL
    verdict = judged(wire.trace(), tolerance=Duration(40_000))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "the tester may be wrong by" in verdict.reason


def test_a_notification_on_an_unknown_queue_pair_is_a_doubt() -> None:
    verdict = judged(marked(Wire(), 0).cnp(pair=40).trace())
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "answers on queue pair 40" in verdict.reason


def test_a_notification_without_a_mark_is_found() -> None:
    verdict = judged(Wire().data(0).cnp().trace())
    assert verdict.outcome is Outcome.FAIL
    assert "without a marked packet" in str(verdict)


def test_a_notification_may_follow_a_packet_out_of_sequence() -> None:
    """Some NICs send one for it (Lumina, section 4); each such packet may have one."""
    wire = Wire().data(0).data(1, lost=True).data(2).cnp()
    found = congestion_notifications(wire.trace())
    assert (found.unprompted, found.disordered) == (0, 1)
    marked(wire.waits(60).data(1, 2), 3).cnp()
    verdict = judged(wire.trace())
    assert verdict.outcome is Outcome.PASS
    assert verdict.measured == "0; 1 notifications without a mark followed packets out of sequence"
    assert congestion_notifications(wire.cnp().trace()).unprompted == 1


def test_a_loss_behind_which_nothing_arrived_asks_for_no_notification() -> None:
    found = congestion_notifications(Wire().data(0).data(1, lost=True).data(1).cnp().trace())
    assert (found.unprompted, found.disordered) == (1, 0)


def test_each_of_two_marks_may_be_told() -> None:
    """The second one had passed the tester before the first notification came to it."""
    twice = marked(marked(Wire(), 0), 1).cnp().cnp()
    assert congestion_notifications(twice.trace()).unprompted == 0
    assert judged(twice.trace(), interval=Duration(0)).outcome is Outcome.PASS
    assert congestion_notifications(twice.cnp().trace()).unprompted == 1
    late = marked(marked(Wire(), 0), 1).cnp().waits(1100).cnp()
    assert congestion_notifications(late.trace()).unprompted == 1


@pytest.mark.parametrize("scope", list(Scope))
def test_a_trace_with_a_hole_says_nothing(scope: Scope) -> None:
    assert judged(marked(Wire(), 0).trace(received=5), scope).outcome is Outcome.INCONCLUSIVE
