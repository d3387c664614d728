# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.ageing import AgeingResult, AgeingTrial, Table, measure_ageing
from TesterLibrary.model.units.units import Duration
from TesterLibrary.verdict import Outcome

SECOND = 10**9


@dataclass
class SimulatedTable:
    """Forgets each address after its time; a frame to the address is sent once a gap, and takes a while."""

    times_ns: list[int]
    gap_ns: int = 10**7
    way_ns: int = 10**5
    learns: bool = True
    objections: tuple[str, ...] = ()
    table: Table = Table.MAC
    asked: int = 0

    def age(self, timeout: Duration) -> AgeingTrial:
        self.asked += 1
        address = f"198.18.64.{self.asked}"
        if not self.learns:
            return AgeingTrial(address, known=False, least_ns=0, most_ns=None, objections=self.objections)
        true_ns = self.times_ns[self.asked - 1]
        first = -(-true_ns // self.gap_ns) * self.gap_ns + self.way_ns  # that finds it forgotten
        if first > timeout.ns:
            return AgeingTrial(address, True, timeout.ns - self.gap_ns, None, self.objections)
        least = max(0, first - self.way_ns - 2 * self.gap_ns)
        return AgeingTrial(address, True, least, first, self.objections)


def measured(table: SimulatedTable, cycles: int = 1, timeout: int = 100 * SECOND) -> AgeingResult:
    return measure_ageing(table, "at p1", cycles=cycles, timeout=Duration(timeout))


@given(times=st.lists(st.integers(1, 99 * SECOND), min_size=1, max_size=5), gap=st.integers(1000, 10**8))
def test_each_time_is_known_within_the_gap(times: list[int], gap: int) -> None:
    result = measured(SimulatedTable(times, gap), len(times))
    for trial, true_ns in zip(result.measured, times, strict=True):
        assert trial.most_ns is not None
        assert trial.least_ns <= true_ns <= trial.most_ns
        assert trial.most_ns - trial.least_ns <= 2 * gap + 10**5
    assert result.shortest_ns <= min(times)
    assert result.longest_ns is not None
    assert result.longest_ns >= max(times)
    beyond = 3 * gap + 10**6
    assert result.verdict_below(Duration(max(times) + beyond)).outcome is Outcome.PASS
    assert result.verdict_above(Duration(min(times) + beyond)).outcome is Outcome.FAIL
    for verdict in (result.verdict_below(Duration(max(times))), result.verdict_above(Duration(min(times)))):
        assert verdict.outcome is not Outcome.FAIL


def test_what_was_not_forgotten_passes_and_fails_only_what_was_watched() -> None:
    result = measured(SimulatedTable([1000 * SECOND]))
    assert result.longest_ns is None
    assert result.verdict_below(Duration(50 * SECOND)).outcome is Outcome.FAIL
    assert result.verdict_above(Duration(50 * SECOND)).outcome is Outcome.PASS
    verdict = result.verdict_above(Duration(200 * SECOND))
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "it was watched for 99.99 s only; give a longer timeout",
    )


def test_an_address_that_is_not_learned_ends_it_and_says_nothing() -> None:
    table = SimulatedTable([SECOND] * 3, learns=False)
    result = measured(table, 3)
    assert table.asked == 1
    assert result.verdict_below(Duration(SECOND)).outcome is Outcome.INCONCLUSIVE
    assert "198.18.64.1 was not learned" in str(result)


def test_a_tester_that_fell_short_says_nothing() -> None:
    result = measured(SimulatedTable([SECOND], objections=("a worker did not run for 90 ms",)))
    for verdict in (result.verdict_below(Duration(10 * SECOND)), result.verdict_above(Duration(10 * SECOND))):
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, "a worker did not run for 90 ms")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cycles": 0}, "cycles=0 is too few; give 1 or more"),
        ({"timeout": 0}, "a timeout of 0 ns is too short; it must be above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, int], message: str) -> None:
    table = SimulatedTable([SECOND])
    with pytest.raises(PlanError, match=message):
        measured(table, **given)
    assert not table.asked
