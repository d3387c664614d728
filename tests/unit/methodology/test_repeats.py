# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, log2

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.repeats import Agreement, student
from TesterLibrary.methodology.throughput import (
    LimitedBy,
    ThroughputResult,
    ThroughputSearch,
    find_throughput,
)
from TesterLibrary.model.units.units import Duration, Rate, Ratio
from TesterLibrary.reporting.record.codec import decode, encode
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer

SECOND = Duration(10**9)
SEARCH = ThroughputSearch(trial_duration=SECOND, scout_duration=SECOND)
HALF = Fraction(1, 2)


@dataclass
class Wavering(SimulatedMeasurer):
    """Its capacity is drawn anew after each trial that it passes and the next one that it fails."""

    spread: float = 0.01
    _passed: bool = False

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        trial = super().measure(load, duration)
        if self._passed and trial.lost:
            draw = random.Random(f"{self.seed} {len(self.asked)}")
            self.capacity = Fraction(round(draw.gauss(0.5, self.spread) * 10_000), 10_000)
        self._passed = not trial.lost
        return trial


def test_quantiles_are_those_of_the_tables() -> None:
    assert [student(n) for n in (1, 4, 30)] == [12.7062, 2.7764, 2.0423]
    assert student(31) == pytest.approx(2.0395, abs=1e-4)
    assert student(10**6) == pytest.approx(1.95996, abs=1e-4)


def test_values_that_agree_have_the_interval_of_the_resolution() -> None:
    found = Agreement.of([(HALF, Fraction(51, 100))] * 5)
    assert (found.mean, found.deviation, found.least, found.most) == (HALF, 0, HALF, Fraction(51, 100))
    assert found.variation == 0


def test_an_interval_is_that_of_student() -> None:
    values = [Fraction(n, 100) for n in (48, 50, 52)]
    found = Agreement.of([(value, value) for value in values])
    bounds = (float(found.least), float(found.most or 0))
    assert bounds == pytest.approx((0.5 - 0.04968, 0.5 + 0.04968), abs=1e-4)
    assert found.variation == pytest.approx(0.04)
    assert Agreement.of([(value, None) for value in values]).most is None


def test_a_device_that_behaves_alike_costs_two_trials_a_repetition() -> None:
    once = find_throughput(SimulatedMeasurer(Fraction(612, 1000)), SEARCH)
    device = SimulatedMeasurer(Fraction(612, 1000))
    result = find_throughput(device, SEARCH, repeat=5)
    assert (result.load, result.failed_load) == (once.load, once.failed_load)
    assert result.limited_by is LimitedBy.DEVICE
    assert len(device.asked) == len(once.trials) + 8
    assert result.interval == (0.61, 0.615)
    assert result.variation == 0
    assert str(result).startswith("north, 64 bytes: throughput 61 % of line rate, ")
    assert str(result).endswith(
        ", mean of 5 repetitions 61 % of line rate (95 %: 61 % to 61.5 % of line rate; coefficient of "
        f"variation 0 %), limited by the device, {len(device.asked)} trials"
    )
    wanted = {"61 %": "PASS", "61.2 %": "INCONCLUSIVE", "61.5 %": "FAIL", "62 %": "FAIL"}
    for bound, outcome in wanted.items():
        assert result.verdict_above(Rate.parse(bound)).outcome.value == outcome
        assert once.verdict_above(Rate.parse(bound)).outcome.value == outcome


def test_the_bound_in_the_interval_is_inconclusive() -> None:
    result = find_throughput(Wavering(HALF, spread=0.02, seed=3), SEARCH, repeat=6)
    assert result.variation is not None
    assert result.variation > 0.01
    least, most = result.interval or (0, 0)
    assert least < 0.5 < (most or 0)
    verdict = result.verdict_above(Rate.parse("50 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith("the bound lies in the interval of 95 % of the mean, ")
    assert result.verdict_above(Rate.parse("40 %")).outcome is Outcome.PASS
    assert result.verdict_above(Rate.parse("60 %")).outcome is Outcome.FAIL
    assert result.verdict_above(Rate.parse("40 Mbps")).outcome is Outcome.PASS


def test_the_mean_lies_in_the_interval_in_nine_of_ten_runs() -> None:
    """By its confidence it is 95 %; the resolution adds to that."""
    found = [find_throughput(Wavering(HALF, seed=n), SEARCH, repeat=5).interval for n in range(120)]
    assert sum(each is not None and each[0] <= 0.5 <= (each[1] or 1) for each in found) >= 108


def test_a_repetition_that_the_tester_limits_leaves_the_mean_open_above() -> None:
    result = find_throughput(SimulatedMeasurer(tester_limit=Fraction(4, 10)), SEARCH, repeat=2)
    verdict = result.verdict_above(Rate.parse("50 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith("2 of 2 repetitions were limited by the tester: the tester sent")
    assert result.verdict_above(Rate.parse("40 %")).outcome is Outcome.PASS


def test_line_rate_passes_what_it_is_and_is_open_above() -> None:
    result = find_throughput(SimulatedMeasurer(), replace(SEARCH, highest=Ratio(HALF)), repeat=2)
    assert result.verdict_above(Rate.parse("50 %")).outcome is Outcome.PASS
    assert result.verdict_above(Rate.parse("51 %")).outcome is Outcome.INCONCLUSIVE


def test_no_throughput_at_all_fails() -> None:
    result = find_throughput(SimulatedMeasurer(Fraction(0), collapse=Fraction(0)), SEARCH, repeat=3)
    assert result.verdict_above(Rate.parse("1 %")).outcome is Outcome.FAIL


def test_each_repetition_keeps_within_its_trials() -> None:
    device = SimulatedMeasurer(Fraction(123, 1000), collapse=Fraction(0))
    find_throughput(device, SEARCH, repeat=3)
    assert len(device.asked) <= 3 * floor(log2(SEARCH.steps) + 3)


def test_an_unstable_device_is_not_searched_again() -> None:
    device = SimulatedMeasurer(random_loss=0.01)
    result = find_throughput(device, replace(SEARCH, stability=Ratio.parse("5 %")), repeat=5)
    assert result.limited_by is LimitedBy.UNSTABLE
    assert len(device.asked) == 3


def test_repetitions_are_read_back() -> None:
    result = find_throughput(SimulatedMeasurer(Fraction(612, 1000)), SEARCH, repeat=3)
    stored = encode(replace(result, trials=()))
    assert decode(ThroughputResult, stored).repetitions == result.repetitions


def test_less_than_one_is_refused() -> None:
    device = SimulatedMeasurer()
    with pytest.raises(PlanError, match="a search is repeated at least once; given was 0"):
        find_throughput(device, SEARCH, repeat=0)
    assert device.asked == []
