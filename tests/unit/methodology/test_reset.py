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
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult, measure_reset
from TesterLibrary.model.units import Duration, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import order_counters, stream_counters

from .measured import trial

MS, SECOND = 10**6, Duration(10**9)
MEASUREMENT = ResetMeasurement(ResetKind.HARDWARE, Ratio.parse("50 %"))
GOOD = stream_counters(
    1, tx_packets=1000, rx_packets=1000, order=order_counters(1000), outages=OutageCounters()
)
BACK = replace(GOOD, rx_packets=800, outages=OutageCounters(1, 201 * MS, 200, 201 * MS, 5, 200, 500))
GONE = replace(GOOD, rx_packets=300, order=order_counters(300))


class Interrupted:
    """A measurer that does what it is asked to do to the device, and returns a trial."""

    def __init__(self, found: Trial) -> None:
        self.found = found
        self.asked: list[tuple[Fraction, Duration, Duration, Duration]] = []

    def interrupted(
        self, load: Fraction, act: Callable[[], None], *, lead: Duration, steady: Duration, limit: Duration
    ) -> Trial:
        self.asked.append((load, lead, steady, limit))
        act()
        return self.found


def reset(found: Trial) -> ResetResult:
    return measure_reset(Interrupted(found), MEASUREMENT, lambda: None, hook="the hook")


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


def test_a_device_that_never_comes_back_fails() -> None:
    result = reset(trial(GONE))
    assert result.reset_ns is None
    verdict = result.verdict_below(Duration(3600 * SECOND.ns))
    assert verdict.outcome is Outcome.FAIL
    assert "not over when the traffic ended" in verdict.measured


def test_a_device_that_lost_nothing_may_not_have_been_reset() -> None:
    verdict = reset(trial(GOOD)).verdict_below(SECOND)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no frame was lost: the hook did not reset the device, or it forwards meanwhile"


def test_a_tester_that_fell_short_says_nothing() -> None:
    assert reset(trial(BACK, objections=("slept",))).verdict_below(SECOND).reason == "slept"


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
    ],
)
def test_a_measurement_without_sense_is_refused(changes: dict[str, object], complaint: str) -> None:
    measurer = Interrupted(trial(BACK))
    with pytest.raises(PlanError, match=complaint):
        measure_reset(measurer, replace(MEASUREMENT, **changes), lambda: None, hook="")  # type: ignore[arg-type]
    assert measurer.asked == []
