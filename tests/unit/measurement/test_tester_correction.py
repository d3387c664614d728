# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Delays of trials, corrected by a calibration."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import Inconclusive
from TesterLibrary.measurement.calibration import CalibratedSize, Calibration
from TesterLibrary.measurement.delays.correction import DelayKind
from TesterLibrary.methodology.calibration import calibrate
from TesterLibrary.methodology.verdicts.judging import latency_below
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget
from TesterLibrary.verdict import Outcome

from ..running.testers import SECOND, fake_tester, stream

TENTH = Fraction(1, 10)


def calibration(*drivers: str, age: timedelta = timedelta(0)) -> Calibration:
    made_at = (datetime.now(timezone.utc) - age).isoformat(timespec="seconds")
    sizes = (CalibratedSize(64, 4000, 300, 10**6), CalibratedSize(164, 5000, 400, 10**6))
    return Calibration("bench", "cable", made_at, "fake 1", drivers, sizes)


def test_delays_are_less_the_testers_own(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.calibration = calibration("fake", "fake")
    trial = TrialMeasurer(this, [stream(size=114)]).measure(TENTH, SECOND)
    assert (trial.latency.min, trial.latency.max) == (5500, 5500)  # of 10 us
    assert trial.streams[0].counters.latency.min_ns == 10_000
    blind = trial.streams[0].blind_delay
    assert blind
    assert blind.mean_ns == 5500
    correction = trial.streams[0].correction
    assert (correction.spread_ns, correction.calibrated) == (350, True)
    assert correction.frame_time_ns == 912  # 114 bytes at 1 Gbps
    assert trial.latency_as(DelayKind.STORE_AND_FORWARD).max == 5500 - 912
    assert trial.delay_objections == ()


def test_ports_of_another_kind_are_not_corrected(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.calibration = calibration("fake", "net_ice")
    trial = TrialMeasurer(this, [stream()]).measure(TENTH, SECOND)
    assert trial.latency.min == 10_000
    assert not trial.streams[0].correction.calibrated


def test_an_old_calibration_leaves_delays_in_doubt_and_nothing_else(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.calibration = calibration("fake", "fake", age=timedelta(days=8))
    trial = TrialMeasurer(this, [stream()]).measure(TENTH, SECOND)
    assert trial.valid
    (objection,) = trial.delay_objections
    assert "call Calibrate Tester again" in objection
    assert latency_below([trial], SECOND, 99).outcome is Outcome.INCONCLUSIVE


def test_a_cable_tells_what_the_tester_adds(tmp_path: Path) -> None:
    this = fake_tester(tmp_path, tester_limit=500_000)
    result = calibrate(lambda size: TrialMeasurer(this, [stream(size=size)]), [512, 64], SECOND)
    assert [size.frame_size for size in result.sizes] == [64, 512]
    small, large = result.sizes
    assert (small.offset_ns, small.spread_ns) == (10_000, 0)
    assert 480_000 <= small.highest_pps <= 500_000
    assert large.highest_pps == pytest.approx(10**9 / 8 / 532, rel=0.02)  # the line
    assert "64 bytes: 10 us, spread 0 ns, up to" in str(result)


def test_without_a_cable_there_is_nothing_to_find(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    this.target = FakeTarget(device=FakeDevice(FakePath(capacity=0)))
    with pytest.raises(Inconclusive, match="is there a cable"):
        calibrate(lambda size: TrialMeasurer(this, [stream(size=size)]), [64], Duration(10**8))


def test_a_search_goes_no_higher_than_the_calibrated_tester(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    whole, lowest = Ratio(Fraction(1)), Ratio(TENTH)
    assert TrialMeasurer(this, [stream()]).highest(None, lowest) == (whole, False)
    this.calibration = calibration("fake", "fake")
    # 10^6 frames/s of 1,488,095 of 64 bytes at 1 Gbps; at 1518 bytes the line carries fewer.
    assert TrialMeasurer(this, [stream()]).highest(None, lowest) == (Ratio(Fraction(672, 1000)), True)
    assert TrialMeasurer(this, [stream()]).highest(whole, lowest) == (whole, False)
    assert TrialMeasurer(this, [stream()]).highest(None, whole) == (whole, True)
    assert TrialMeasurer(this, [stream(size=1518)]).highest(None, lowest) == (whole, False)
    this.calibration = calibration("fake", "net_ice")
    assert TrialMeasurer(this, [stream()]).highest(None, lowest) == (whole, False)


def test_between_two_sizes_the_higher_rate_is_taken() -> None:
    sizes = (CalibratedSize(64, 1, 1, 900), CalibratedSize(512, 1, 1, 500))
    made = Calibration("bench", "cable", "", "fake 1", ("fake", "fake"), sizes)
    assert [made.highest_pps(size) for size in (64, 128, 512, 1518)] == [900, 900, 500, 500]
