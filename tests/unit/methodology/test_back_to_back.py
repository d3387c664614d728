# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from statistics import stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.back_to_back import BurstLimit, BurstSearch, find_maximum_burst
from TesterLibrary.methodology.throughput import LimitedBy
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome

from ...examples import examples
from .bursts import LINE, Bursts, throughput

SEARCH = BurstSearch(repetitions=3, rest=Duration(0), longest=Duration(10**9))
ONE_FRAME = replace(SEARCH, resolution=Ratio(Fraction(1, 10**9)))


def test_each_repetition_has_a_burst_that_passed_and_one_that_did_not() -> None:
    device = Bursts(longest=400)
    result = find_maximum_burst(device, throughput(), SEARCH)
    assert result.step == 4
    assert [(b.passed, b.failed, b.limited_by) for b in result.bursts] == [(400, 404, BurstLimit.DEVICE)] * 3
    assert device.sent[-4:] == [400, 404, 400, 404]
    assert len(result.trials) == len(device.sent)


def test_statistics_and_buffer_times_are_those_of_rfc_9004() -> None:
    result = find_maximum_burst(Bursts(longest=1000, noise=30), throughput(Fraction(1, 4)), ONE_FRAME)
    found = [burst.passed for burst in result.bursts]
    assert len(set(found)) > 1
    assert (result.min, result.max, result.average) == (min(found), max(found), Fraction(sum(found), 3))
    assert result.deviation == pytest.approx(stdev(found))
    implied = Fraction(sum(found), 3) * 10**9 / LINE
    assert result.implied_buffer_ns == implied
    # Implied - implied x measured throughput / maximum theoretical frame rate (section 5.4).
    assert result.corrected_buffer_ns == implied - implied * (LINE / 4) / LINE
    assert result.buffered == sum(found) // 4  # three quarters of the average of three


@settings(deadline=None, max_examples=examples(150))
@given(
    longest=st.one_of(st.integers(0, 40), st.integers(0, 2_000_000)),
    resolution=st.sampled_from(["0.0001 %", "1 %", "10 %"]).map(Ratio.parse),
    tester=st.one_of(st.just(10**9), st.integers(1, 2_000_000)),
    repetitions=st.integers(1, 5),
)
def test_the_truth_lies_between_the_bounds_of_each_repetition(
    longest: int, resolution: Ratio, tester: int, repetitions: int
) -> None:
    device = Bursts(longest=longest, tester_longest=tester)
    search = replace(SEARCH, resolution=resolution, repetitions=repetitions)
    result = find_maximum_burst(device, throughput(), search)
    highest = int(LINE)
    for burst in result.bursts:
        assert burst.passed <= min(longest, tester)
        if burst.failed is None:
            assert burst.limited_by is BurstLimit.SEARCH
            assert burst.passed > highest - 2 * result.step
            continue
        assert burst.failed - burst.passed <= max(1, result.step)
        assert burst.failed > min(longest, tester)
        assert (burst.limited_by is BurstLimit.TESTER) == (burst.failed > tester)
    assert result.step <= max(1, longest * resolution.value)
    assert len(device.sent) <= 2 * highest.bit_length() + 2 * (repetitions - 1)
    assert max(device.sent) <= highest

    for bound in {1, longest, longest + 1, longest + result.step, 2 * longest + 5}:
        verdict = result.verdict_above(bound)
        if verdict.outcome is Outcome.PASS:
            assert longest >= bound
        if verdict.outcome is Outcome.FAIL:
            assert longest < bound


@settings(deadline=None, max_examples=examples(100))
@given(longest=st.integers(50, 5000), noise=st.integers(0, 40), seed=st.integers())
def test_a_device_that_varies_is_found_within_its_variation(longest: int, noise: int, seed: int) -> None:
    device = Bursts(longest=longest, noise=noise, seed=seed)
    result = find_maximum_burst(device, throughput(), replace(ONE_FRAME, repetitions=10))
    assert result.average is not None
    assert longest - noise <= result.average <= longest + noise
    assert len(device.sent) <= 10 * 2 * int(LINE).bit_length()


def test_a_device_at_line_rate_has_no_longest_burst() -> None:
    device = Bursts()
    result = find_maximum_burst(device, throughput(Fraction(1), LimitedBy.LINE), SEARCH)
    assert device.sent == []
    assert (result.applicable, result.average, result.corrected_buffer_ns) == (False, None, None)
    passed = result.trials[0].sent
    assert result.verdict_above(passed).outcome is Outcome.PASS
    beyond = result.verdict_above(passed + 1)
    assert (beyond.outcome, "line rate" in beyond.reason) == (Outcome.INCONCLUSIVE, True)


@settings(deadline=None, max_examples=examples(60))
@given(
    longest=st.integers(0, 500),
    late=st.integers(0, 5_000_000),
    part=st.integers(1, 99).map(lambda n: Fraction(n, 100)),
)
def test_a_tester_whose_frames_leave_late_gives_no_false_verdict(
    longest: int, late: int, part: Fraction
) -> None:
    device = Bursts(longest=longest, late_ns=late, part=part)
    result = find_maximum_burst(device, throughput(part), ONE_FRAME)
    for bound in {1, longest, longest + 1, result.bursts[0].passed, result.bursts[0].passed + 1}:
        verdict = result.verdict_above(max(1, bound))
        assert verdict.outcome is not (Outcome.FAIL if longest >= max(1, bound) else Outcome.PASS)


def test_frames_that_leave_late_are_said_with_the_result() -> None:
    result = find_maximum_burst(Bursts(longest=400, late_ns=20_000), throughput(), ONE_FRAME)
    assert result.bursts[0].error == 29  # of 1,488,095 frames/s, 29.8 in 20 us; the device forwards half
    assert "longest burst 429 ± 29 frames" in str(result)


def test_late_frames_and_no_known_throughput_leave_a_burst_open() -> None:
    unknown = throughput(limit=LimitedBy.TESTER)
    verdict = find_maximum_burst(Bursts(late_ns=20_000), unknown, SEARCH).verdict_above(1)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "as its throughput was limited by the tester" in verdict.reason
    assert find_maximum_burst(Bursts(), unknown, SEARCH).verdict_above(1).outcome is Outcome.PASS


def test_what_the_device_did_not_limit_gives_no_buffer_time() -> None:
    result = find_maximum_burst(Bursts(longest=1000, tester_longest=200), throughput(), SEARCH)
    assert result.limited_by is BurstLimit.TESTER
    assert (result.implied_buffer_ns, result.corrected_buffer_ns) == (None, None)
    none = find_maximum_burst(Bursts(), throughput(None), SEARCH)
    assert none.corrected_buffer_ns is None


def test_streams_that_fill_the_line_for_different_times_are_refused() -> None:
    found = throughput()
    (trial,) = found.trials
    (stream,) = trial.streams
    slower = replace(stream, name="slow", intended_rate=stream.intended_rate / 3)
    device = Bursts()
    with pytest.raises(PlanError, match=r"need the same rate in frames/s.*north 1,488,095, slow 496,032"):
        find_maximum_burst(device, replace(found, trials=(replace(trial, streams=(stream, slower)),)), SEARCH)
    assert device.sent == []


def test_the_throughput_has_to_be_searched_up_to_line_rate() -> None:
    half = throughput(limit=LimitedBy.LINE, highest=Ratio.parse("50 %"))
    with pytest.raises(PlanError, match=r"was searched up to 50 % of line rate; search it up to 100 %"):
        find_maximum_burst(Bursts(), half, SEARCH)


def test_a_throughput_that_the_tester_limited_gives_no_corrected_buffer_time() -> None:
    result = find_maximum_burst(Bursts(), throughput(limit=LimitedBy.TESTER), SEARCH)
    assert (result.average, result.corrected_buffer_ns) == (100, None)


@pytest.mark.parametrize(
    ("search", "complaint"),
    [
        (replace(SEARCH, repetitions=0), "repetitions must be at least 1; repetitions is 0"),
        (replace(SEARCH, resolution=Ratio(Fraction(0))), "resolution must be above 0"),
        (replace(SEARCH, longest=Duration(0)), "longest burst must be above 0"),
        (replace(SEARCH, rest=Duration(-1)), "rest must not be negative"),
    ],
)
def test_a_search_without_sense_is_refused(search: BurstSearch, complaint: str) -> None:
    device = Bursts()
    with pytest.raises(PlanError, match=complaint):
        find_maximum_burst(device, throughput(), search)
    assert device.sent == []


def test_shorter_and_fewer_than_the_rfcs_ask_for_is_said() -> None:
    assert find_maximum_burst(Bursts(), throughput(), BurstSearch()).shortened == ()
    said = find_maximum_burst(Bursts(), throughput(), SEARCH).shortened
    assert [text.partition(":")[0] for text in said] == ["rests of 0 ns", "3 repetitions"]
