# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from TesterLibrary.measurement.correction import Correction
from TesterLibrary.measurement.snapshot import StreamCounters, VersionCounters
from TesterLibrary.methodology.blind_delay import delay_below, measure_blind_delay
from TesterLibrary.model.units import Duration
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters

from .measured import SECOND, OneTrial, trial

MILLISECOND = 10**6


def counters(received: int, delay_ns: int, stream_id: int = 1) -> StreamCounters:
    """1000 frames in a second, half of them of each version."""
    left = VersionCounters(500, 0, 500 * SECOND.ns)
    arrived = replace(left, rx_packets=received // 2, rx_time_ns=received // 2 * (SECOND.ns + delay_ns))
    return stream_counters(
        stream_id, 1000, 1000, last_tx_ns=SECOND.ns, rx_packets=received, versions=(arrived, arrived)
    )


def test_it_is_one_trial_with_its_bound() -> None:
    measurer = OneTrial(trial(counters(1000, MILLISECOND)))
    result = measure_blind_delay(measurer, Fraction(1, 10), SECOND)
    assert measurer.asked == [(Fraction(1, 10), SECOND)]
    assert (result.mean_ns, result.bound_ns) == (MILLISECOND, 0)
    assert str(result) == "stream1, 64 bytes: blind delay 1 ms ± 0 ns, lost 0 frames"


def test_streams_count_by_what_arrived_of_them() -> None:
    both = trial(counters(1000, MILLISECOND), counters(500, 4 * MILLISECOND, 2))
    result = measure_blind_delay(OneTrial(both), Fraction(1), SECOND)
    assert result.mean_ns == 2 * MILLISECOND
    assert result.bound_ns == SECOND.ns / 2 * 500 / 1500


def test_what_loss_leaves_open_is_inconclusive() -> None:
    lossy = [trial(counters(990, MILLISECOND))]  # 1 ms, give or take 10 ms
    assert delay_below(lossy, Duration(12 * MILLISECOND)).outcome is Outcome.PASS
    open_question = delay_below(lossy, Duration(5 * MILLISECOND))
    assert open_question.outcome is Outcome.INCONCLUSIVE
    assert "on either side of the bound" in open_question.reason
    slow = [trial(counters(990, 30 * MILLISECOND))]
    assert delay_below(slow, Duration(12 * MILLISECOND)).outcome is Outcome.FAIL
    assert delay_below(slow, Duration(12 * MILLISECOND)).measured == "30 ms ± 10 ms"


def test_doubts_come_first() -> None:
    good = counters(1000, 5)
    assert delay_below([trial(good, objections=("slept",))], SECOND).reason == "slept"
    assert delay_below([trial(good, delay_objections=("old",))], SECOND).reason == "old"
    assert "no frame" in delay_below([trial(stream_counters(1))], SECOND).reason
    assert delay_below([trial(stream_counters(1))], SECOND).measured == "unknown"


def test_the_testers_own_delay_is_taken_off() -> None:
    found = trial(counters(1000, MILLISECOND))
    corrected = replace(found.streams[0], correction=Correction(offset_ns=400_000, calibrated=True))
    result = measure_blind_delay(OneTrial(replace(found, streams=(corrected,))), Fraction(1), SECOND)
    assert result.mean_ns == 600_000
