# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches against devices whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import session_statistics

SECOND = Duration(10**9)


@dataclass
class Device:
    """Opens or holds so many connections; the tester opens so many each second."""

    truth: int
    quantity: Quantity = Quantity.RATE
    tester: int = 10**9
    trials: int = 0

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        self.trials += 1
        opened, good = min(level, self.tester), min(level, self.tester, self.truth)
        if self.quantity is Quantity.RATE:
            opened, good = (ceil(number * duration.ns / 10**9) for number in (opened, good))
        counted = session_statistics(
            "users",
            duration.ns,
            {"tcp.established": good},
            openings=opened,
            begun=opened,
            failed=opened - good,
            concurrent=good,
            opens=True,
        )
        objection = () if level <= self.tester else (f"the tester opened {opened} of {level}",)
        return SessionTrial(counted, Fraction(level), objection)


def found(device: Device, **given: object) -> MaximumResult:
    values = {"lowest": 100, "highest": 10**6, "duration": SECOND, "quantity": device.quantity, **given}
    return find_maximum(device, MaximumSearch(**values))  # type: ignore[arg-type]


@given(truth=st.integers(100, 10**6 - 1), quantity=st.sampled_from(Quantity))
def test_the_truth_lies_between_the_bounds(truth: int, quantity: Quantity) -> None:
    result = found(Device(truth, quantity))
    assert result.failed_at is not None
    assert result.maximum <= truth < result.failed_at or quantity is Quantity.RATE
    assert result.maximum <= truth <= result.failed_at * 1.01
    assert result.failed_at - result.maximum <= max(1, result.maximum * 0.02)
    assert result.limited_by is Limit.DEVICE


def test_a_capacity_is_found_exactly() -> None:
    result = found(Device(1024, Quantity.CONCURRENT), lowest=10, resolution=Ratio.parse("1 ppm"))
    assert (result.maximum, result.failed_at) == (1024, 1025)
    assert str(result) == (
        f"users: concurrent connections 1,024, limited by the device, {len(result.measured)} trials"
    )


def test_trials_are_few() -> None:
    device = Device(700_000)
    found(device)
    assert device.trials <= 14 + 6


def test_the_highest_level_may_pass() -> None:
    result = found(Device(10**7), highest=5000)
    assert (result.maximum, result.failed_at, result.limited_by) == (5000, None, Limit.SEARCH)
    verdict = result.verdict_above(6000, "6000/s")
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "the device passed the highest level of the search, 5,000",
    )


def test_no_level_may_pass() -> None:
    result = found(Device(50))
    assert (result.maximum, result.failed_at, len(result.measured)) == (0, 100, 1)
    assert result.verdict_above(200, "200/s").outcome is Outcome.FAIL
    assert f"connection rate below {result.failed_at:,}/s" in str(result)
    verdict = result.verdict_above(result.failed_at - 1, "less")
    assert verdict.measured.startswith(f"below {result.failed_at:,}/s")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert f"nothing below {result.failed_at:,} was tried; give a lower lowest=" in verdict.reason


@pytest.mark.parametrize("quantity", Quantity)
def test_a_device_that_serves_nobody_fails_below_the_lowest_level_too(quantity: Quantity) -> None:
    verdict = found(Device(0, quantity), lowest=100).verdict_above(10, "10")
    assert (verdict.outcome, verdict.reason) == (Outcome.FAIL, "")
    assert verdict.measured.startswith("0")


def test_a_tester_that_is_the_limit_is_never_the_devices_fault() -> None:
    result = found(Device(10**7, tester=3000))
    assert result.limited_by is Limit.TESTER
    assert result.verdict_above(2900, "2900/s").outcome is Outcome.PASS
    assert result.verdict_above(5000, "5000/s").outcome is Outcome.INCONCLUSIVE


def test_a_bound_between_the_last_two_levels_is_open() -> None:
    result = found(Device(1000, Quantity.CONCURRENT), resolution=Ratio.parse("50 %"))
    assert result.failed_at is not None
    assert result.maximum < 1000 < result.failed_at
    verdict = result.verdict_above(result.maximum + 1, "so many")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "search with a finer resolution" in verdict.reason
    assert result.verdict_above(result.failed_at, "so many").outcome is Outcome.FAIL
    assert result.verdict_above(result.maximum, "so many").outcome is Outcome.PASS


def test_some_connections_may_fail_if_told_so() -> None:
    holds_1000 = Device(1000, Quantity.CONCURRENT)
    assert found(holds_1000).maximum <= 1000
    assert 1050 <= found(holds_1000, failures=Ratio.parse("10 %")).maximum <= 1111


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"lowest": 0}, "lowest must be at least 1"),
        ({"lowest": 10**7}, "lowest must be at least 1 and at most highest"),
        ({"duration": Duration(0)}, "the duration must be above 0"),
        ({"resolution": Ratio.parse(0)}, "the resolution must be above 0"),
        ({"failures": Ratio.parse("100 %")}, "failures must be below 100 %"),
    ],
)
def test_searches_that_make_no_sense(given: dict[str, object], rule: str) -> None:
    with pytest.raises(PlanError, match=rule):
        found(Device(1000), **given)


@dataclass
class Even:
    """Opens so many connections each second, evenly; a trial begins anywhere and ends late."""

    rate: Fraction
    phase: Fraction
    late: Fraction
    durations: list[Duration] = field(default_factory=list)

    def measure(self, level: int, duration: Duration) -> SessionTrial:
        self.durations.append(duration)
        took = Fraction(duration.ns, 10**9) * (1 + self.late)
        opened, good = (self._within(rate, took) for rate in (Fraction(level), min(self.rate, level)))
        counted = session_statistics(
            "users", int(took * 10**9), {"tcp.established": good}, openings=opened, begun=opened, failed=0
        )
        return SessionTrial(counted, level * took)

    def _within(self, rate: Fraction, took: Fraction) -> int:
        return floor(self.phase + rate * took) - floor(self.phase)


@given(
    rate=st.integers(2, 200),
    phase=st.fractions(0, 1, max_denominator=1000),
    late=st.fractions(0, Fraction(1, 20), max_denominator=1000),
    milliseconds=st.integers(50, 2000),
)
def test_no_rate_fails_by_rounding(rate: int, phase: Fraction, late: Fraction, milliseconds: int) -> None:
    """A connection more or less at either end of a trial is within the tolerance."""
    search = MaximumSearch(Quantity.RATE, 1, 400, Duration(milliseconds * 10**6))
    result = find_maximum(Even(Fraction(rate), phase, late), search)
    assert result.failed_at is not None
    assert rate <= result.failed_at
    assert result.maximum <= rate * Fraction(102, 100) + Fraction(1, 50)
    assert result.limited_by is Limit.DEVICE


def test_a_trial_is_long_enough_for_its_rate() -> None:
    device = Even(Fraction(10**6), Fraction(0), Fraction(0))
    find_maximum(device, MaximumSearch(Quantity.RATE, 10, 1000, SECOND))
    assert [duration.seconds for duration in device.durations[:5]] == [20, 10, 5, 2.5, 1.25]
