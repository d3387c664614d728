# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate, RateUnit
from TesterLibrary.planning.rate import planned_rate

from .bench import BRIDGED, MAC1, MAC2, compiled, port, stream

PORT = BRIDGED["p1"]


@pytest.mark.parametrize(
    ("rate", "size", "frames_per_second"),
    [
        ("100 %", 64, Fraction(10**10, 672)),
        ("100 %", 1518, Fraction(10**10, 12304)),
        ("1 pps", 64, Fraction(1)),
        ("1 Gbps", 64, Fraction(10**9, 512)),
        ("1 Gbps L1", 64, Fraction(10**9, 672)),
        ("33.3 %", 512, Fraction(333, 1000) * Fraction(10**10, 4256)),
    ],
)
def test_known_rates_are_exact(rate: str, size: int, frames_per_second: Fraction) -> None:
    (planned,) = compiled(stream(rate=rate, frame_size=size)).streams
    assert planned.frames_per_second == frames_per_second
    assert planned.rate_error == 0


def test_frames_due_counts_the_first_one_at_zero() -> None:
    (planned,) = compiled(stream(rate="100 %")).streams  # one frame in 67.2 ns
    assert [planned.frames_due(ns) for ns in (1, 67, 68, 672, 673)] == [1, 1, 2, 10, 11]


@given(part=st.fractions(min_value=Fraction(1, 10**15), max_value=1))
def test_any_rate_fits_64_bits_with_an_error_that_nobody_can_measure(part: Fraction) -> None:
    exact = part * Fraction(10, 672)
    rate, error = planned_rate(replace(stream(), rate=Rate(part, RateUnit.LINE)), PORT)
    assert 0 < rate.numerator < 2**64
    assert rate.denominator < 2**64
    assert rate == exact * (1 + error)
    assert abs(error) < Fraction(1, 100)
    assert abs(error) < Fraction(1, 10**9) or exact < Fraction(1, 10**10)
    assert error == 0 or exact.denominator >= 2**64


def test_slower_than_the_clock_lasts_is_refused() -> None:
    with pytest.raises(PlanError, match="too slow; the slowest rate is one frame in 2\\^64 nanoseconds"):
        compiled(replace(stream(), rate=Rate(Fraction(1, 10**12), RateUnit.PPS)))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            stream(rate="15 Mpps"),
            "stream 'north': 15 Mpps is more than port 'p1' (10 Gbps) carries; with frames of 64 bytes it "
            "carries at most 14.881 Mpps, 7.61905 Gbps, 100 %",
        ),
        (
            stream(rate="10 Gbps", frame_size=1518),
            "stream 'north': 10 Gbps is more than port 'p1' (10 Gbps) carries; with frames of 1518 bytes it "
            "carries at most 812.744 kpps, 9.86996 Gbps, 100 %",
        ),
        (
            stream(rate="100.1 %"),
            "stream 'north': 100.1 % is more than port 'p1' (10 Gbps) carries; with frames of 64 bytes it "
            "carries at most 14.881 Mpps, 7.61905 Gbps, 100 %",
        ),
    ],
)
def test_more_than_the_line_carries_is_refused(asked: Stream, message: str) -> None:
    with pytest.raises(PlanError) as error:
        compiled(asked)
    assert str(error.value) == message


def test_more_than_a_frame_each_nanosecond_is_refused() -> None:
    ports = {"p1": port("p1", MAC1, speed="800 Gbps"), "p2": port("p2", MAC2, speed="800 Gbps")}
    compiled(stream(rate="1000 Mpps"), ports=ports)
    with pytest.raises(PlanError, match=r"'north': 100 % is 1\.19048 Gpps; a stream has at most 1 Gpps"):
        compiled(stream(rate="100 %"), ports=ports)


def test_streams_share_their_port_s_line() -> None:
    half = stream(name="a", rate="50 %"), stream(name="b", rate="50 %", frame_size=1518)
    assert len(compiled(*half).streams) == 2
    with pytest.raises(PlanError) as error:
        compiled(*half, stream(name="c", rate="1 pps"))
    assert str(error.value) == (
        "streams 'a' (50 %) + 'b' (50 %) + 'c' (1 pps) share port 'p1' (10 Gbps) and together ask for "
        "100.000007 % of its line rate; it carries at most 100 %"
    )
    assert len(compiled(*half, stream(name="c", tx="p2", rx="p1")).streams) == 3
