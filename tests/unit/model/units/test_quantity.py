# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest

from TesterLibrary.errors import UnitError
from TesterLibrary.model.units.quantity import Frequency, Octets


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("1000/s", 1000, "1,000/s"),
        ("450 entries/s", 450, "450/s"),
        ("20 k connections/s", 20_000, "20,000/s"),
        ("1.5M/s", 1_500_000, "1,500,000/s"),
        ("0.5/s", Fraction(1, 2), "0.5/s"),
        ("3 per second", 3, "3/s"),
    ],
)
def test_frequencies(text: str, value: int, shown: str) -> None:
    found = Frequency.parse(text)
    assert (found.per_second, str(found)) == (value, shown)
    assert Frequency.parse(str(found)) == found


@pytest.mark.parametrize("text", ["1000", "0/s", "-1/s", "fast", "10 pps"])
def test_what_is_no_frequency(text: str) -> None:
    with pytest.raises(UnitError, match="is not a frequency; write a positive number with /s"):
        Frequency.parse(text)


@pytest.mark.parametrize(
    ("text", "count", "shown"),
    [
        ("0", 0, "0 bytes"),
        ("1 KB", 1000, "1 kB"),
        ("1.5 MB", 1_500_000, "1.5 MB"),
        ("2 MiB", 2_097_152, "2.097152 MB"),
        ("100 bytes", 100, "100 bytes"),
    ],
)
def test_amounts_of_data(text: str, count: int, shown: str) -> None:
    assert (Octets.parse(text).count, str(Octets.parse(text))) == (count, shown)


@pytest.mark.parametrize("text", ["1.5", "1 mb", "-3", "much"])
def test_what_is_no_amount_of_data(text: str) -> None:
    with pytest.raises(UnitError, match="is not an amount of data; write a whole number of bytes"):
        Octets.parse(text)
