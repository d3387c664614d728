# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.latency import LatencyMeasurement, measure_latency
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer

MEASUREMENT = LatencyMeasurement(load=Ratio.parse("50 %"), trial_duration=Duration(10**8), repetitions=3)


class SlowerEachTime(SimulatedMeasurer):
    """10, 20, 30 us."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        self.latency_ns = 10_000 * (len(self.asked) + 1)
        return super().measure(load, duration)


def test_values_of_repetitions_are_averaged_and_percentiles_are_not() -> None:
    measurer = SlowerEachTime()
    result = measure_latency(measurer, MEASUREMENT)
    assert measurer.asked == [(Fraction(1, 2), Duration(10**8))] * 3
    assert (result.min, result.mean, result.max) == (20_000, 20_000, 20_000)
    assert (result.latency.min, result.latency.max) == (10_000, 30_000)
    assert result.latency.p50 == pytest.approx(20_000, rel=0.001)
    assert result.latency.p99 == pytest.approx(30_000, rel=0.001)
    assert str(result) == (
        "north, 64 bytes: latency mean of min 20 us mean 20 us mean of max 20 us p99 30 us, "
        "3 x 100 ms at 50 % of line rate"
    )


def test_one_repetition_has_a_maximum_of_its_own() -> None:
    result = measure_latency(SlowerEachTime(), replace(MEASUREMENT, repetitions=1))
    assert "latency min 10 us mean 10 us max 10 us p99 10 us, 1 x" in str(result)


def test_verdicts() -> None:
    good = measure_latency(SlowerEachTime(), MEASUREMENT)
    assert good.verdict_below(Duration(31_000)).outcome is Outcome.PASS
    assert good.verdict_below(Duration(29_000)).outcome is Outcome.FAIL
    assert good.verdict_below(Duration(29_000), percentile=50).outcome is Outcome.PASS
    assert str(good.verdict_below(Duration(29_000), percentile=100)) == (
        "FAIL: p100 latency of north, 64 bytes is 30 us, required <= 29 us"
    )
    broken = measure_latency(SimulatedMeasurer(broken_trials={3}), MEASUREMENT)
    assert broken.verdict_below(Duration(29_000)).outcome is Outcome.INCONCLUSIVE
    deaf = measure_latency(SimulatedMeasurer(random_loss=1.0), MEASUREMENT)
    assert deaf.verdict_below(Duration(29_000)).outcome is Outcome.INCONCLUSIVE
    assert (deaf.min, deaf.mean, deaf.max) == (None, None, None)
    assert "lost 223,215 frames" in str(deaf)


def test_estimates_count_down() -> None:
    left: list[int] = []
    measure_latency(SimulatedMeasurer(), MEASUREMENT, on_estimate=lambda n, _time: left.append(n))
    assert left == [3, 2, 1]


def test_no_throughput_leaves_nothing_to_measure() -> None:
    with pytest.raises(PlanError, match="load must be above 0"):
        measure_latency(SimulatedMeasurer(), replace(MEASUREMENT, load=Ratio(Fraction(0))))
