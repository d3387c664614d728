# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""Numbers with units are read as people mean them or not at all, and what is printed is read back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from robot.utils import timestr_to_secs

from TesterLibrary.errors import UnitError
from TesterLibrary.model.units.number import decimal, shown
from TesterLibrary.model.units.quantity import Frequency, Octets
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate, RateUnit, Ratio

_KINDS = {kind.__name__: kind for kind in (Bandwidth, Duration, FrameSize, Frequency, Octets, Rate, Ratio)}
_WHOLE_NS = st.integers(0, 2**63 - 1)
_AMOUNTS = st.fractions(min_value=Fraction(1, 10**9), max_value=10**15)


def parsed(kind: str, text: object) -> object:
    return _KINDS[kind].parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "instead"),
    [
        ("Ratio", "0,001 %", "for a decimal write '0.001 %'"),
        ("Ratio", "1,5 ppm", "for a decimal write '1.5 ppm'"),
        ("Rate", "1,5 Gbps", "for a decimal write '1.5 Gbps'"),
        ("Rate", "1,23,456 pps", "a comma parts thousands only, as in 1,000; write"),
        ("Bandwidth", "2,5 Gbps", "for a decimal write '2.5 Gbps'"),
        ("Duration", "1,5 ms", "for a decimal write '1.5 ms'"),
        ("Duration", "1 min 1,5 s", "for a decimal write '1 min 1.5 s'"),
        ("Octets", "1,5 kB", "for a decimal write '1.5 kB'"),
        ("Frequency", "0,5/s", "for a decimal write '0.5/s'"),
        ("FrameSize", "1,51", "for a decimal write '1.51'"),
        ("Frequency", "450 MACs/s", "such as 450/s"),
        ("Frequency", "100 Messages/s", "such as 450/s"),
        ("Frequency", "1 K/s", "20 k/s or 1.5 M/s"),
        ("Frequency", "1 m/s", "20 k/s or 1.5 M/s"),
        ("Frequency", "2 million/s", "20 k/s or 1.5 M/s"),
        ("Frequency", "20 thousand/s", "20 k/s or 1.5 M/s"),
        ("Frequency", "1kentries/s", "20 k/s or 1.5 M/s"),
        ("Rate", "1__000 pps", "write a positive number"),
        ("Rate", "1,_000 pps", "write a positive number"),
        ("Rate", "1e999999999 pps", "write a positive number"),  # and not computed first
    ],
)
def test_what_could_be_misread_is_refused_with_what_to_write(kind: str, text: str, instead: str) -> None:
    with pytest.raises(UnitError) as error:
        parsed(kind, text)
    assert repr(text) in str(error.value)
    assert instead in str(error.value)


@pytest.mark.parametrize("bare", ["5", 5, 0.5, "1,000", "5.0"])
def test_a_bare_number_is_no_time(bare: object) -> None:
    with pytest.raises(UnitError, match=r"it has no unit; write '[0-9.,]+ s' if seconds are meant"):
        Duration.parse(bare)


@pytest.mark.parametrize("none", ["0", 0, 0.0, " 0 ", "0.0"])
def test_nothing_is_a_time_without_a_unit(none: object) -> None:
    assert Duration.parse(none) == Duration(0)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1.5 ns", "a part of a nanosecond"),
        ("1e99 s", "longer than 292 years"),
        ("30 s 1 min", "write the longest unit first"),
        ("1 min 1 min", "write the longest unit first"),
        ("1 min 30", "is not a time; write"),
        ("1 s, 3 ms", "is not a time; write"),
        ("1:30", "is not a time; write"),
        ("5 m", "write min for minutes, or ms for milliseconds"),
        ("5M", "is not a time; write"),
        ("5 M", "is not a time; write"),  # minutes or millions
        ("5 MS", "is not a time; write"),
        ("-5 s", "is not a time; write"),
        (True, "is not a time; write"),
    ],
)
def test_what_is_no_time(text: object, complaint: str) -> None:
    with pytest.raises(UnitError, match=complaint):
        Duration.parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("Rate", "1,500 Mbps", Rate(Fraction(15 * 10**8), RateUnit.L2)),
        ("Rate", "14,880,952 pps", Rate(Fraction(14_880_952), RateUnit.PPS)),
        ("Duration", "1,000.5 ms", Duration(1_000_500_000)),
        ("Octets", "1,000,000", Octets(10**6)),
        ("Frequency", "1,000 entries/s", Frequency(Fraction(1000))),
        ("Frequency", "1 k entries/s", Frequency(Fraction(1000))),
        ("Frequency", "20k/s", Frequency(Fraction(20_000))),
        ("FrameSize", "1,518", FrameSize(1518)),
        ("Ratio", "1,000 ppm", Ratio(Fraction(1, 1000))),
    ],
)
def test_commas_part_thousands(kind: str, text: str, value: object) -> None:
    assert parsed(kind, text) == value


@pytest.mark.parametrize(
    "text",
    [
        "1 min 30 s", "2 seconds", "10 milliseconds", "1h 5min", "1h 5m", "5m 30s", "1 minute", "3 mins",
        "1 day 2 hours 3 minutes 4 seconds 5 milliseconds 6 microseconds 7 nanoseconds", "1d2h3m4s5ms6us7ns",
        "2 secs", "1.5 hours", "2 weeks", "1 millis", "7 msecs", "3 Seconds", "1 w",
    ],
)  # fmt: skip
def test_times_as_robot_framework_has_them(text: str) -> None:
    assert Duration.parse(text).ns == pytest.approx(timestr_to_secs(text, round_to=None) * 1e9, rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 10**4), st.sampled_from(["d", "h", "min", "s", "ms", "us", "ns"]))))
def test_a_compound_time_is_the_sum_of_its_parts(parts: list[tuple[int, str]]) -> None:
    order = {
        "d": 86400 * 10**9,
        "h": 3600 * 10**9,
        "min": 60 * 10**9,
        "s": 10**9,
        "ms": 10**6,
        "us": 1000,
        "ns": 1,
    }
    once = {unit: value for value, unit in parts}
    units = sorted(once, key=lambda unit: -order[unit])
    text = " ".join(f"{once[unit]} {unit}" for unit in units)
    if units:
        assert Duration.parse(text).ns == sum(once[unit] * order[unit] for unit in units)


@given(_WHOLE_NS)
def test_a_printed_time_is_read_back_as_itself(ns: int) -> None:
    assert Duration.parse(str(Duration(ns))) == Duration(ns)


@given(st.integers(1, 10**18))
def test_a_printed_bandwidth_is_read_back_as_itself(bps: int) -> None:
    assert Bandwidth.parse(str(Bandwidth(bps))) == Bandwidth(bps)


@given(st.integers(0, 10**18))
def test_a_printed_amount_of_data_is_read_back_as_itself(count: int) -> None:
    assert Octets.parse(str(Octets(count))) == Octets(count)


@given(st.integers(64, 16128))
def test_a_printed_frame_size_is_read_back_as_itself(octets: int) -> None:
    assert FrameSize.parse(str(FrameSize(octets))) == FrameSize(octets)


@given(_AMOUNTS, st.sampled_from(RateUnit))
def test_a_printed_rate_is_read_back_as_what_is_shown(value: Fraction, unit: RateUnit) -> None:
    scale = 100 if unit is RateUnit.LINE else 1
    assert Rate.parse(str(Rate(value, unit))) == Rate(shown(value * scale) / scale, unit)


@given(st.fractions(0, 1))
def test_a_printed_ratio_is_read_back_as_what_is_shown(value: Fraction) -> None:
    assert Ratio.parse(str(Ratio(value))).value == shown(value * 100) / 100


@given(_AMOUNTS)
def test_a_printed_frequency_is_read_back_as_what_is_shown(value: Fraction) -> None:
    assert Frequency.parse(str(Frequency(value))).per_second == shown(value)


@given(st.integers(1, 10**9 - 1), st.integers(0, 12))
def test_nine_digits_are_shown_in_full(digits: int, places: int) -> None:
    value = Fraction(digits, 10**places)
    assert shown(value) == value == Fraction(decimal(value))


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**12))
def test_what_is_shown_is_shown_again_the_same_and_near(value: Fraction) -> None:
    assert shown(shown(value)) == shown(value)
    assert abs(shown(value) - value) <= value / 10**5


@given(st.sampled_from(sorted(_KINDS)), st.text("0123456789,._ eE+-kKMGTmuµnshpLbBit%/", max_size=14))
def test_whatever_is_written_is_read_or_refused(kind: str, text: str) -> None:
    try:
        read = parsed(kind, text)
    except UnitError:
        return  # the only way in which anything is refused
    assert str(parsed(kind, str(read))) == str(read)


def test_a_refusal_is_a_value_error_so_that_robot_names_the_argument() -> None:
    parse: Callable[[object], object] = Duration.parse
    with pytest.raises(ValueError, match="'soon' is not a time"):
        parse("soon")
