# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.groups.group_forwarding import GroupMatrix, sweep_group_matrix
from TesterLibrary.model.units.units import Duration, Rate, RateUnit, Ratio
from TesterLibrary.verdict import Outcome

from ..multicast import LINE_PPS, GroupForwarder

SECOND = Duration(10**9)


@given(pps=st.integers(1, 12_000), slower=st.integers(0, 200), percent=st.integers(1, 100))
def test_the_rate_of_each_number_is_found(pps: int, slower: int, percent: int) -> None:
    device = GroupForwarder(pps, slower)
    load = Ratio(Fraction(percent, 100))
    result = sweep_group_matrix(device, "groups", GroupMatrix((1, 10, 50), load, SECOND))
    offered = LINE_PPS * percent // 100
    truth = {groups: min(offered, device.forwarded(groups)) for groups in (1, 10, 50)}
    assert result.rates == truth
    worst = min(truth.values())
    if worst:
        assert result.verdict_above(Rate(Fraction(worst), RateUnit.PPS)).outcome is Outcome.PASS
    above = result.verdict_above(Rate(Fraction(worst + 1), RateUnit.PPS))
    assert above.outcome is (Outcome.FAIL if worst < offered else Outcome.INCONCLUSIVE)
    if worst == offered:
        assert "give a higher load, or ask for less" in above.reason


def test_the_worst_number_is_named() -> None:
    matrix = GroupMatrix((1, 100), duration=SECOND)
    result = sweep_group_matrix(GroupForwarder(8000, 30), "groups", matrix)
    verdict = result.verdict_above(Rate.parse("6 kpps"))
    assert (verdict.outcome, verdict.measured) == (Outcome.FAIL, "5 kpps with 100 groups")
    assert str(result) == "groups: received by a member, by groups: 1: 7,970 pps, 100: 5,000 pps"
    assert result.shortened == ("trials of 1 s: RFC 3918 §3.1.5 asks for at least 30 s",)


def test_what_the_tester_did_not_do_is_not_the_devices() -> None:
    matrix = GroupMatrix((1, 2), duration=SECOND)
    limited = sweep_group_matrix(GroupForwarder(8000, limit=Fraction(1, 2)), "groups", matrix)
    assert limited.rates == {1: None, 2: None}
    assert limited.verdict_above(Rate.parse("1 kpps")).outcome is Outcome.INCONCLUSIVE
    blind = sweep_group_matrix(GroupForwarder(8000, counts=False), "groups", matrix)
    assert (
        "does not count frames that arrive at other ports" in blind.verdict_above(Rate.parse("1 kpps")).reason
    )


def test_frames_at_other_ports_are_not_those_of_members() -> None:
    result = sweep_group_matrix(
        GroupForwarder(8000, leaks=5000), "groups", GroupMatrix((1,), duration=SECOND)
    )
    assert result.rates == {1: 8000}
    assert result.verdict_above(Rate.parse("8 kpps")).outcome is Outcome.PASS


def test_a_member_that_gets_nothing_is_not_hidden_by_one_that_gets_all_twice() -> None:
    result = sweep_group_matrix(GroupForwarder(8000, deaf=True), "groups", GroupMatrix((1,), duration=SECOND))
    verdict = result.verdict_above(Rate.parse("1 kpps"))
    assert (verdict.outcome, verdict.measured) == (Outcome.FAIL, "0 with 1 group, nothing arrived at p4")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (GroupMatrix(()), "give one or more numbers of groups"),
        (GroupMatrix((0, 1)), "each number of groups must be 1 or more"),
        (GroupMatrix((5, 5)), "numbers of groups must rise; groups is 5, 5"),
        (GroupMatrix((1,), Ratio.parse("0 %")), "the load must be above 0 and at most 100 %"),
        (GroupMatrix((1,), duration=Duration(0)), "the duration must be above 0"),
    ],
)
def test_a_matrix_that_makes_no_sense_is_refused(matrix: GroupMatrix, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        sweep_group_matrix(GroupForwarder(1), "groups", matrix)
