# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Amounts of connections and octets as users write them, kept exact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from ...errors import UnitError
from .notation import NUMBER, written_as
from .number import BYTES, PREFIXES, decimal, refusal, scaled, shown, split_unit

_COUNTED = (  # a noun that is not here could begin with a prefix: 450 MACs/s
    "addresses",
    "announcements",
    "attempts",
    "connections",
    "entries",
    "flows",
    "neighbours",
    "openings",
    "queries",
    "requests",
    "sessions",
    "transactions",
)
PER_SECOND = re.compile(rf"(?:([kMG])(?=[\s/]))?\s*(?:(?:{'|'.join(_COUNTED)})\b)?\s*(?:/\s*s|per\s+second)")


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class Frequency:
    """How often in a second: `1000/s`, `450 entries/s`, `20 k connections/s`."""

    per_second: Fraction

    @classmethod
    def parse(cls, text: object) -> Frequency:
        """Raises UnitError for anything but a positive number of something a second."""
        if isinstance(text, Frequency):
            return text
        allowed = (
            "a positive number with /s, such as 450/s, 20 k/s or 1.5 M/s; "
            f"the nouns that may stand before /s are {', '.join(_COUNTED)}"
        )
        number, unit = split_unit(text, "a frequency", allowed)
        often = PER_SECOND.fullmatch(unit)
        if number <= 0 or not often:
            raise UnitError(refusal(text, "a frequency", allowed))
        return cls(number * PREFIXES[often[1] or ""])

    def __str__(self) -> str:
        value = shown(self.per_second)
        return f"{int(value):,}/s" if value.denominator == 1 else f"{decimal(value)}/s"


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class Octets:
    """An amount of data: `1 MB` is 1,000,000 bytes, `1 MiB` is 1,048,576; a bare number is bytes."""

    count: int

    @classmethod
    def parse(cls, text: object) -> Octets:
        """Raises UnitError for anything but a whole number of bytes."""
        if isinstance(text, Octets):
            return text
        allowed = "a whole number of bytes, maybe with kB, MB, GB, KiB, MiB or GiB, such as 1 MB"
        number, unit = split_unit(text, "an amount of data", allowed)
        octets = BYTES.fullmatch(f"{unit}B" if unit in PREFIXES else unit)
        if not octets or (number * PREFIXES[octets[1] or ""]).denominator != 1:
            raise UnitError(refusal(text, "an amount of data", allowed))
        return cls(int(number * PREFIXES[octets[1] or ""]))

    def __str__(self) -> str:
        if self.count < PREFIXES["k"]:
            return f"{self.count} bytes"
        return scaled(Fraction(self.count), "B", "GMk")
