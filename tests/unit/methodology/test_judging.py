# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.judging import latency_below, loss_below, throughput_above
from TesterLibrary.model.units import Duration, Rate, Ratio
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer


def trial(load: str = "50 %", **truth: object) -> Trial:
    measurer = SimulatedMeasurer(**truth)  # type: ignore[arg-type]
    return measurer.measure(Ratio.parse(load).value, Duration(10**9))


@pytest.mark.parametrize(
    ("truth", "bound", "outcome"),
    [
        ({}, "50 %", Outcome.PASS),
        ({}, "744 kpps", Outcome.PASS),
        ({}, "380 Mbps", Outcome.PASS),
        ({}, "60 %", Outcome.INCONCLUSIVE),  # it was not offered more
        ({"capacity": Fraction(4, 10)}, "40 %", Outcome.PASS),
        ({"capacity": Fraction(4, 10)}, "45 %", Outcome.FAIL),
        ({"tester_limit": Fraction(4, 10)}, "45 %", Outcome.INCONCLUSIVE),
        ({"broken_trials": {1}}, "10 %", Outcome.INCONCLUSIVE),
    ],
)
def test_throughput_of_one_trial(truth: dict[str, object], bound: str, outcome: Outcome) -> None:
    assert throughput_above(trial(**truth), Rate.parse(bound)).outcome is outcome


def test_loss_of_trials() -> None:
    good, bad, broken = trial(), trial(capacity=Fraction(4, 10)), trial(broken_trials={1})
    bound = Ratio.parse("1 %")
    assert loss_below([good], bound).outcome is Outcome.PASS
    assert loss_below([good, bad], bound).outcome is Outcome.FAIL
    assert loss_below([broken, bad], bound).outcome is Outcome.FAIL
    assert loss_below([good, broken], bound).outcome is Outcome.INCONCLUSIVE
    assert loss_below([], bound).outcome is Outcome.INCONCLUSIVE


def test_a_lossy_trial_of_a_broken_tester_fails_nobody() -> None:
    verdict = loss_below([trial(capacity=Fraction(1, 10), broken_trials={1})], Ratio.parse(0))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "a worker did not run" in verdict.reason


def test_latency_without_trials_is_unknown() -> None:
    assert latency_below([], Duration(1), 99).outcome is Outcome.INCONCLUSIVE
