# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches of neighbour tables whose size is known, and verdicts on what was learned."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.learning import LearningCheck, LearningTrial
from TesterLibrary.methodology.learning import (
    LearningResult,
    all_learned,
    capacity_above,
    find_capacity,
    learning_rate_above,
)
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.verdict import Outcome

RATE = Frequency.parse("450 entries/s")


@dataclass
class Device:
    """Knows so many addresses; a slow one knows fewer the first time that it is asked."""

    truth: int
    objections: tuple[str, ...] = ()
    rested: int = 0
    slow: bool = False

    def check(self, addresses: int) -> LearningCheck:
        known = min(addresses, self.truth)
        if self.slow and not self.rested:
            known //= 2
        return LearningCheck(addresses, known, self.objections)

    def rest(self) -> None:
        self.rested += 1


@given(truth=st.integers(10, 4000))
def test_the_capacity_is_found_exactly(truth: int) -> None:
    result = find_capacity(Device(truth), "range", 10, 4096)
    assert (result.capacity, result.failed_at) == (truth, truth + 1)


def test_a_device_that_needs_two_attempts_at_the_lowest_number_is_unstable() -> None:
    result = find_capacity(Device(100, slow=True), "range", 50, 1000)
    assert result.capacity == 100
    for bound in (80, 200):
        verdict = capacity_above(result, bound)
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.reason == (
            "unstable: check 1 failed (25 of 50 addresses known), and check 2 passed (50 of 50 addresses "
            "known): the device needs more than one attempt, or has changed"
        )


def test_what_was_not_tried_is_not_judged() -> None:
    result = find_capacity(Device(5000), "range", 10, 1000)
    assert (result.capacity, result.failed_at) == (1000, None)
    assert capacity_above(result, 1000).outcome is Outcome.PASS
    assert capacity_above(result, 1001).outcome is Outcome.INCONCLUSIVE
    assert find_capacity(Device(5), "range", 10, 1000).capacity == 0
    with pytest.raises(PlanError, match="lowest=11 must be at least 1 and at most the 10 addresses"):
        find_capacity(Device(5), "range", 11, 10)


def test_a_table_that_is_too_small_fails_unless_the_tester_is_in_doubt() -> None:
    small = find_capacity(Device(300), "range", 100, 1000)
    assert capacity_above(small, 900).outcome is Outcome.FAIL
    doubtful = find_capacity(Device(300, ("frames were lost",)), "range", 100, 1000)
    assert capacity_above(doubtful, 900).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("learned", "seconds", "announced", "objections", "outcomes"),
    [
        (1000, 1.0, 5000.0, (), (Outcome.PASS, Outcome.PASS)),
        (1000, 1.0, 5000.0, ("disturbed",), (Outcome.PASS, Outcome.PASS)),
        (1000, 4.0, 5000.0, (), (Outcome.PASS, Outcome.FAIL)),
        (1000, 4.0, 5000.0, ("disturbed",), (Outcome.PASS, Outcome.INCONCLUSIVE)),
        (1000, 4.0, 300.0, (), (Outcome.PASS, Outcome.INCONCLUSIVE)),
        (999, 1.0, 5000.0, (), (Outcome.FAIL, Outcome.FAIL)),
        (999, 1.0, 5000.0, ("disturbed",), (Outcome.INCONCLUSIVE, Outcome.INCONCLUSIVE)),
    ],
)
def test_verdicts(
    learned: int,
    seconds: float,
    announced: float,
    objections: tuple[str, ...],
    outcomes: tuple[Outcome, Outcome],
) -> None:
    trial = LearningTrial(1000, learned, announced, round(seconds * 1e9), 0, objections)
    result = LearningResult("range", (), trial)
    assert (all_learned(result).outcome, learning_rate_above(result, RATE).outcome) == outcomes
