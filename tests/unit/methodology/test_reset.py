# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import Inconclusive, PlanError
from TesterLibrary.measurement.snapshot import OutageCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.measurer import Interruption
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult, measure_reset
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import order_counters, stream_counters

from .measured import trial

MS, SECOND = 10**6, Duration(10**9)
MEASUREMENT = ResetMeasurement(ResetKind.HARDWARE, Ratio.parse("50 %"))
SEEN = Interruption(missing=0, arriving=True, steady=True)
GOOD = stream_counters(
    1, tx_packets=1000, rx_packets=1000, order=order_counters(1000), outages=OutageCounters()
)
BACK = replace(GOOD, rx_packets=800, outages=OutageCounters(1, 201 * MS, 200, 201 * MS, 5, 200, 500))
GONE = replace(GOOD, rx_packets=300, order=order_counters(300))


class Interrupted:
    """A measurer that does what it is asked to do to the device, and returns a trial."""

    def __init__(self, *found: Trial, seen: Interruption = SEEN) -> None:
        self.found = found
        self.seen = seen
        self.asked: list[tuple[Fraction, Duration, Duration, Duration]] = []

    def interrupted(
        self, load: Fraction, act: Callable[[], None], *, lead: Duration, steady: Duration, limit: Duration
    ) -> tuple[Trial, Interruption]:
        self.asked.append((load, lead, steady, limit))
        act()
        return self.found[len(self.asked) - 1], self.seen


def reset(*found: Trial, **seen: object) -> ResetResult:
    measurement = replace(MEASUREMENT, repetitions=len(found))
    measurer = Interrupted(*found, seen=replace(SEEN, **seen))  # type: ignore[arg-type]
    return measure_reset(measurer, measurement, lambda: None, hook="the hook")


def test_outages_that_nobody_counted_do_not_mean_that_no_frame_was_lost() -> None:
    result = reset(trial(replace(BACK, outages=None)))
    assert "hardware reset by the hook: not known (" in str(result)
    assert "no frame lost" in str(reset(trial(GOOD)))


def test_the_device_is_reset_while_frames_are_sent() -> None:
    done: list[str] = []
    measurer = Interrupted(trial(BACK))
    result = measure_reset(measurer, MEASUREMENT, lambda: done.append("reset"), hook="the hook")
    assert done == ["reset"]
    assert measurer.asked == [(Fraction(1, 2), MEASUREMENT.lead, MEASUREMENT.steady, MEASUREMENT.limit)]
    assert result.reset_ns == 201 * MS
    assert result.verdict_below(Duration(201 * MS)).outcome is Outcome.PASS
    assert result.verdict_below(Duration(200 * MS)).outcome is Outcome.FAIL
    assert "hardware reset by the hook: 201 ms by time" in str(result)


def test_a_device_that_does_not_come_back_fails_each_bound_that_has_passed() -> None:
    result = reset(trial(GONE), steady=False)
    assert result.reset_ns is None
    verdict = result.verdict_below(Duration(699 * MS))
    assert verdict.outcome is Outcome.FAIL
    assert "not over when the traffic ended" in verdict.measured


def test_of_a_bound_beyond_the_time_waited_nothing_is_known() -> None:
    for steady in (True, False):
        verdict = reset(trial(GONE), steady=steady).verdict_below(Duration(3600 * SECOND.ns))
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.reason == (
            "the device was not back when the traffic ended, within 600 s; give a limit that is longer than "
            "the bound"
        )


def test_a_device_that_goes_on_stopping_is_not_back() -> None:
    result = reset(trial(BACK), steady=False)
    assert result.reset_ns is None
    assert "frames did not arrive steadily" in str(result)
    assert result.verdict_below(Duration(200 * MS)).outcome is Outcome.FAIL
    assert result.verdict_below(Duration(500 * MS)).outcome is Outcome.INCONCLUSIVE


def test_several_silences_are_no_less_than_the_longest_and_no_more_than_all_frames_lost() -> None:
    result = reset(trial(replace(BACK, rx_packets=500)))
    assert result.bounds_ns == (201 * MS, 500 * MS)
    outcomes = [result.verdict_below(Duration(bound * MS)).outcome for bound in (200, 300, 500)]
    assert outcomes == [Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS]


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        ({"missing": 3}, "the device lost frames already before the reset, up to 3 in a row"),
        ({"arriving": False}, "frames did not arrive already before the reset"),
    ],
)
def test_what_was_wrong_before_the_reset_does_not_come_from_it(seen: dict[str, object], why: str) -> None:
    result = reset(trial(BACK), **seen)
    assert result.reset_ns is None
    for bound in (SECOND, Duration(MS)):
        verdict = result.verdict_below(bound)
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, why)


def test_resets_are_averaged_and_their_number_is_said() -> None:
    slower = replace(BACK, rx_packets=700, outages=OutageCounters(1, 301 * MS, 300, 301 * MS, 5, 300, 500))
    result = reset(trial(BACK), trial(slower), trial(BACK))
    assert result.reset_ns == pytest.approx((201 + 301 + 201) * MS / 3)
    assert "by time on average of 3 resets (201 ms to 301 ms)" in str(result)
    assert result.verdict_below(Duration(235 * MS)).outcome is Outcome.PASS
    assert result.verdict_below(Duration(234 * MS)).outcome is Outcome.FAIL
    once_not = reset(trial(BACK), trial(GOOD), trial(BACK))
    assert once_not.verdict_below(SECOND).outcome is Outcome.INCONCLUSIVE


def test_a_single_lost_frame_is_no_reset() -> None:
    one = replace(GOOD, rx_packets=999, outages=OutageCounters(0, 0, 0, 2 * MS, 5, 1, 500))
    verdict = reset(trial(one)).verdict_below(SECOND)
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "one frame in a row was lost at most, which the hook need not have done; send faster",
    )


def test_a_device_that_is_not_back_is_not_reset_again() -> None:
    measurer = Interrupted(trial(GONE), seen=replace(SEEN, steady=False))
    measure_reset(measurer, replace(MEASUREMENT, repetitions=3), lambda: None, hook="the hook")
    assert len(measurer.asked) == 1


def test_a_device_that_lost_nothing_may_not_have_been_reset() -> None:
    verdict = reset(trial(GOOD)).verdict_below(SECOND)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no frame was lost: the hook did not reset the device, or it forwards meanwhile"


def test_a_tester_that_fell_short_says_nothing() -> None:
    slept = reset(trial(BACK, objections=("slept",)))
    assert slept.verdict_below(SECOND).reason == "slept"
    assert str(slept).endswith("hardware reset by the hook: not known (slept)")  # frames were lost


def test_another_device_in_its_place_is_not_judged() -> None:
    result = replace(reset(trial(BACK)), changed="the gateway has another MAC address")
    for bound in (SECOND, Duration(MS)):
        verdict = result.verdict_below(bound)
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, result.changed)


def test_a_hook_that_fails_is_no_verdict() -> None:
    def broken() -> None:
        raise Inconclusive("the device was not reset: no route to host")

    with pytest.raises(Inconclusive, match="no route to host"):
        measure_reset(Interrupted(trial(BACK)), MEASUREMENT, broken, hook="ssh")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"load": Ratio(Fraction(0))}, "the load must be above 0"),
        ({"steady": Duration(0)}, "lead and steady must be above 0"),
        ({"limit": SECOND}, "the limit must be longer than steady"),
        ({"repetitions": 0}, "repetitions must be at least 1"),
    ],
)
def test_a_measurement_without_sense_is_refused(changes: dict[str, object], complaint: str) -> None:
    measurer = Interrupted(trial(BACK))
    with pytest.raises(PlanError, match=complaint):
        measure_reset(measurer, replace(MEASUREMENT, **changes), lambda: None, hook="")  # type: ignore[arg-type]
    assert measurer.asked == []
