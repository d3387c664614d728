# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.back_to_back import BurstLimit
from TesterLibrary.methodology.services.service_burst import (
    BucketSearch,
    BurstSize,
    BurstSizeResult,
    find_burst_size,
)
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Rate, RateUnit, Ratio
from TesterLibrary.verdict import Outcome

from ....examples import examples
from ..coloured import GREEN, YELLOW, ColouredServices
from ..policed_services import SIZE

LINE = Fraction(100_000_000)


def bps(value: int) -> Rate:
    return Rate(Fraction(value), RateUnit.L2)


def found(device: ColouredServices, search: BucketSearch) -> BurstSizeResult:
    return find_burst_size(device, search, Fraction(SIZE), LINE)


def holds(result: BurstSizeResult, octets: int) -> bool:
    return result.below is not None and result.at_least.count <= octets < result.below.count


@settings(deadline=None, max_examples=examples(150))
@given(
    cbs=st.integers(SIZE, 500_000),
    rate=st.integers(100_000, 90_000_000),
    late_ns=st.sampled_from([0, 0, 20_000, 500_000]),
    resolution=st.sampled_from(["0", "5 %"]).map(Ratio.parse),
)
def test_the_bucket_lies_between_the_bounds(cbs: int, rate: int, late_ns: int, resolution: Ratio) -> None:
    device = ColouredServices(rate, cbs, counts_colours=False, late_ns=late_ns)
    result = found(device, BucketSearch(BurstSize.CBS, GREEN, bps(rate), Octets(10**7), resolution))
    if result.limited_by is BurstLimit.SEARCH:  # what fills it meanwhile is nearly what is sent
        assert result.below is None
        assert result.at_least.count <= cbs
        return
    assert result.failed is not None
    assert holds(result, cbs)
    step = max(Fraction(1), result.passed * resolution.value)
    unknown = 2 * rate * late_ns / (8 * 10**9) + 2
    assert result.below is not None
    assert result.below.count - result.at_least.count <= step * SIZE + unknown
    assert len(device.sent) <= 2 * log2(result.failed) + 2


@settings(deadline=None, max_examples=examples(60))
@given(
    cbs=st.integers(0, 50_000),
    ebs=st.integers(SIZE, 50_000),
    stream=st.sampled_from([GREEN, YELLOW]),
    late_ns=st.sampled_from([0, 300_000]),
)
def test_the_excess_bucket_is_told_by_colour(cbs: int, ebs: int, stream: str, late_ns: int) -> None:
    marks = stream == GREEN
    device = ColouredServices(4_000_000, cbs, 2_000_000, ebs, counts_colours=marks, late_ns=late_ns)
    result = found(device, BucketSearch(BurstSize.EBS, stream, bps(2_000_000)))
    assert holds(result, ebs)
    assert result.below is not None
    took_ns = 2 * (result.trials[-1].sent + 1) * 40_960 + 2 * late_ns
    assert result.below.count - result.at_least.count <= SIZE + 2_000_000 * took_ns / (8 * 10**9) + 2


@given(cbs=st.integers(SIZE, 50_000))
@settings(deadline=None, max_examples=30)
def test_frames_that_arrive_yellow_are_beyond_the_committed_bucket(cbs: int) -> None:
    device = ColouredServices(4_000_000, cbs, 2_000_000, 50_000)
    assert holds(found(device, BucketSearch(BurstSize.CBS, GREEN, bps(4_000_000))), cbs)


def test_a_device_that_limits_nothing_is_limited_by_the_search() -> None:
    device = ColouredServices(90_000_000, 10**9, counts_colours=False)
    result = found(device, BucketSearch(BurstSize.CBS, GREEN, bps(2_000_000), Octets(10_240)))
    assert (result.passed, result.failed, result.limited_by) == (20, None, BurstLimit.SEARCH)
    assert result.verdict_above(9_000).outcome is Outcome.PASS
    assert result.verdict_below(9_000).outcome is Outcome.FAIL
    for verdict in (result.verdict_above(20_000), result.verdict_below(20_000)):
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.reason == "the longest burst that was tried passed, 20 frames; give longest= more"


def test_a_busy_tester_fails_no_device() -> None:
    result = found(ColouredServices(10**6, 10_240, busy=True), BucketSearch(BurstSize.CBS, GREEN, bps(10**6)))
    assert (result.passed, result.limited_by) == (0, BurstLimit.TESTER)
    assert result.verdict_above(10_240).reason == "limited by the tester: the tester was busy"
    assert result.verdict_above(10_240).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (
            BucketSearch(BurstSize.CBS, GREEN, bps(10**6), Octets(511)),
            "the longest burst, 511 bytes, holds no fr",
        ),
        (
            BucketSearch(BurstSize.CBS, GREEN, bps(10**8)),
            "its bucket fills at 100 Mbps, as fast as frames come",
        ),
        (
            BucketSearch(BurstSize.CBS, GREEN, bps(10**6), resolution=Ratio.parse("100 %")),
            "give less than 100 %",
        ),
    ],
)
def test_what_can_find_nothing_is_refused(search: BucketSearch, message: str) -> None:
    device = ColouredServices(10**6, 10_240)
    with pytest.raises(PlanError, match=message):
        found(device, search)
    assert not device.sent
