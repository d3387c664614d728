# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

import pytest

from TesterLibrary.verdict import Outcome, Verdict

from . import embedded, simulated, table
from .case import ENGINE, FAKE, JUDGES, SIMULATED, SWITCH, Case
from .embedded.lab import QUICK, SLOW

_PASS, _FAIL, _OPEN = (Verdict(outcome, "loss", "0 %", "<= 0 %") for outcome in Outcome)
_BUSY = replace(_OPEN, reason="a worker did not run for 90.0 ms (limit 50.0 ms)")


def _case(verdict: Verdict, truth: bool | None, **changes: str) -> Case:
    return replace(Case("loss_below", truth, verdict, "", "", ENGINE), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "truth", "false_pass", "false_fail"),
    [
        (_PASS, True, 0, 0),
        (_FAIL, False, 0, 0),
        (_OPEN, True, 0, 0),
        (_PASS, False, 1, 0),
        (_FAIL, True, 0, 1),
        (_PASS, None, 1, 0),
        (_FAIL, None, 0, 1),
    ],
)
def test_a_false_verdict_of_a_thousand_fails_them_all(
    verdict: Verdict, truth: bool | None, false_pass: int, false_fail: int
) -> None:
    cases = [_case(_PASS, True)] * 999 + [_case(verdict, truth)]
    found = table.counts(cases)
    assert (found["false_pass"], found["false_fail"]) == (false_pass, false_fail)
    assert table.met(cases) is not bool(false_pass or false_fail)


def test_two_in_a_hundred_may_be_open_where_nothing_was_absent() -> None:
    cases = [_case(_PASS, True)] * 98 + [_case(_OPEN, True)] * 2
    assert table.met(cases)
    assert not table.met([*cases, _case(_OPEN, True)])
    assert table.met([*cases, _case(_OPEN, True, excuse="outages are not counted")])


def test_a_busy_machine_is_an_excuse_only_with_its_number() -> None:
    named = _case(_BUSY, True, disturbed="programs waited 1,200 ms for a CPU")
    assert (
        named.machine
        == "programs waited 1,200 ms for a CPU; a worker did not run for 90.0 ms (limit 50.0 ms)"
    )
    assert table.counts([named])["machine"] == 1
    assert table.counts([named])["inconclusive"] == 0
    for other in (
        _case(_BUSY, True),
        _case(_OPEN, True, disturbed="programs waited 1,200 ms for a CPU"),
        _case(replace(_BUSY, outcome=Outcome.PASS), True, disturbed="programs waited 9 ms for a CPU"),
    ):
        assert not other.machine
        assert table.counts([other])["machine"] == 0


def test_each_target_is_told_apart() -> None:
    cases = [_case(_PASS, True, target=target) for target in (ENGINE, SWITCH, SWITCH, SIMULATED)]
    found = table.summary(cases, 7)
    assert {name: one["cases"] for name, one in found["by_target"].items()} == {
        "engine": 1,
        "simulated": 1,
        "tofino-fake": 2,
    }
    assert (found["cases"], found["seed"]) == (4, 7)
    assert found["by_judge"]["loss_below"] == table.counts(cases)


def test_each_judge_has_its_turn() -> None:
    turns = max(len(JUDGES[FAKE]), len(JUDGES[SWITCH]))
    called = {simulated.judge_of(number) for number in range(turns * simulated.ROUND)}
    assert called == {judge for judges in JUDGES.values() for judge in judges}
    assert {embedded.judge_of(number) for number in range(300)} == {*QUICK, *SLOW}
    numbers = [number for _, batch in embedded.batches(range(100)) for number in batch]
    assert sorted(numbers) == list(range(100))


def test_a_judge_is_registered_once_and_in_a_module_that_is_read() -> None:
    simulated_judges = [judge for judges in JUDGES.values() for judge in judges]
    assert len(simulated_judges) == len(set(simulated_judges)) > 60
    assert len({*QUICK, *SLOW}) == len(QUICK) + len(SLOW) > 20
