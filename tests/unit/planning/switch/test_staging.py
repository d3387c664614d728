# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.pattern import Burst, Stage
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.planning.switch.meter import LoopMeter, MeterTable, TofinoMeter
from TesterLibrary.planning.switch.resources import PASS_SKIP_UNITS
from TesterLibrary.planning.switch.staging import NEGLIGIBLE, stage

GBPS = 10**9

# norma Table 3: Gbps, then (multi-stage, pure meter) for 64 and for 1518 bytes.
TABLE_3 = [
    ("0.1", ("6e-6", "3e-3"), ("2e-5", "1e-3")),
    ("1", ("9e-7", "2e-3"), ("4e-6", "5e-4")),
    ("10", ("8e-8", "4e-3"), ("1e-6", "3e-3")),
    ("20", ("5e-8", "4e-3"), ("4e-8", "3e-3")),
    ("40", ("3e-8", "4e-3"), ("2e-7", "3e-3")),
    ("60", ("5e-5", "3e-3"), ("2e-6", "8e-4")),
    ("80", ("2e-4", "4e-3"), ("1e-7", "3e-3")),
]
GRID = [
    (Fraction(rate) * GBPS / (8 * size), Fraction(staged), Fraction(pure))
    for rate, *columns in TABLE_3
    for size, (staged, pure) in zip((64, 1518), columns, strict=True)
]


def passed(stages: Sequence[Stage], ticks: int) -> int:
    """Ticks that survive the cascade, each stage counting those that reach it."""
    counters = [0] * len(stages)
    survivors = 0
    for _ in range(ticks):
        for index, this in enumerate(stages):
            passes = counters[index] < this.passes
            counters[index] = (counters[index] + 1) % this.period
            if not passes:
                break
        else:
            survivors += 1
    return survivors


def test_the_paper_s_accurate_rate() -> None:
    meter = MeterTable.of([Fraction("9.9") * GBPS, Fraction("10.1") * GBPS])
    found = stage(Fraction(10 * GBPS), meter)
    assert found.meter_rate == Fraction("10.1") * GBPS
    assert found.stages == (Stage(passes=100, skips=1),)
    assert found.error == 0
    assert found.meter_error == Fraction("0.01")


def test_the_paper_s_burst() -> None:
    burst = Burst(packets=1000, peak=Fraction(10, 4))
    found = stage(Fraction(4 * GBPS), MeterTable.of([10 * GBPS]), pattern=[burst.stage])
    assert found.stages == (Stage(1, 0), Stage(1000, 1500))
    assert (found.meter_rate, found.error) == (10 * GBPS, 0)


def test_the_paper_s_burst_scale() -> None:
    assert Burst(packets=4, peak=Fraction("2.5")).stage == Stage(4, 6)
    assert Burst(packets=8, peak=Fraction("2.5")).stage == Stage(8, 12)


def test_what_rounding_a_burst_costs_is_the_peak_s() -> None:
    burst = Burst(packets=3, peak=Fraction("2.5"))  # 4.5 packets to skip
    found = stage(Fraction(1000), MeterTable.of(range(1, 10_000)), pattern=[burst.stage])
    assert found.error == 0
    assert found.stages[1] == Stage(3, 4)


@pytest.mark.parametrize(("target", "staged", "pure"), GRID)
def test_norma_table_3_with_the_paper_s_meter(target: Fraction, staged: Fraction, pure: Fraction) -> None:
    found = stage(target, MeterTable.of([target * (1 + pure)]))
    assert found.meter_error == pure
    assert abs(found.error) <= staged


@pytest.mark.parametrize(("target", "staged", "pure"), GRID)
@given(part=st.fractions(-1, 1, max_denominator=10**9))
def test_norma_table_3_wherever_its_rounded_meter_errors_were(
    target: Fraction, staged: Fraction, pure: Fraction, part: Fraction
) -> None:
    digit = Fraction(10) ** (len(str(int(1 / pure))) * -1)  # the table's only digit
    assert pure / digit in range(1, 11)
    found = stage(target, MeterTable.of([target * (1 + pure + part * digit / 2)]), width=32)
    assert abs(found.error) <= staged


@pytest.mark.parametrize(("target", "staged", "pure"), GRID)
def test_norma_table_3_with_a_tofino_s_meter(target: Fraction, staged: Fraction, pure: Fraction) -> None:
    found = stage(target, TofinoMeter())
    assert abs(found.error) <= min(staged, Fraction(1, 10**9))
    assert 0 <= min(TofinoMeter().at_least(target)) / target - 1 <= Fraction(1, 256)
    assert pure <= Fraction(1, 250)


rates = st.fractions(10**4, 10**9, max_denominator=10**6)  # where a Tofino's meter has all of its mantissas
stages = st.builds(Stage, st.integers(1, 100), st.integers(0, 100))


@given(target=rates, width=st.integers(1, 32), pattern=st.lists(stages, max_size=PASS_SKIP_UNITS - 1))
def test_the_error_is_what_the_stages_give_and_small(
    target: Fraction, width: int, pattern: list[Stage]
) -> None:
    ratio = prod((one.ratio for one in pattern), start=Fraction(1))
    if any(one.period > 1 << width for one in pattern):
        refused = f"does not fit a register of {width} bits"
    elif target / ratio > 511 * TofinoMeter().clock:
        refused = "is faster than this meter"
    else:
        found = stage(target, TofinoMeter(), width=width, pattern=pattern)
        assert found.rate == found.meter_rate * prod(one.ratio for one in found.stages)
        assert found.rate == target * (1 + found.error)
        assert found.meter_rate * ratio >= target
        assert found.stages[1:] == tuple(pattern)
        assert all(one.period <= 1 << width for one in found.stages)
        assert abs(found.error) <= min(Fraction(1, 256), max(NEGLIGIBLE, Fraction(1, 1 << width)))
        assert all(
            found.departures(n) >= n * found.rate / found.meter_rate for n in (0, 1, 10, 1000) if not pattern
        )
        return
    with pytest.raises(PlanError, match=refused):
        stage(target, TofinoMeter(), width=width, pattern=pattern)


@given(
    target=st.integers(1, 200),
    faster=st.lists(st.integers(0, 100), min_size=1, max_size=4),
    width=st.integers(1, 5),
)
def test_no_pair_within_the_width_is_closer(target: int, faster: list[int], width: int) -> None:
    meter = MeterTable.of(target + more for more in faster)
    found = stage(Fraction(target), meter, width=width, enough=Fraction(0), most=Fraction(10**6))
    errors = [
        abs(rate * passes / (target * period) - 1)
        for rate in meter.rates
        if rate <= max(2 * target, meter.rates[0])  # more than half of its ticks would be skipped
        for period in range(1, (1 << width) + 1)
        for passes in range(1, period + 1)
    ]
    assert abs(found.error) == min(errors)


@given(passes=st.integers(1, 1000), skips=st.integers(0, 1000), target=rates)
def test_what_a_stage_can_do_exactly_is_exact(passes: int, skips: int, target: Fraction) -> None:
    wanted = Stage(passes, skips)
    found = stage(target, MeterTable.of([target / wanted.ratio]), width=11)
    assert (found.error, found.stages[0].ratio) == (0, wanted.ratio)


@given(cascade=st.lists(st.builds(Stage, st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=4))
def test_the_ratios_of_a_cascade_multiply(cascade: list[Stage]) -> None:
    ticks = prod(one.period for one in cascade)
    assert passed(cascade, ticks) == ticks * prod(one.ratio for one in cascade)


@pytest.mark.parametrize("pps", [1, 17, 62, 150, 200, 220, 250, 333])
@pytest.mark.parametrize("frame_size", [64, 128, 512, 1518])
def test_a_slow_stream_is_as_even_as_a_fast_one(pps: int, frame_size: int) -> None:
    """200 pps of 128 bytes were 41 packets at 786 pps, and then none for 150 ms."""
    line = Bandwidth(10**11).frames_per_second(frame_size)
    enough = Fraction(1, 10**6)
    found = stage(Fraction(pps), LoopMeter(TofinoMeter(), line), enough=enough, up_to=line / 100)
    assert abs(found.error) <= enough
    assert found.lead < 6
    assert found.meter_rate <= line / 100


@pytest.mark.parametrize("pps", [50, 150, 200, 250])
def test_packets_of_a_slow_stream_leave_one_by_one(pps: int) -> None:
    """Three in a row made 10 frames at 50 pps 25 % too fast, from the first to the last."""
    line = Bandwidth(10**11).frames_per_second(128)
    found = stage(Fraction(pps), LoopMeter(TofinoMeter(), line), enough=Fraction(1, 10**6), up_to=line / 100)
    assert 1 in {one.passes for one in found.stages}
    assert abs(found.error) <= Fraction(1, 10**6)


def test_as_many_stages_as_a_switch_has_units_are_the_most() -> None:
    halves = [Stage(1, 1)] * (PASS_SKIP_UNITS - 1)
    found = stage(Fraction(1000), TofinoMeter(), pattern=halves)
    assert len(found.stages) == PASS_SKIP_UNITS
    assert found.meter_rate >= 1000 * 2 ** len(halves)
    assert abs(found.error) <= Fraction(1, 10**9)
    with pytest.raises(PlanError, match=r"units: 4 needed, 3 there: 3 for the pattern.*at most 2 stages"):
        stage(Fraction(1000), TofinoMeter(), pattern=[*halves, Stage(1, 1)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": Fraction(2 * 10**12)}, "2 Tpps is faster than this meter"),
        (
            {"target": Fraction(1, 10**10)},
            r"0\.0000000001 pps cannot be reached: the closest is 0\.00000000220\d* pps, "
            r"from the meter's 9\.46\d* pps with pass 1 skip 4,294,967,295",
        ),
        ({"target": Fraction(0)}, "both have to be above 0"),
        ({"target": Fraction(1), "width": 0}, "registers of 0 bits"),
        (
            {"target": Fraction(1), "width": 8, "pattern": [Stage(200, 57)]},
            "257 packets does not fit.*at most 256 do",
        ),
    ],
)
def test_what_cannot_be_staged_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        stage(meter=TofinoMeter(), **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Burst(4, Fraction(1, 2)),
            "a peak of 0.5x: the average would exceed the peak; give 1x or more",
        ),
        (lambda: Burst(0, Fraction(2)), "a burst of 0 packets"),
        (lambda: Stage(0, 1), "passes 0 and skips 1: it has to pass at least 1"),
    ],
)
def test_patterns_that_are_none_are_refused(make: object, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        make()  # type: ignore[operator]


def test_a_tofino_s_rates_ascend_from_the_slowest_that_is_fast_enough() -> None:
    meter = TofinoMeter(clock=Fraction(2**27))
    assert list(meter.at_least(Fraction(509)))[:5] == [509, 510, 511, 512, 514]
    assert next(meter.at_least(Fraction(1, 100))) == 1
    assert list(meter.at_least(Fraction(510 * 2**27))) == [510 * 2**27, 511 * 2**27]
    assert list(meter.at_least(Fraction(511 * 2**27 + 1))) == []


@pytest.mark.parametrize("clock", [1220, 1270, 1500])
@pytest.mark.parametrize(("even", "up_to"), [(Fraction(1, 10**6), 1_488_095), (Fraction(1, 10**4), 64)])
@given(target=st.fractions(Fraction(1, 10), 10**6, max_denominator=1000))
@example(target=Fraction(6_350_698_500, 2**27))  # beside the fifth rate of a meter: a model's is 132 ahead
@example(
    target=Fraction(4_000_007 * 1270, 2**20)
)  # beside another: no rate up to twice as fast skips one tick
def test_frames_of_slow_streams_leave_one_by_one(
    even: Fraction, up_to: int, clock: int, target: Fraction
) -> None:
    """At their own times to a part of a gap, which follows from the rates that a meter has."""
    meter = LoopMeter(TofinoMeter(Fraction(clock * 10**6)), Fraction(148_809_523))
    found = stage(target, meter, enough=even, up_to=Fraction(up_to))
    assert abs(found.error) <= even
    ticks = max(1, min(64, int(up_to / target)))
    slowest = next(meter.at_least(ticks * target))
    if ticks > 1:
        ticks = int(slowest / target)
    off = slowest / (ticks * target) - 1
    skips = max(ceil(off**2 / (2 * even * (1 + off))), 1 if ticks > 1 else 3)
    part = Fraction(skips, ticks)
    frames = [*range(500), *range(found.stages[0].passes - 20, found.stages[0].passes + 20)]
    leaves = [found.leaves_ns(max(0, frame)) * found.rate / 10**9 for frame in frames]
    assert all(0 <= frame - left <= part for frame, left in zip(frames, leaves, strict=True) if frame >= 0)
    if ticks > 1:
        apart = [after - before for before, after in pairwise(leaves[:500])]
        assert max(apart) <= (1 + part) * min(apart)
    if up_to > 64 * target:
        assert max(apart) <= Fraction(33, 32) * min(apart)
