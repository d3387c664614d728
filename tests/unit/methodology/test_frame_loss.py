# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.frame_loss import FrameLossSweep, sweep_frame_loss
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from .simulated import SimulatedMeasurer

SECOND = Duration(10**9)
SWEEP = FrameLossSweep(trial_duration=SECOND)


class LosesSlowFrames(SimulatedMeasurer):
    """A device whose power saving loses frames below half of line rate."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        self.random_loss = 0.1 if load < Fraction(1, 2) else 0.0
        return super().measure(load, duration)


def test_two_lossless_trials_in_a_row_end_the_sweep() -> None:
    result = sweep_frame_loss(SimulatedMeasurer(capacity=Fraction(75, 100)), SWEEP)
    assert [t.load * 10 for t in result.trials] == [10, 9, 8, 7, 6]
    assert [round(loss, 4) for _, loss in result.points] == [0.25, 0.1667, 0.0625, 0, 0]
    assert result.lossless_load == Fraction(7, 10)


def test_a_lossless_device_needs_two_trials() -> None:
    left: list[tuple[int, Duration]] = []
    result = sweep_frame_loss(SimulatedMeasurer(), SWEEP, on_estimate=lambda n, time: left.append((n, time)))
    assert [t.load for t in result.trials] == [1, Fraction(9, 10)]
    assert result.lossless_load == 1
    assert left == [(10, Duration(10 * 10**9)), (9, Duration(9 * 10**9))]


def test_a_device_that_always_loses_is_measured_down_to_the_last_step() -> None:
    result = sweep_frame_loss(
        SimulatedMeasurer(random_loss=0.1), FrameLossSweep(step=Ratio.parse("3 %"), trial_duration=SECOND)
    )
    assert len(result.trials) == 34
    assert result.trials[-1].load == Fraction(1, 100)
    assert result.lossless_load == 0


def test_an_invalid_trial_is_no_lossless_one() -> None:
    result = sweep_frame_loss(SimulatedMeasurer(broken_trials={2}), SWEEP)
    assert [t.load * 10 for t in result.trials] == [10, 9, 8, 7]
    assert result.lossless_load == Fraction(8, 10)
    assert len(result.points) == 3
    assert "90 %: INVALID" in str(result)


def test_verdicts() -> None:
    lossy = sweep_frame_loss(SimulatedMeasurer(capacity=Fraction(75, 100)), SWEEP)
    broken = sweep_frame_loss(SimulatedMeasurer(broken_trials={2}), SWEEP)
    both = sweep_frame_loss(SimulatedMeasurer(capacity=Fraction(75, 100), broken_trials={2}), SWEEP)
    none = Ratio.parse(0)
    assert lossy.verdict_below(Ratio.parse("26 %")).outcome is Outcome.PASS
    assert lossy.verdict_below(none).outcome is Outcome.FAIL
    assert lossy.verdict_below(none, at=Ratio.parse("70 %")).outcome is Outcome.PASS
    # the sweep ended above 5 %, and every load that was tried is above it, and says nothing of it
    assert lossy.verdict_below(none, at=Ratio.parse("5 %")).outcome is Outcome.INCONCLUSIVE
    always = sweep_frame_loss(SimulatedMeasurer(random_loss=0.01), SWEEP)
    assert always.verdict_below(none, at=Ratio.parse("5 %")).outcome is Outcome.INCONCLUSIVE
    assert broken.verdict_below(none).outcome is Outcome.INCONCLUSIVE
    assert both.verdict_below(none).outcome is Outcome.FAIL
    assert str(lossy.verdict_below(none)) == (
        "FAIL: frame loss of north, 64 bytes is 25 % (372,024 of 1,488,096 frames) at a load of 100 %, "
        "required <= 0 %"
    )


def test_verdicts_say_at_which_loads() -> None:
    lossy = sweep_frame_loss(SimulatedMeasurer(capacity=Fraction(75, 100)), SWEEP)
    always = sweep_frame_loss(SimulatedMeasurer(random_loss=0.01), SWEEP)
    none, five = Ratio.parse(0), Ratio.parse("5 %")
    assert "frame loss of north, 64 bytes at loads up to 80 % is 6.25002 % (" in str(
        lossy.verdict_below(none, at=Ratio.parse("80 %"))
    )
    nothing = always.verdict_below(none, at=five)
    assert nothing.subject == "frame loss of north, 64 bytes at loads up to 5 %"
    assert nothing.reason == (
        "no load at or below 5 % was tried; the lowest was 10 %; give Sweep Frame Loss at=5 %"
    )


def test_a_load_between_two_of_a_sweep_is_judged_by_both() -> None:
    lossy = sweep_frame_loss(SimulatedMeasurer(capacity=Fraction(45, 100)), SWEEP)
    none = Ratio.parse(0)
    between = lossy.verdict_below(none, at=Ratio.parse("49.9 %"))
    assert between.outcome is Outcome.INCONCLUSIVE
    assert between.reason == (
        "49.9 % was not tried: the next lower load, 40 %, is within the bound, and of the next higher one, "
        "50 %, the loss is 10 % (74,405 of 744,048 frames); give Sweep Frame Loss at=49.9 %"
    )
    # Both neighbours are within the bound, so what lies between them is, too.
    assert lossy.verdict_below(none, at=Ratio.parse("39.9 %")).outcome is Outcome.PASS
    assert lossy.verdict_below(Ratio.parse("11 %"), at=Ratio.parse("49.9 %")).outcome is Outcome.PASS
    # A lower load that was tried is out of bounds already.
    assert lossy.verdict_below(none, at=Ratio.parse("50.1 %")).outcome is Outcome.FAIL
    # Nothing was tried above: 40 % says nothing of 49.9 %.
    alone = SimulatedMeasurer().measure(Fraction(40, 100), SECOND)
    single = loss_below([alone], none, at=Ratio.parse("49.9 %"))
    assert single.outcome is Outcome.INCONCLUSIVE
    assert single.reason == (
        "49.9 % was not tried; the highest load was 40 %; give Sweep Frame Loss at=49.9 %"
    )


def test_a_single_frame_has_no_load() -> None:
    at = Ratio.parse("0.0001 %")
    result = sweep_frame_loss(SimulatedMeasurer(), replace(SWEEP, trial_duration=Duration(10**8), at=at))
    assert result.trials[-1].sent == 1
    verdict = result.verdict_below(Ratio.parse("1 %"), at=at)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no stream has sent two frames, and fewer have no rate"


def test_a_load_was_tried_if_it_prints_alike() -> None:
    trial = SimulatedMeasurer().measure(Fraction(1, 3), SECOND)
    load = Ratio.parse(str(Ratio(trial.load)))
    assert load.value != trial.load
    assert loss_below([trial], Ratio.parse(0), at=load).outcome is Outcome.PASS


def test_a_load_is_tried_in_any_case() -> None:
    none = Ratio.parse(0)
    for load, tried in (("20 %", [20]), ("25 %", [25]), ("90 %", []), ("95 %", [])):
        result = sweep_frame_loss(SimulatedMeasurer(), replace(SWEEP, at=Ratio.parse(load)))
        loads = [t.load * 100 for t in result.trials]
        assert loads == ([100, 95, 90] if load == "95 %" else [100, 90, *tried])
        assert result.verdict_below(none, at=Ratio.parse(load)).outcome is Outcome.PASS
    lossy = sweep_frame_loss(LosesSlowFrames(), replace(SWEEP, at=Ratio.parse("20 %")))
    assert lossy.lossless_load == 0
    assert lossy.verdict_below(none, at=Ratio.parse("20 %")).outcome is Outcome.FAIL
    assert lossy.verdict_below(none, at=Ratio.parse("10 %")).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("load", ["0 %", "51 %"])
def test_a_load_outside_the_sweep_is_refused(load: str) -> None:
    with pytest.raises(PlanError, match="at must be above 0 and at most highest"):
        sweep_frame_loss(
            SimulatedMeasurer(), replace(SWEEP, highest=Ratio.parse("50 %"), at=Ratio.parse(load))
        )


@pytest.mark.parametrize("step", ["11 %", "0 %"])
def test_a_step_that_the_rfc_forbids_is_refused(step: str) -> None:
    with pytest.raises(PlanError, match="step must be above 0 and at most 10 %"):
        sweep_frame_loss(SimulatedMeasurer(), FrameLossSweep(step=Ratio.parse(step)))
