# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import cos, pi

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.capture_totals import CaptureTotals
from TesterLibrary.model.departures import (
    CaptureReplay,
    GapDistribution,
    Messages,
    PacketTrain,
    Poisson,
    Shape,
    Shaping,
    TalkSpurts,
    TimePattern,
    UniformGaps,
    average_of,
)
from TesterLibrary.model.pattern import Burst, LineRateBursts, Pattern, Stage
from TesterLibrary.model.plan.law import Profile, Replay, Rewrite, Script, ScriptMessage, Steady
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.plan.random_law import OnOff, Quantiles, Random
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate, RateUnit, Ratio
from TesterLibrary.planning.rate import check_replayed_rate

from .bench import BRIDGED, MAC2, compiled, stream

SECOND = Duration(10**9)


def planned(shaping: Shaping | None, rate: str | None = None, **changes: object) -> PlannedStream:
    average = average_of(shaping)
    asked = rate or (
        str(average.value.numerator / average.value.denominator) + " pps" if average else "1 Mpps"
    )
    base = stream(rate=asked, shaping=shaping, **changes)
    if average and rate is None:
        base = base.at(average)
    return compiled(base).streams[0]


@given(
    rate=st.integers(1, 10**6),
    stages=st.lists(st.builds(Stage, st.integers(1, 50), st.integers(0, 5)), min_size=1, max_size=3),
)
def test_the_average_of_a_pattern_is_exact(rate: int, stages: list[Stage]) -> None:
    (patterned,) = compiled(
        stream(shaping=Pattern(tuple(stages))).at(Rate(Fraction(rate, 1000), RateUnit.PPS))
    ).streams
    assert patterned.frames_per_second == Fraction(rate, 1000)
    assert patterned.rate_error == 0


def test_bursts_at_two_and_a_half_times_the_average() -> None:
    law = planned(Pattern.of(Burst(4, Fraction("2.5"))), "1 Mpps").departures.law
    assert law == Steady(Fraction(1, 400), (Stage(4, 6),))


@pytest.mark.parametrize(("rate", "skips"), [("100 %", 0), ("50 %", 16), ("97 %", 0), ("40 %", 24)])
def test_bursts_at_line_rate_wait_for_as_long_as_the_load_allows(rate: str, skips: int) -> None:
    bursts = planned(LineRateBursts(16), rate)
    law = bursts.departures.law
    assert isinstance(law, Steady)
    assert law.stages == (Stage(16, skips),)
    assert bursts.rate_error == 0


def test_eight_stages_are_the_most() -> None:
    planned(Pattern((Stage(2, 1),) * 8), "1 kpps")
    with pytest.raises(PlanError, match="a cascade of 9 stages: there are 1 to 8"):
        Pattern((Stage(2, 1),) * 9)


def test_a_stage_that_lets_single_frames_through_needs_no_higher_line() -> None:
    """Ticks that no two frames in a row meet may be faster than the line."""
    assert planned(Pattern((Stage(1, 9),)), "90 %").frames_due(10**9) == 13392858
    with pytest.raises(PlanError, match="has a peak of"):
        planned(Pattern((Stage(2, 9),)), "90 %")


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize(
    ("low", "high", "period"),
    [("10 kpps", "1 Mpps", 10**8), (None, "3333 pps", 10**9), ("1 pps", "7 pps", 10**9 + 7)],
)
def test_a_time_pattern_is_never_far_from_its_integral(
    shape: Shape, low: str | None, high: str, period: int
) -> None:
    pattern = TimePattern(shape, Rate.parse(high), Duration(period), Rate.parse(low) if low else None)
    law = planned(pattern).departures.law
    bottom, top = (float(rate.value) / 1e9 if rate else 0.0 for rate in (pattern.low, pattern.high))
    steps = 20_000
    integral, off = 0.0, []
    for step in range(steps):
        x = (step + 0.5) / steps
        integral += (bottom + (top - bottom) * level(pattern, x)) * period / steps
        off.append(law.count(round((step + 1) / steps * period)) - integral)
    assert min(off) > -0.64  # half a frame of rounding, an eighth of the curve, and what this sum costs
    assert max(off) < 1.64  # a frame is due at the begin of its time, not at the end
    assert isinstance(law, Profile)
    assert law.repeat == (shape not in (Shape.RAMP, Shape.STEP))


def level(pattern: TimePattern, x: float) -> float:
    if pattern.shape is Shape.SINE:
        return (1 - cos(2 * pi * x)) / 2
    if pattern.shape in (Shape.SQUARE, Shape.STEP):
        return float(x < pattern.duty.value)
    if pattern.shape is Shape.FLASH_CROWD:
        if x < 0.25:
            return 0
        return (x - 0.25) / 0.05 if x < 0.3 else 1 if x < 0.5 else (1 - x) / 0.5
    return x


def test_the_average_of_a_time_pattern_is_exact_where_periods_make_whole_frames() -> None:
    """A third of a frame in each period: three periods are planned."""
    exact = TimePattern(Shape.SINE, Rate(Fraction(1000, 3), RateUnit.PPS), SECOND)
    assert planned(exact).rate_error == 0


def test_a_time_pattern_is_scaled_to_another_average() -> None:
    square = TimePattern(Shape.SQUARE, Rate.parse("1000 pps"), SECOND)
    assert planned(square).frames_due(10**9) == 500
    assert planned(square, "5 kpps").frames_due(10**9 // 2) == 5000


def test_random_laws_have_the_average_of_the_stream() -> None:
    spurts = TalkSpurts(Duration(1000), Duration(3000))
    for shaping in (Poisson(), UniformGaps(Ratio(Fraction(1, 2))), spurts):
        random = planned(shaping, "100 kpps")
        assert abs(random.rate_error) < 1e-15
        assert random.frames_due(10**9) == pytest.approx(100_000, rel=0.05)
    law = planned(spurts, "100 kpps").departures.law
    assert isinstance(law, Random)
    assert law.distribution == OnOff(Fraction(1, 2500), 1000.0, 3000.0)


def test_a_distribution_has_its_own_average_and_is_scaled_to_another() -> None:
    half = GapDistribution(((Duration(10_000), Fraction(1, 2)), (Duration(30_000), Fraction(1))))
    law, faster = (planned(half, rate).departures.law for rate in (None, "133.333333333 kpps"))
    assert isinstance(law, Random)
    assert isinstance(faster, Random)
    assert law.distribution == Quantiles((0.0, 0.5, 1.0), (10_000.0, 10_000.0, 30_000.0))
    assert isinstance(faster.distribution, Quantiles)
    assert faster.distribution.gaps_ns == pytest.approx((5_000, 5_000, 15_000))


def test_streams_of_one_job_and_other_seeds_draw_other_gaps() -> None:
    streams = [stream(name=name, rate="1 kpps", shaping=Poisson()) for name in "ab"]
    plans = [compiled(*streams, seed=seed).streams for seed in (1, 1, 2)]
    dues = [[one.departures.due(10) for one in plan] for plan in plans]
    assert dues[0] == dues[1]
    assert len({*dues[0], *dues[2]}) == 4


def test_messages_are_planned_to_the_nanosecond() -> None:
    shaping = Messages(
        (
            PacketTrain(3, Duration(10_001), Duration(2_003)),
            PacketTrain(2, Duration(0), Duration(0), FrameSize(1518)),
            PacketTrain(1, Duration(5_000)),
        ),
        repeat=False,
    )
    messages = planned(shaping)
    assert messages.departures.law == Script(
        (ScriptMessage(10_001, 3, 2_003), ScriptMessage(68, 2, 1231, 1), ScriptMessage(5_000, 1, 68)), False
    )  # 67.2 and 1230.4 ns are what frames of 64 and 1518 bytes take
    assert [len(frame) + 4 for frame in messages.frames] == [64, 1518]
    assert messages.mix == {64: 4, 1518: 2}
    assert [messages.octets(n) for n in range(7)] == [0, 64, 128, 192, 1710, 3228, 3292]


@given(
    gaps=st.lists(st.integers(1000, 10**6), min_size=1, max_size=50),
    rate=st.integers(1, 900),
)
def test_scaled_gaps_do_not_add_up_errors(gaps: list[int], rate: int) -> None:
    shaping = Messages.of_gaps(tuple(map(Duration, gaps)))
    scale = Fraction(len(gaps) * 10**6, rate * sum(gaps))
    assume(min(gaps) * scale > 70)
    law = planned(shaping, f"{rate} kpps").departures.law
    for number in range(len(gaps)):
        assert abs(law.due(number) - sum(gaps[: number + 1]) * scale) <= 1


def test_a_capture_is_replayed_as_it_was_or_evenly() -> None:
    recorded = planned(CaptureReplay("x.pcap", 0.5, 3, ((bytes(4), b"\1" * 4),)))
    everywhere = Rewrite(b"", MAC2)
    assert recorded.departures.law == Replay(
        "x.pcap", 0.5, None, 3, (everywhere, Rewrite(bytes(4), b"\1" * 4))
    )
    assert (recorded.frames, recorded.signature, recorded.measured, recorded.rate) == ((), False, True, 0)
    even = planned(CaptureReplay("x.pcap", None, next_hop=False), "1 kpps")
    assert even.departures.law == Replay("x.pcap", None, Fraction(1, 10**6))
    assert not even.measured


FILE = CaptureTotals(frames=100, octets=42_750, duration_ns=99 * 10**6)  # of 427.5 bytes on average


def test_a_rate_in_bits_is_of_the_sizes_of_the_file() -> None:
    ports = BRIDGED | {"p1": replace(BRIDGED["p1"], speed=Bandwidth.parse("100 Mbps"))}
    replayed = replace(stream(rate="50 %"), shaping=CaptureReplay("x.pcap", None), frame_size=FILE)
    (planned_stream,) = compiled(replayed, ports=ports).streams
    assert planned_stream.frames_per_second == pytest.approx(50e6 / (447.5 * 8), rel=1e-9)
    with pytest.raises(PlanError, match="140 kpps is more than port 'p1'"):
        compiled(replace(replayed, rate=Rate.parse("140 kpps")), ports=ports)


def test_captured_gaps_that_the_line_cannot_keep_are_refused() -> None:
    captured = replace(stream(), shaping=CaptureReplay("x.pcap", 0.0001), frame_size=FILE)
    with pytest.raises(PlanError, match=r"'north' \(10 Mpps\).*358.000000 % of its line rate"):
        compiled(captured)
    (slower,) = compiled(replace(captured, shaping=CaptureReplay("x.pcap", 0.001))).streams
    law = slower.departures.law
    assert isinstance(law, Replay)
    assert law.span_ns(200) == 199 * 1000


def test_a_rate_without_the_sizes_of_the_file_has_to_be_in_frames() -> None:
    replayed = replace(stream(rate="10 Mbps"), shaping=CaptureReplay("x.pcap", None))
    with pytest.raises(PlanError, match=r"10 Mbps needs the sizes of the .*give the rate in pps"):
        check_replayed_rate(replayed)
    for known in (replace(replayed, frame_size=FILE), replace(replayed, rate=Rate.parse("1 kpps"))):
        check_replayed_rate(known)
    check_replayed_rate(replace(replayed, shaping=CaptureReplay("x.pcap", 1.0)))


@pytest.mark.parametrize(
    ("shaping", "rate", "message"),
    [
        (
            Pattern.of(Burst(4, Fraction("2.5"))),
            "50 %",
            "'north': the pattern (pass 4 skip 6) has a peak of 18.6012 Mpps at an average of 7.44048 Mpps; "
            "port 'p1' (10 Gbps) carries at most 14.881 Mpps, so an average of 5.95238 Mpps",
        ),
        (
            TimePattern(Shape.SINE, Rate.parse("20 Mpps"), SECOND),
            None,
            "the sine has a peak of 20 Mpps",
        ),
        (TalkSpurts(Duration(1000), Duration(9000)), "20 %", "has a peak of 29.7619 Mpps"),
        (Poisson(), "11 Gbps", "'north': 11 Gbps is more than port 'p1' (10 Gbps) carries"),
        (
            Messages.of_gaps((Duration(1000), Duration(67))),
            None,
            "'north': message 2: interval: 67 ns is less than a frame of 64 bytes takes on port 'p1' (10 "
            "Gbps), 67.2 ns; give 0 for back to back",
        ),
        (TimePattern(Shape.RAMP, Rate.parse("1 pps"), Duration(10**6)), None, "has not one whole frame"),
    ],
)
def test_more_than_the_port_carries_is_refused(shaping: Shaping, rate: str | None, message: str) -> None:
    with pytest.raises(PlanError, match=re.escape(message)):
        planned(shaping, rate)


@pytest.mark.parametrize(("repeat", "rate"), [(True, Fraction(4000, 3)), (False, Fraction(1000))])
def test_messages_that_are_sent_once_have_the_rate_between_their_packets(
    repeat: bool, rate: Fraction
) -> None:
    """Four packets, 1 ms apart, are 1 kpps if no fifth one follows: not four packets in 3 ms."""
    shaping = Messages((PacketTrain(4, gap=Duration(1_000_000)),), repeat)
    assert shaping.average == Rate(rate, RateUnit.PPS)
