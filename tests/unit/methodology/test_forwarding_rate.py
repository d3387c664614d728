# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingResult,
    ForwardingSweep,
    find_forwarding_rate,
)
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters

from .measured import OneTrial, trial
from .simulated import LINE, SimulatedMeasurer

SECOND = Duration(10**9)
FRMOL, MFR = ForwardingFigure.AT_MAXIMUM_LOAD, ForwardingFigure.MAXIMUM


def swept(device: SimulatedMeasurer, lowest: str = "10 %", step: str = "10 %") -> ForwardingResult:
    sweep = ForwardingSweep(Ratio.parse(lowest), step=Ratio.parse(step), duration=SECOND)
    return find_forwarding_rate(device, sweep)


@given(capacity=st.integers(1, 120), collapse=st.integers(1, 100), step=st.sampled_from([3, 7, 10, 50]))
def test_both_rates_are_what_the_device_forwards(capacity: int, collapse: int, step: int) -> None:
    device = SimulatedMeasurer(Fraction(capacity, 100), collapse=Fraction(collapse, 100))
    result = swept(device, "1 %", f"{step} %")
    carried = floor(Fraction(capacity, 100) * LINE) + 1

    def forwarded(load: Fraction) -> int:
        sent = ceil(load * LINE)
        return sent if sent <= carried else floor(carried * Fraction(collapse, 100))

    at_maximum = forwarded(Fraction(1))
    most = max(forwarded(load) for load in result.sweep.loads)
    assert (result.rate_at_maximum_load, result.maximum_rate) == (at_maximum, most)
    assert len(result.trials) <= ceil(99 / step) + 1
    for figure, truth in ((FRMOL, at_maximum), (MFR, most)):
        assert result.verdict_above(figure, Rate(Fraction(truth), RateUnit.PPS)).outcome is Outcome.PASS
        above = Rate(Fraction(truth + 1), RateUnit.PPS)
        expected = Outcome.FAIL if truth + 1 <= LINE else Outcome.INCONCLUSIVE
        assert result.verdict_above(figure, above).outcome is expected


def test_a_tester_that_falls_short_at_the_maximum_load_does_not_know_the_rate_there() -> None:
    result = swept(SimulatedMeasurer(Fraction(1, 2), tester_limit=Fraction(7, 10)))
    assert result.rate_at_maximum_load is None
    assert result.verdict_above(FRMOL, Rate.parse("1 kpps")).outcome is Outcome.INCONCLUSIVE
    assert result.verdict_above(MFR, Rate.parse("700 kpps")).outcome is Outcome.PASS
    assert result.verdict_above(MFR, Rate.parse("900 kpps")).outcome is Outcome.INCONCLUSIVE


def test_a_device_that_forwards_all_that_left_does_not_fail_for_the_rest() -> None:
    result = swept(SimulatedMeasurer(tester_limit=Fraction(9991, 10_000)), "100 %")
    assert result.trials[0].valid
    for figure in (FRMOL, MFR):
        assert result.verdict_above(figure, Rate.parse("99.95 %")).outcome is Outcome.INCONCLUSIVE


def test_what_a_queue_held_is_divided_by_the_time_in_which_it_arrived() -> None:
    """1000 frames sent in a second arrive in two: 500 each second."""
    counted = stream_counters(
        id=1,
        tx_packets=1000,
        rx_packets=1000,
        first_tx_ns=1,
        last_tx_ns=10**9,
        first_rx_ns=1,
        last_rx_ns=2 * 10**9 + 1,
    )
    sweep = ForwardingSweep(Ratio(Fraction(1)), duration=SECOND)
    result = find_forwarding_rate(OneTrial(trial(counted)), sweep)
    assert result.maximum_rate == 500


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"lowest": Ratio(Fraction(0))}, "lowest must be above 0 and at most highest"),
        ({"highest": Ratio(Fraction(6, 5))}, "a port sends no more than 100 % of line rate"),
        ({"step": Ratio(Fraction(0))}, "the step must be above 0"),
        ({"duration": Duration(0)}, "the duration must be above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, object], rule: str) -> None:
    sweep = replace(ForwardingSweep(Ratio.parse("10 %")), **changes)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=rule):
        find_forwarding_rate(SimulatedMeasurer(), sweep)
