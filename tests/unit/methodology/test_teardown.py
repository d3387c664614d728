# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.teardown import TeardownResult, TeardownTrial, measure_teardown
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.verdict import Outcome

MS = 10**6
# 1,000 connections in a second, by a command that takes 10 ms for none.
TRIAL = TeardownTrial(1000, 1000, 10 * MS, 1000 * MS, 0, 1000 * MS)


@dataclass
class Trials:
    """Trials that are given, one after the other."""

    trials: list[TeardownTrial]

    def tear_down(self, connections: int) -> TeardownTrial:
        assert connections == 1000
        return self.trials.pop(0)


def result(*trials: TeardownTrial) -> TeardownResult:
    """The result of several trials, or of three that are alike."""
    trials = trials * 3 if len(trials) == 1 else trials
    measurer = Trials(list(trials))
    return measure_teardown(measurer, "inside", connections=1000, repetitions=len(trials))


def outcome(result: TeardownResult, bound: int) -> Outcome:
    return result.verdict_above(Frequency(Fraction(bound))).outcome


def test_a_rate_is_known_but_for_the_time_of_the_command() -> None:
    found = result(TRIAL)
    assert found.rate == 1000
    assert [outcome(found, bound) for bound in (1000, 1001, 1020, 1021)] == [
        Outcome.PASS,
        Outcome.INCONCLUSIVE,
        Outcome.INCONCLUSIVE,
        Outcome.FAIL,
    ]
    verdict = found.verdict_above(Frequency(Fraction(1010)))
    assert verdict.reason.startswith("the hook takes 10 ms for an empty table, too, ")
    assert verdict.reason.endswith("open more connections")


def test_a_table_that_is_deleted_as_fast_as_the_command_takes_has_no_most_rate() -> None:
    found = result(replace(TRIAL, command_ns=12 * MS, most_ns=15 * MS))
    assert outcome(found, 10**9) is Outcome.INCONCLUSIVE
    assert str(found) == "inside: connection tear-down rate at least 66,667/s, 3 repetitions"


def test_the_median_passes_and_the_shortest_time_fails() -> None:
    slow, fast = (replace(TRIAL, command_ns=t * MS, most_ns=t * MS) for t in (2000, 500))
    found = result(slow, TRIAL, fast)
    assert found.rate == 1000
    assert outcome(found, 2000) is Outcome.INCONCLUSIVE
    assert outcome(found, 2100) is Outcome.FAIL


def test_fewer_than_three_times_may_be_those_of_a_busy_machine() -> None:
    found = result(TRIAL, TRIAL)
    assert outcome(found, 1000) is Outcome.PASS
    verdict = found.verdict_above(Frequency(Fraction(9000)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "2 repetitions may be those of a busy machine; give 3 or more"


def test_entries_that_go_on_disappearing_take_as_long_as_they_are_seen() -> None:
    lazy = replace(TRIAL, command_ns=10 * MS, least_ns=2000 * MS, most_ns=2500 * MS)
    assert [outcome(result(lazy), bound) for bound in (400, 500, 506)] == [
        Outcome.PASS,
        Outcome.INCONCLUSIVE,
        Outcome.FAIL,
    ]
    assert str(lazy) == (
        "1,000 of 1,000 connections deleted within 10 ms, the last of them after 2 s to 2.5 s, an empty "
        "table within 10 ms"
    )


def test_what_says_nothing_of_the_device_is_left_open() -> None:
    short = replace(TRIAL, held=900)
    for trial, reason in (
        (replace(TRIAL, objections=("a worker did not run for 90 ms",)), "a worker did not run for 90 ms"),
        (short, "900 of 1,000 connections were open when the table was to be deleted"),
        (
            replace(TRIAL, most_ns=None, least_ns=5000 * MS, left=1000),
            "the hook deleted none of the connections",
        ),
    ):
        verdict = result(trial).verdict_above(Frequency(Fraction(1)))
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.reason.startswith(reason)
    assert len(result(short, TRIAL).measured) == 1


def test_fewer_repetitions_than_the_rfc_asks_for_are_said() -> None:
    assert result(TRIAL).shortened == ("3 repetitions: RFC 9693 §6 asks for at least 10",)
    assert result(*[TRIAL] * 10).shortened == ()


@pytest.mark.parametrize(
    "given", [{"connections": 0, "repetitions": 1}, {"connections": 1, "repetitions": 0}]
)
def test_nothing_to_measure_is_refused(given: dict[str, int]) -> None:
    with pytest.raises(PlanError, match="=0 is too few; give 1 or more"):
        measure_teardown(Trials([]), "inside", **given)
