# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement import remarks
from TesterLibrary.measurement.attempt import Attempt
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.soak import Soak, SoakResult, least_probability, measure_soak, most_probability
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer

SECOND = Duration(10**9)
SOAK = Soak(Ratio.parse("50 %"), trial_duration=SECOND, repetitions=60)


class Unlucky(SimulatedMeasurer):
    """Each trial loses frames with one probability, for itself."""

    probability = 0.0

    def _lost(self, frames: int) -> int:
        return min(frames, int(random.Random(f"{self.seed} {len(self.asked)}").random() < self.probability))


def soaked(probability: float, seed: int = 1, **changes: object) -> SoakResult:
    device = Unlucky(seed=seed)
    device.probability = probability
    return measure_soak(device, replace(SOAK, **changes))  # type: ignore[arg-type]


def test_sixty_trials_without_loss_show_five_percent() -> None:
    result = soaked(0)
    assert (result.exceeded, result.untold) == (0, 0)
    assert result.probability_bounds == (0, pytest.approx(1 - 0.05 ** (1 / 60)))
    verdict = result.verdict_below(Ratio.parse("5 %"))
    assert str(verdict) == (
        "PASS: exceed probability of north, 64 bytes is 0 % to 4.87029 % (0 of 60 trials), required <= 5 %"
    )
    verdict = result.verdict_below(Ratio.parse("4 %"))
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "60 trials are too few to tell; run more of them",
    )


def test_a_device_that_often_loses_fails() -> None:
    assert soaked(0.5).verdict_below(Ratio.parse("20 %")).outcome is Outcome.FAIL
    assert soaked(1).probability_bounds == (pytest.approx(0.05 ** (1 / 60)), 1)


def test_trials_that_tell_nothing_count_for_both_sides() -> None:
    result = measure_soak(SimulatedMeasurer(broken_trials=range(1, 11)), SOAK)
    assert (result.exceeded, result.untold) == (0, 10)
    assert result.probability_bounds == (0, pytest.approx(most_probability(10, 60)))
    verdict = result.verdict_below(Ratio.parse("5 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith("10 of 60 trials tell nothing: a worker did not run")
    assert result.verdict_below(Ratio.parse("50 %")).outcome is Outcome.PASS


class Busy(Unlucky):
    """A tester that pauses in each trial: it repeats what lost frames until it has clean attempts enough."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        earlier: list[Attempt] = []
        while True:
            trial = replace(super().measure(load, duration), attempt=len(earlier) + 1, earlier=tuple(earlier))
            if trial.lost == 0 and not remarks.unconfirmed(trial):
                return trial
            paused = ("3 frames were lost, and pauses of the tester",) if trial.lost else ()
            earlier.append(Attempt.of(trial.attempt, trial.lost, trial.evidence, paused))


def test_what_a_paused_tester_repeats_is_no_trial_without_loss() -> None:
    """Each loss comes while the tester pauses, so that it is measured again, and every trial is clean."""
    device = Busy()
    device.probability = 0.1
    result = measure_soak(device, SOAK)
    assert all(trial.lost == 0 and not remarks.unconfirmed(trial) for trial in result.trials)
    repeated = sum(bool(trial.earlier) for trial in result.trials)
    assert (result.exceeded, result.untold) == (0, repeated)
    assert result.probability_bounds == (0, pytest.approx(most_probability(repeated, 60)))
    verdict = result.verdict_below(Ratio.parse("5 %"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    said = f"{repeated} of 60 trials tell nothing: attempt 1 lost 1 frame and does not count: 3 frames were"
    assert verdict.reason.startswith(said)
    assert result.verdict_below(Ratio.parse("50 %")).outcome is Outcome.PASS


def test_a_repeated_attempt_that_lost_as_little_as_is_allowed_is_none_of_them() -> None:
    device = Busy()
    device.probability = 0.1
    assert measure_soak(device, replace(SOAK, loss=Ratio.parse("1 ppm"))).untold
    assert measure_soak(device, replace(SOAK, loss=Ratio.parse("2 ppm"))).untold == 0


def test_a_limit_holds_though_each_loss_is_measured_again() -> None:
    most = []
    for seed in range(100):
        device = Busy(seed=seed)
        device.probability = 0.1
        most.append(measure_soak(device, replace(SOAK, repetitions=40)).probability_bounds[1])
    assert sum(limit < 0.1 for limit in most) <= 10


@given(count=st.integers(1, 80), part=st.floats(0, 1))
def test_the_limits_are_where_the_binomial_tail_is_five_percent(count: int, part: float) -> None:
    found = min(count, int(part * (count + 1)))
    least, most = least_probability(found, count), most_probability(found, count)
    assert 0 <= least <= found / count <= most <= 1

    def tail(probability: float, numbers: range) -> float:
        return sum(comb(count, n) * probability**n * (1 - probability) ** (count - n) for n in numbers)

    if found < count:
        assert tail(most, range(found + 1)) == pytest.approx(0.05, rel=1e-6)
    if found:
        assert tail(least, range(found, count + 1)) == pytest.approx(0.05, rel=1e-6)


def test_a_limit_is_wrong_in_one_soak_of_twenty_at_most() -> None:
    soaks = [soaked(0.1, seed, repetitions=40).probability_bounds for seed in range(150)]
    assert sum(most < 0.1 for _, most in soaks) <= 15
    assert sum(least > 0.1 for least, _ in soaks) <= 15


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"load": Ratio(Fraction(0))}, "the load must be above 0"),
        ({"loss": Ratio(Fraction(1))}, "the loss ratio must be at least 0 and below 100 %"),
        ({"repetitions": 0}, "trials must be at least 1; repetitions is 0"),
        ({"trial_duration": Duration(0)}, "the duration must be above 0"),
    ],
)
def test_a_soak_without_sense_is_refused_before_a_frame_is_sent(
    changes: dict[str, object], complaint: str
) -> None:
    device = SimulatedMeasurer()
    with pytest.raises(PlanError, match=complaint):
        measure_soak(device, replace(SOAK, **changes))  # type: ignore[arg-type]
    assert device.asked == []
