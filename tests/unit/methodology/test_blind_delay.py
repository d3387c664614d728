# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.correction import Correction
from TesterLibrary.measurement.snapshot import StreamCounters, VersionCounters
from TesterLibrary.methodology.blind_delay import measure_blind_delay
from TesterLibrary.methodology.verdicts.blind_delay import delay_below, greatest_mean
from TesterLibrary.model.units.units import Duration
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


def test_a_bound_within_the_steps_of_the_testers_clock_is_left_open() -> None:
    """100 ns, of which the tester knows that it is at least 99 and at most 101."""
    found = trial(counters(1000, 100))
    found = replace(found, streams=(replace(found.streams[0], correction=Correction(time_step_ns=1)),))
    outcomes = [delay_below([found], Duration(bound)).outcome.value for bound in (98, 99, 100, 101)]
    assert outcomes == ["FAIL", "INCONCLUSIVE", "INCONCLUSIVE", "PASS"]


def test_streams_count_by_what_arrived_of_them() -> None:
    both = trial(counters(1000, MILLISECOND), counters(500, 4 * MILLISECOND, 2))
    result = measure_blind_delay(OneTrial(both), Fraction(1), SECOND)
    assert result.mean_ns == 2 * MILLISECOND
    assert result.bound_ns == SECOND.ns / 2 * 500 / 1500


def test_copies_do_not_make_a_stream_count_more() -> None:
    quick = counters(2000, MILLISECOND)
    twice = replace(quick, order=replace(quick.order, duplicated=1000))
    result = measure_blind_delay(
        OneTrial(trial(twice, counters(1000, 4 * MILLISECOND, 2))), Fraction(1), SECOND
    )
    assert result.mean_ns == 2.5 * MILLISECOND


def test_possible_copies_leave_open_for_how_many_frames_a_stream_counts() -> None:
    """1000 arrivals behind others of 2000: frames that were overtaken, or copies that hide losses."""
    doubtful = counters(2000, MILLISECOND)
    doubtful = replace(doubtful, order=replace(doubtful.order, duplicated=None, behind=1000))
    result = measure_blind_delay(
        OneTrial(trial(doubtful, counters(1000, 4 * MILLISECOND, 2))), Fraction(1), SECOND
    )
    assert result.mean_ns == 2 * MILLISECOND
    assert result.bound_ns is not None
    assert result.bound_ns >= MILLISECOND // 2 + SECOND.ns / 2


@given(
    st.lists(
        st.tuples(st.integers(-1000, 1000).map(Fraction), st.integers(0, 9), st.integers(0, 9)).map(
            lambda one: (one[0], min(one[1:]), max(*one[1:], 1))
        ),
        min_size=1,
        max_size=4,
    )
)
def test_no_numbers_of_frames_make_a_greater_mean(values: list[tuple[Fraction, int, int]]) -> None:
    every = product(*(range(least, most + 1) for _, least, most in values))
    means = [
        sum((value * n for (value, _, _), n in zip(values, numbers, strict=True)), Fraction(0)) / sum(numbers)
        for numbers in every
        if sum(numbers)
    ]
    assert greatest_mean(values) == max(means)


def test_what_loss_leaves_open_is_inconclusive() -> None:
    lossy = [trial(counters(990, MILLISECOND))]  # 1 ms, give or take 10 ms
    assert delay_below(lossy, Duration(12 * MILLISECOND)).outcome is Outcome.PASS
    open_question = delay_below(lossy, Duration(5 * MILLISECOND))
    assert open_question.outcome is Outcome.INCONCLUSIVE
    assert open_question.reason == "it is unknown (± 10 ms), at most 11 ms: too close to 5 ms"
    slow = [trial(counters(990, 30 * MILLISECOND))]
    assert delay_below(slow, Duration(12 * MILLISECOND)).outcome is Outcome.FAIL
    assert delay_below(slow, Duration(12 * MILLISECOND)).measured == "30 ms ± 10 ms"


def test_a_copy_that_nobody_can_tell_may_stand_for_a_lost_frame() -> None:
    """1000 left and 1000 arrived, 10 of them behind others: overtaken, or copies that hide 10 losses."""
    counted = counters(1000, MILLISECOND)
    unknown = replace(counted, order=replace(counted.order, duplicated=None, behind=10))
    assert delay_below([trial(unknown)], Duration(5 * MILLISECOND)).outcome is Outcome.INCONCLUSIVE
    assert delay_below([trial(unknown)], Duration(22 * MILLISECOND)).outcome is Outcome.PASS
    in_order = replace(counted, order=replace(counted.order, duplicated=None, behind=0))
    assert delay_below([trial(in_order)], Duration(5 * MILLISECOND)).outcome is Outcome.PASS


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
