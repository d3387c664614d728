# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""A counter that a tester lacks is never 0, and no verdict rests on it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.order import Order
from TesterLibrary.measurement.snapshot import OrderCounters, StreamCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.order import reordering_below
from TesterLibrary.methodology.outage import outage_below
from TesterLibrary.methodology.throughput import ThroughputSearch
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome
from tests.unit.methodology.simulated import SimulatedMeasurer

SECOND = Duration(10**9)


def trial(sent: int, received: int, order: OrderCounters, *, measured: bool = True) -> Trial:
    """A trial on a switch, which counts what is behind and not which of it came twice."""
    made = SimulatedMeasurer().measure(Fraction(1, 2), SECOND)
    sizes = {"tx_bytes": sent * 64, "rx_bytes": received * 64}
    counters = StreamCounters(1, sent, sent, rx_packets=received, order=order, **sizes)
    stream = replace(made.streams[0], counters=counters, measured=measured)
    return replace(made, streams=(stream,))


def test_losses_that_duplicates_hide_are_not_0() -> None:
    """4 of 40 frames lost and 4 twice: as many arrived as were sent."""
    found = trial(40, 40, OrderCounters(next_sequence=40, behind=4))
    assert (found.lost, found.loss, found.loss_bounds) == (None, None, (0, Fraction(1, 10)))
    assert str(loss_below([found], Ratio.parse("0"))) == (
        "INCONCLUSIVE: frame loss of north, 64 bytes is 0 % to 10 % (received 40 of 40 frames), "
        "required <= 0 % (it is only known to lie between 0 % and 10 %)"
    )
    assert loss_below([found], Ratio.parse("10 %")).outcome is Outcome.PASS


def test_what_is_missing_for_sure_fails() -> None:
    found = trial(40, 30, OrderCounters(next_sequence=40, behind=4))
    assert found.loses_at_most(Fraction(1, 5)) is False
    assert loss_below([found], Ratio.parse("20 %")).outcome is Outcome.FAIL


def test_frames_in_ascending_order_are_no_duplicates() -> None:
    found = trial(40, 40, OrderCounters(next_sequence=40, duplicated=0, behind=0))
    assert found.lost == 0
    assert loss_below([found], Ratio.parse("0")).outcome is Outcome.PASS
    assert outage_below([found], Duration.parse("50 ms")).outcome is Outcome.PASS


def test_an_outage_that_nobody_counts_is_inconclusive() -> None:
    found = trial(40, 20, OrderCounters(next_sequence=40, duplicated=0, behind=0))
    assert str(outage_below([found], Duration.parse("50 ms"))) == (
        "INCONCLUSIVE: outage of north, 64 bytes is not measured, required <= 50 ms "
        "(this tester does not count outages)"
    )


def test_reordering_that_nobody_counts_is_inconclusive() -> None:
    found = trial(40, 40, OrderCounters(next_sequence=40, behind=4))
    verdict = reordering_below([found], Ratio.parse("0"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "not measured: lost, duplicated, reordered" in verdict.measured


def test_a_stream_whose_arrivals_are_not_measured_has_no_loss() -> None:
    found = trial(1000, 0, OrderCounters(), measured=False)
    assert (found.lost, found.loss_bounds) == (None, None)
    verdict = loss_below([found], Ratio.parse("0"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "the arrivals of north are not measured, so nobody knows its loss"


@given(st.lists(st.integers(0, 100) | st.none(), min_size=1, max_size=4))
def test_a_sum_is_unknown_when_one_part_is(duplicated: list[int | None]) -> None:
    merged = Order.merged(Order(sent=100, received=100, duplicated=each) for each in duplicated)
    known = [each for each in duplicated if each is not None]
    assert merged.duplicated == (sum(known) if len(known) == len(duplicated) else None)


@pytest.mark.parametrize(
    ("sent", "received", "twice", "behind"), [(10, 12, 3, 5), (10, 9, 0, 0), (10, 10, 2, 2)]
)
def test_bounds_hold_the_truth(sent: int, received: int, twice: int, behind: int) -> None:
    exact = Order(sent=sent, received=received, duplicated=twice).lost
    bounds = Order(sent=sent, received=received, duplicated=None, behind=behind).loss_bounds
    assert exact is not None
    assert bounds is not None
    assert bounds[0] <= exact <= bounds[1]


def crowded(lost: int, behind_pauses: int | None) -> Trial:
    """A trial of 1,000 frames; some of those that were lost left after pauses of the tester."""
    made = trial(1000, 1000 - lost, OrderCounters(next_sequence=1000, duplicated=0, behind=0, late=0))
    (stream,) = made.streams
    counters = replace(stream.counters, rx_lost_crowded=behind_pauses)
    return replace(made, streams=(replace(stream, counters=counters),))


@pytest.mark.parametrize(
    ("lost", "behind_pauses", "outcome"),
    [
        (9, None, Outcome.PASS),
        (11, None, Outcome.FAIL),  # nobody counts them
        (11, 0, Outcome.FAIL),
        (11, 1, Outcome.INCONCLUSIVE),  # 10 are the device's for sure
        (30, 19, Outcome.FAIL),
        (30, 20, Outcome.INCONCLUSIVE),
        (9, 9, Outcome.PASS),
    ],
)
def test_losses_behind_pauses_of_the_tester_fail_no_device(
    lost: int, behind_pauses: int | None, outcome: Outcome
) -> None:
    made, bound = crowded(lost, behind_pauses), Ratio.parse("1 %")
    verdict = loss_below([made], bound)
    assert verdict.outcome is outcome, verdict
    within = {Outcome.PASS: True, Outcome.FAIL: False, Outcome.INCONCLUSIVE: None}[outcome]
    assert made.loses_at_most(bound.value) is within
    if outcome is Outcome.INCONCLUSIVE:
        reason = f"{behind_pauses} of the {lost} lost frames left after pauses of the tester, closer to each"
        assert verdict.reason.startswith(reason)
        assert ThroughputSearch(loss=bound).untold(made).startswith(reason)
