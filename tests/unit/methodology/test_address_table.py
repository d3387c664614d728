# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.address_table import (
    CapacityResult,
    find_address_capacity,
    find_address_learning_rate,
)
from TesterLibrary.methodology.learning_window import LearningWindow
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from ...examples import examples
from .switching import LearningSwitch

RATE = Frequency(Fraction(1000))


@settings(max_examples=examples(60))
@given(entries=st.integers(3, 3000), forgets=st.booleans(), percent=st.sampled_from([0, 1, 10]))
def test_the_capacity_is_found(entries: int, forgets: bool, percent: int) -> None:
    switch = LearningSwitch(entries, forgets=forgets)
    resolution = Ratio(Fraction(percent, 100))
    result = find_address_capacity(switch, "p1", lowest=1, highest=4096, rate=RATE, resolution=resolution)
    assert result.capacity <= entries < (result.failed or 0) + result.port_addresses
    if not percent:
        assert result.capacity == entries
    assert len(result.checks) <= 3 * (2 * log2(4096) + 3)
    assert result.verdict_above(entries + max(1, entries // 5)).outcome is Outcome.FAIL
    assert result.verdict_above(result.capacity).outcome is Outcome.PASS
    assert result.verdict_above(entries + 1).outcome is not Outcome.PASS


@settings(max_examples=examples(60))
@given(rate=st.integers(1000, 200_000), addresses=st.integers(2, 300))
def test_the_learning_rate_is_found(rate: int, addresses: int) -> None:
    switch = LearningSwitch(1000, rate)
    result = find_address_learning_rate(switch, "p1", addresses=addresses, lowest=1000, highest=100_000)
    # A rate at which one address in so many is missed is only seen with as many addresses.
    assert result.passed >= min(rate, 100_000) * Fraction(97, 100)
    assert result.failed is None or result.failed > rate
    assert result.failed is None or (result.control is not None and result.control.all_known)
    below = Frequency(Fraction(min(rate, 100_000)) * Fraction(97, 100))
    assert result.verdict_above(below).outcome is Outcome.PASS
    assert len(result.checks) <= 3 * (2 * log2(100) + 6)


def test_a_table_that_is_full_of_others_is_not_a_slow_one() -> None:
    switch = LearningSwitch(100, forgets=False)
    result = find_address_learning_rate(switch, "p1", addresses=90, lowest=1000, highest=100_000)
    verdict = result.verdict_above(Frequency(Fraction(50_000)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "its table may be full" in verdict.reason


def test_a_tester_that_sees_no_flooding_knows_nothing() -> None:
    blind = LearningSwitch(10, sees_flooding=False)
    capacity = find_address_capacity(blind, "p1", lowest=1, highest=100, rate=RATE)
    assert (capacity.passed, capacity.verdict_above(50).outcome) == (100, Outcome.INCONCLUSIVE)
    rate = find_address_learning_rate(blind, "p1", addresses=50, lowest=1000, highest=2000)
    assert rate.verdict_above(Frequency(Fraction(10))).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("disturbance", ["busy", "deaf"])
def test_a_number_is_too_high_only_where_the_tester_did_its_part(disturbance: str) -> None:
    always = LearningSwitch(100, **{disturbance: frozenset(range(1, 99))})  # type: ignore[arg-type]
    found = find_address_capacity(always, "p1", lowest=16, highest=256, rate=RATE)
    assert found.verdict_above(200).outcome is Outcome.INCONCLUSIVE
    once = LearningSwitch(100, **{disturbance: frozenset({1})})  # type: ignore[arg-type]
    found = find_address_capacity(once, "p1", lowest=16, highest=256, rate=RATE)
    assert found.capacity == 100
    assert found.verdict_above(200).outcome is Outcome.FAIL


def test_a_rate_that_the_tester_missed_was_not_learned_at() -> None:
    switch = LearningSwitch(1000, busy=frozenset(range(2, 99)))
    found = find_address_learning_rate(switch, "p1", addresses=9, lowest=1000, highest=8000)
    assert (found.passed, found.failed) == (1000, 1015)
    assert found.verdict_above(Frequency(Fraction(8000))).outcome is Outcome.INCONCLUSIVE
    assert found.verdict_above(Frequency(Fraction(1000))).outcome is Outcome.PASS


def test_ranges_that_make_no_sense_are_refused() -> None:
    with pytest.raises(PlanError, match="addresses from 9 to 8: give 1 or more, and the lower one first"):
        find_address_capacity(LearningSwitch(9), "p1", lowest=9, highest=8, rate=RATE)
    with pytest.raises(PlanError, match="rates from 0 to 8"):
        find_address_learning_rate(LearningSwitch(9), "p1", addresses=1, lowest=0, highest=8)
    with pytest.raises(PlanError, match="0 addresses are none to learn"):
        find_address_learning_rate(LearningSwitch(9), "p1", addresses=0, lowest=1, highest=8)


SECOND = LearningWindow(Duration(10**9), RATE, Duration(400_000_000))  # it forgets after 1 s


def test_more_than_it_knows_for_long_enough_is_not_tried() -> None:
    switch = LearningSwitch(900_000, window=SECOND)
    result = find_address_capacity(switch, "p1", lowest=16, highest=1_048_576, rate=RATE)
    assert (result.passed, result.failed, result.aged) == (299, None, True)  # 2 ms each, in 600 ms
    verdict = result.verdict_above(900_000)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "give higher rates, since more would take as long as the ageing time" in verdict.reason
    assert "no limit was found within the ageing time" in str(result)
    small = find_address_capacity(
        LearningSwitch(100, window=SECOND), "p1", lowest=16, highest=4096, rate=RATE
    )
    assert (small.capacity, small.verdict_above(101).outcome) == (100, Outcome.FAIL)


def test_a_search_that_outlasts_the_ageing_time_is_refused() -> None:
    switch = LearningSwitch(900_000, window=SECOND)
    text = (
        r"300 addresses that are learned at 1,000/s and probed at 1,000/s take 0.6 s and 400 ms between, .*"
    )
    with pytest.raises(
        PlanError, match=text + r"ageing=1 s; give fewer addresses, or both rates above 1,000/s"
    ):
        find_address_capacity(switch, "p1", lowest=300, highest=400, rate=RATE)
    with pytest.raises(PlanError, match="both rates above 1,667/s"):
        find_address_learning_rate(switch, "p1", addresses=500, lowest=1000, highest=8000)
    never = LearningSwitch(9, window=LearningWindow(Duration(0), RATE, Duration(400_000_000)))
    with pytest.raises(PlanError, match="give the bridge a longer ageing time than 400 ms"):
        find_address_capacity(never, "p1", lowest=1, highest=8, rate=RATE)
    assert switch.checks == never.checks == 0


def test_a_check_that_took_as_long_as_the_ageing_time_says_so() -> None:
    assert SECOND.exceeded(5, 10**9) == ""
    assert "probed 1 s after the first one was learned, and the bridge forgets after 1 s" in SECOND.exceeded(
        0, 10**9
    )


@pytest.mark.parametrize("ageing_s", [0.9, 0.6])
def test_a_bridge_that_forgets_sooner_than_it_is_said_to_has_no_full_table(ageing_s: float) -> None:
    """It has room for 600; 512 addresses take 1.4 s to be learned and probed."""
    switch = LearningSwitch(600, ageing_ns=int(ageing_s * 10**9))
    result = find_address_capacity(switch, "p1", lowest=16, highest=512, rate=RATE)
    assert result.failed is not None
    verdict = result.verdict_above(512)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert re.search(r"it forgot an address that was alone within .*less than ageing=300 s", verdict.reason)
    assert result.verdict_above(16).outcome is Outcome.PASS


@pytest.mark.parametrize("ageing_s", [None, 10])
def test_a_full_table_fails_whenever_the_bridge_forgets_later(ageing_s: int | None) -> None:
    switch = LearningSwitch(100, ageing_ns=None if ageing_s is None else ageing_s * 10**9)
    result = find_address_capacity(switch, "p1", lowest=16, highest=512, rate=RATE)
    assert (result.capacity, result.forgets) == (100, "")
    assert result.verdict_above(101).outcome is Outcome.FAIL
    (alone,) = result.alone
    assert alone.addresses == 1
    assert alone.held_ns > max(c.held_ns for c in result.checks if c.addresses == result.failed)


def test_where_the_address_alone_was_not_heard_nobody_knows_what_was_forgotten() -> None:
    def found(switch: LearningSwitch) -> CapacityResult:
        return find_address_capacity(switch, "p1", lowest=16, highest=512, rate=RATE)

    searched = len(found(LearningSwitch(100)).checks)
    result = found(LearningSwitch(100, deaf=frozenset(range(searched + 1, searched + 9))))
    verdict = result.verdict_above(400)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert re.match("nobody knows whether it forgets an address within .*: 1 of the 1 frames", verdict.reason)


@pytest.mark.parametrize("cold", [1, 2])
def test_a_bridge_that_does_not_learn_at_first_is_unstable(cold: int) -> None:
    capacity = find_address_capacity(LearningSwitch(100, cold=cold), "p1", lowest=16, highest=256, rate=RATE)
    rate = find_address_learning_rate(
        LearningSwitch(1000, 5000, cold=cold), "p1", addresses=200, lowest=1000, highest=8000
    )
    assert (capacity.capacity, rate.failed is not None) == (100, True)
    for result, numbers in (
        (capacity, (50, 200)),
        (rate, (Frequency(Fraction(2000)), Frequency(Fraction(8000)))),
    ):
        assert re.search(rf"unstable: check 1 failed \(.* flooded 2, .*check {cold + 1} passed", str(result))
        for bound in numbers:
            verdict = result.verdict_above(bound)  # type: ignore[arg-type]
            assert verdict.outcome is Outcome.INCONCLUSIVE
            assert f"check {cold + 1} passed" in verdict.reason


def test_what_a_higher_number_left_behind_is_not_unstable() -> None:
    """It forgets only in a second rest: a number below the one that failed needs another attempt."""

    class Slow(LearningSwitch):
        rests = 0

        def rest(self) -> None:
            self.rests += 1
            if self.rests % 2 == 0 or len(self.known) < 90:
                super().rest()

    result = find_address_capacity(Slow(100), "p1", lowest=16, highest=256, rate=RATE)
    assert result.verdict_above(result.capacity).outcome is Outcome.PASS
