# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.groups.group_capacity import GroupCapacityResult, find_group_capacity
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.verdict import Outcome

from ....examples import examples
from ..multicast import REWRITTEN, GroupTable


def found(
    table: GroupTable, *, lowest: int = 1, highest: int = 4096, percent: int = 0
) -> GroupCapacityResult:
    resolution = Ratio(Fraction(percent, 100))
    return find_group_capacity(table, "groups", lowest=lowest, highest=highest, resolution=resolution)


@settings(max_examples=examples(100))
@given(entries=st.integers(1, 4000), floods=st.booleans(), percent=st.sampled_from([0, 1, 10]))
def test_the_capacity_is_found(entries: int, floods: bool, percent: int) -> None:
    result = found(GroupTable(entries, floods), percent=percent)
    assert result.failed is not None
    assert result.capacity <= entries < result.failed
    assert percent or result.capacity == entries
    assert result.recovers
    assert len(result.checks) <= 3 * (2 * log2(4096) + 3)
    assert result.verdict_above(result.capacity).outcome is Outcome.PASS
    assert result.verdict_above(result.failed).outcome is Outcome.FAIL
    assert result.verdict_above(entries + 1).outcome is not Outcome.PASS


@settings(max_examples=examples(100))
@given(entries=st.integers(1, 2000))
def test_a_device_that_does_not_recover_is_judged_by_its_first_failure(entries: int) -> None:
    result = found(GroupTable(entries, floods=True, recovers=False))
    assert not result.recovers
    assert result.capacity <= entries
    assert result.verdict_above(result.capacity).outcome is Outcome.PASS
    first = 2 * result.capacity
    assert result.verdict_above(first).outcome is Outcome.FAIL
    if first > result.capacity + 2:
        verdict = result.verdict_above(first - 1)
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert (
            f"after {first:,} groups it did not forward even {result.capacity:,} any more" in verdict.reason
        )


def test_an_accident_before_is_not_the_number_that_broke_it() -> None:
    result = found(GroupTable(203, floods=True, recovers=False, lossy=frozenset({5})))
    verdict = result.verdict_above(202)
    assert (result.capacity, verdict.outcome) == (128, Outcome.INCONCLUSIVE)
    assert "after 256 groups it did not forward even 128 any more" in verdict.reason


def test_one_accident_is_no_limit() -> None:
    result = found(GroupTable(100, lossy=frozenset({3})), highest=64)
    assert (result.capacity, result.failed, result.control) == (64, None, None)
    assert str(result) == "groups: 64 groups at once, no limit was found, 8 checks"
    verdict = result.verdict_above(65)
    assert (verdict.outcome, "no more than 64 groups were tried" in verdict.reason) == (
        Outcome.INCONCLUSIVE,
        True,
    )


def test_a_tester_that_falls_short_in_every_check_shows_nothing() -> None:
    always = frozenset(range(1, 200))
    verdict = found(GroupTable(100, busy=always, lossy=always)).verdict_above(200)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "a worker did not run for 90.0 ms (limit 50.0 ms)"
    assert found(GroupTable(100, busy=always)).verdict_above(100).outcome is Outcome.PASS


def test_who_does_not_count_leaks_knows_no_capacity() -> None:
    verdict = found(GroupTable(100, counts=False)).verdict_above(10)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "the tester does not count frames that arrive at other ports"


def test_a_bound_between_the_bounds_of_the_search_is_open() -> None:
    result = found(GroupTable(1000), percent=10)
    assert result.failed is not None
    assert "search with a finer resolution" in result.verdict_above(result.failed - 1).reason


@pytest.mark.parametrize(("lowest", "highest"), [(0, 5), (6, 5)])
def test_numbers_that_make_no_sense_are_refused(lowest: int, highest: int) -> None:
    with pytest.raises(PlanError, match="give 1 or more, and the lower one first"):
        found(GroupTable(1), lowest=lowest, highest=highest)


def test_a_check_says_what_it_found() -> None:
    table = GroupTable(10, floods=True)
    assert str(table.check(10)) == "10 groups: 0 silent, 0 copies missing, 0 frames leaked"
    assert str(table.check(11)) == "11 groups: 0 silent, 0 copies missing, 22 frames leaked at p3, p4"
    assert "not counted frames leaked (a worker" in str(
        GroupTable(1, busy=frozenset({1}), counts=False).check(1)
    )


def test_a_device_that_floods_is_said_to_flood() -> None:
    """It forwards all groups: that is not what it fails by."""
    result = found(GroupTable(30, floods=True))
    assert "30 groups at once, with 31 groups frames arrived at p3, p4, too" in str(result)
    assert "with 31 groups frames arrived at p3, p4, too" in str(result.verdict_above(40))
    assert "31 were not all forwarded" in str(found(GroupTable(30)))


def test_frames_that_were_rewritten_and_may_be_leaked_pass_no_check() -> None:
    result = found(GroupTable(1000, rewrites=33), lowest=16, highest=64)
    assert (result.capacity, result.failed) == (32, 33)
    verdict = result.verdict_above(50)
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, REWRITTEN)
    assert result.verdict_above(32).outcome is Outcome.PASS
    assert REWRITTEN in str(result.checks[-1])


def test_groups_that_are_silent_fail_whatever_was_rewritten() -> None:
    result = found(GroupTable(20, rewrites=1), lowest=32, highest=64)
    assert result.verdict_above(32).outcome is Outcome.FAIL


@pytest.mark.parametrize("cold", [1, 2])
def test_a_device_that_loses_only_after_a_pause_is_unstable(cold: int) -> None:
    result = found(GroupTable(100, cold=cold), highest=128)
    assert result.capacity == 100
    unstable = (
        "unstable: check 1 failed (1 groups: 1 silent, 0 copies missing, 0 frames leaked), and check "
        f"{cold + 1} passed (1 groups: 0 silent, 0 copies missing, 0 frames leaked): the device needs "
        "more than one attempt, or has changed"
    )
    assert str(result).endswith(unstable)
    for bound in (50, 120):
        verdict = result.verdict_above(bound)
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, unstable)
