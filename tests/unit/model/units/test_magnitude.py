# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from TesterLibrary.errors import UnitError
from TesterLibrary.model.units.magnitude import Magnitude
from TesterLibrary.model.units.quantity import Frequency, Octets
from TesterLibrary.model.units.units import Bandwidth, Duration, FrameSize, Rate, Ratio


@pytest.mark.parametrize(
    ("given", "value", "unit"),
    [
        ("5 ms", 5_000_000, "ns"),
        ("3.2145678 ms", Fraction("3214567.8"), "ns"),
        ("1 min 30 s", 90 * 10**9, "ns"),
        ("5 m", 5, "m"),  # metres, maybe
        ("-3 dBm", -3, "dBm"),
        ("\u22123 dBm", -3, "dBm"),
        ("95 %", Fraction(19, 20), "part"),
        ("120 %", Fraction(6, 5), "part"),
        ("3 ppm", Fraction(3, 10**6), "part"),
        ("0.9 Gbps", 900_000_000, "bps"),
        ("10 Gbps L2", 10**10, "bps"),
        ("10 Gbps L1", 10**10, "bps L1"),
        ("1.2 Mpps", 1_200_000, "pps"),
        ("1.5 kB", 1500, "bytes"),
        ("2 KiB", 2048, "bytes"),
        ("64 bytes", 64, "bytes"),
        ("20 k entries/s", 20_000, "/s"),
        ("12 frames", 12, "frame"),
        ("1 frame", 1, "frame"),
        ("1,000", 1000, ""),
        (0.1, Fraction(1, 10), ""),
        (0.1 + 0.2, Fraction(3, 10), ""),
        (f"{0.1 + 0.2} ms", 300_000, "ns"),
        ("1234567890123456789 ns", 1_234_567_890_123_456_789, "ns"),
        ("520409700000000.001 ns", Fraction("520409700000000.001"), "ns"),  # no float is written so
        (Fraction(1, 3), Fraction(1, 3), ""),
        (7, 7, ""),
        (timedelta(milliseconds=2), 2_000_000, "ns"),
        (Duration(7), 7, "ns"),
        (Ratio.parse("5 %"), Fraction(1, 20), "part"),
        (Rate.parse("5 %"), Fraction(1, 20), "part"),
        (Rate.parse("5 kpps"), 5000, "pps"),
        (Bandwidth.parse("1 Gbps"), 10**9, "bps"),
        (Frequency.parse("4/s"), 4, "/s"),
        (Octets.parse("4 kB"), 4000, "bytes"),
        (FrameSize(64), 64, "bytes"),
    ],
)
def test_a_value_is_read_with_its_unit(given: object, value: int | Fraction, unit: str) -> None:
    found = Magnitude.parse(given)
    assert (found.value, found.unit) == (value, unit)
    assert Magnitude.parse(found) is found
    assert str(found) == str(given)


@pytest.mark.parametrize(
    "given", ["", "ms", "None ms", "nan", "inf", float("nan"), "1e400", True, [1], None, "5 ms 3 x", "5 ms2"]
)
def test_what_is_no_number_is_refused(given: object) -> None:
    with pytest.raises(UnitError, match="is not a value with a unit; write a number with its unit"):
        Magnitude.parse(given)


def test_a_decimal_comma_is_refused() -> None:
    with pytest.raises(UnitError, match=r"for a decimal write '1\.5 ms'"):
        Magnitude.parse("1,5 ms")
