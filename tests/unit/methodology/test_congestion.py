# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.congestion import CongestionResult, CongestionTest, measure_congestion
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from .switching import CongestedSwitch

SECOND = Duration(10**9)
TEST = CongestionTest("uncongested", ("half congested", "congested"), duration=SECOND)


def measured(switch: CongestedSwitch, test: CongestionTest = TEST) -> CongestionResult:
    return measure_congestion(replace(switch, both=False), switch, test)


@given(
    blocked=st.fractions(0, 1),
    lost_alone=st.sampled_from([0, 0, 0, 1, 50]),
    line=st.fractions(Fraction(1, 2), 2),
    load=st.fractions(Fraction(1, 10), 1),
    busy=st.booleans(),
)
def test_blocking_is_found_where_it_is_and_nowhere_else(
    blocked: Fraction, lost_alone: int, line: Fraction, load: Fraction, busy: bool
) -> None:
    switch = CongestedSwitch(blocked, lost_alone, line, busy=busy)
    result = measured(switch, replace(TEST, load=Ratio(load)))
    lost = int(round(10_000 * load) * blocked)
    verdict = result.verdict_no_blocking()
    if busy or lost_alone or not switch.is_congested(load, SECOND):
        assert verdict.outcome is Outcome.INCONCLUSIVE
    else:
        assert verdict.outcome is (Outcome.FAIL if lost else Outcome.PASS)
        assert (result.head_of_line_blocking, result.back_pressure) == (lost > 0, False)
        assert result.uncongested_lost == lost


def test_what_a_pause_of_the_tester_may_have_cost_is_no_blocking() -> None:
    result = measured(CongestedSwitch(Fraction(1, 50), pause_ns=40 * 10**6))
    verdict = result.verdict_no_blocking()
    assert (verdict.outcome, result.head_of_line_blocking) == (Outcome.INCONCLUSIVE, None)
    assert verdict.reason == (
        "200 frames of uncongested lost, and pauses of the tester of up to 40.0 ms put up to 400 of them "
        "back to back"
    )
    more = measured(CongestedSwitch(Fraction(1, 20), pause_ns=40 * 10**6))
    assert more.verdict_no_blocking().outcome is Outcome.FAIL
    short = measured(CongestedSwitch(Fraction(1, 10_000), pause_ns=10**6))
    assert short.verdict_no_blocking().outcome is Outcome.FAIL


def test_it_says_that_trials_were_short() -> None:
    assert measured(CongestedSwitch()).shortened == ("trials of 1 s: RFC 2889 §5.5.2 asks for at least 30 s",)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"load": Ratio(Fraction(6, 5))}, "the load must be above 0 and at most 100 %"),
        ({"duration": Duration(0)}, "the duration must be above 0"),
        ({"congested": ()}, "a stream must go to the congested port"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, object], rule: str) -> None:
    with pytest.raises(PlanError, match=rule):
        measured(CongestedSwitch(), replace(TEST, **changes))  # type: ignore[arg-type]
