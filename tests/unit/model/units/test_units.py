# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import UnitError
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate, Ratio

TEN_GIG = Bandwidth.parse("10 Gbps")


@pytest.mark.parametrize(
    ("text", "size", "frames_per_second"),
    [
        ("1 pps", 64, 1),
        ("64 kpps", 64, 64_000),
        ("1.5 Mpps", 64, 1_500_000),
        ("1.5Mpps", 64, 1_500_000),
        ("1_000 pps", 64, 1000),
        ("1,000 pps", 64, 1000),
        ("2e3 fps", 64, 2000),
        (".5 kpps", 64, 500),
        ("512 Mbps", 64, 10**6),
        ("512 Mbps L2", 64, 10**6),
        ("672 Mbps L1", 64, 10**6),
        ("672 Mbit/s L1", 64, 10**6),
        ("100 %", 64, Fraction(10**10, 672)),
        ("0.1 %", 1518, Fraction(10**7, 12304)),
    ],
)
def test_rates(text: str, size: int, frames_per_second: int | Fraction) -> None:
    assert Rate.parse(text).frames_per_second(size, TEN_GIG) == frames_per_second


@pytest.mark.parametrize(
    ("size", "speed", "rounded"),
    [
        (64, "10 Gbps", 14_880_952),
        (1518, "10 Gbps", 812_744),
        (64, "1 Gbps", 1_488_095),
        (512, "100 Gbps", 23_496_241),
    ],
)
def test_maximum_frame_rates_are_those_of_the_rfc(size: int, speed: str, rounded: int) -> None:
    """RFC 2544 appendix B has those of 10 and 100 Mbps; these are theirs, multiplied."""
    assert round(Bandwidth.parse(speed).frames_per_second(size)) == rounded


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (Rate.parse, "10"),
        (Rate.parse, "0 pps"),
        (Rate.parse, "-1 pps"),
        (Rate.parse, "fast"),
        (Rate.parse, "10 Gpbs"),
        (Rate.parse, "10 kpps L1"),
        (Rate.parse, "1.2.3 pps"),
        (Rate.parse, ""),
        (Bandwidth.parse, "10"),
        (Bandwidth.parse, "10 Gpps"),
        (Bandwidth.parse, "0.5 bps"),
        (Bandwidth.parse, "0 bps"),
        (Duration.parse, "2 fortnights"),
        (Duration.parse, "soon"),
        (Duration.parse, "-1 s"),
        (Ratio.parse, "0.5"),
        (Ratio.parse, "101 %"),
        (Ratio.parse, "1 ‰"),
        (FrameSize.parse, "63"),
        (FrameSize.parse, "16129"),
        (FrameSize.parse, "64.5"),
        (FrameSize.parse, "64 bits"),
    ],
)
def test_what_is_no_unit_says_what_was_given_and_what_to_write(
    parse: Callable[[object], object], text: str
) -> None:
    with pytest.raises(UnitError, match="write ") as error:
        parse(text)
    assert repr(text) in str(error.value)
    assert isinstance(error.value, ValueError)  # so that Robot names the argument


def test_a_count_in_place_of_a_ratio_is_told_so() -> None:
    with pytest.raises(
        UnitError, match="'1' has no unit, and a part of a whole is asked for, not a count; wr"
    ):
        Ratio.parse("1")
    with pytest.raises(
        UnitError, match=r"write '1\.5 %' if percent are meant, or else 0, or a number with %"
    ):
        Ratio.parse(1.5)


@pytest.mark.parametrize(
    ("given_", "ns"),
    [
        ("2 s", 2 * 10**9),
        ("0", 0),
        (0, 0),
        ("500 ms", 5 * 10**8),
        ("9 us", 9000),
        ("9 µs", 9000),
        ("250 ns", 250),
        ("1 min", 60 * 10**9),
        ("1.5 h", 5400 * 10**9),
        (timedelta(days=1, seconds=1, microseconds=1), 86_401_000_001_000),
        (Duration(7), 7),
    ],
)
def test_durations(given_: object, ns: int) -> None:
    assert Duration.parse(given_).ns == ns


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), (0, 0), ("0.001 %", Fraction(1, 10**5)), ("10 ppm", Fraction(1, 10**5)), ("100 %", 1)],
)
def test_ratios(text: object, value: int | Fraction) -> None:
    assert Ratio.parse(text).value == value


def test_frame_sizes() -> None:
    assert [FrameSize.parse(text).bytes for text in ("64", 1518, "9000 B", "128 bytes")] == [
        64,
        1518,
        9000,
        128,
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Rate.parse("95 %"), "95 %"),
        (Rate.parse("10 Gbps"), "10 Gbps"),
        (Rate.parse("10 Gbps L1"), "10 Gbps L1"),
        (Rate.parse("1488095 pps"), "1.488095 Mpps"),
        (Bandwidth(400 * 10**9), "400 Gbps"),
        (Duration(1_500_000), "1.5 ms"),
        (Duration(12), "12 ns"),
        (Duration(90 * 10**9), "90 s"),
        (Ratio.parse("10 ppm"), "0.001 %"),
        (Ratio.parse(0), "0 %"),
        (FrameSize(64), "64 bytes"),
    ],
)
def test_texts(value: object, text: str) -> None:
    assert str(value) == text


@given(st.integers(1, 10**15))
def test_a_duration_read_back_is_itself(ns: int) -> None:
    assert Duration.parse(f"{ns} ns") == Duration(ns)


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**12, max_denominator=10**6))
def test_no_rate_is_rounded(value: Fraction) -> None:
    thousandths = Fraction(round(value * 1000), 1000) or Fraction(1, 1000)
    assert Rate.parse(f"{float(thousandths):.3f} pps").value == Fraction(f"{float(thousandths):.3f}")
