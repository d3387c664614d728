# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Amounts of connections and octets as users write them, kept exact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from ..errors import UnitError

_PREFIX = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_NUMBER = r"([0-9][0-9_,]*(?:\.[0-9]+)?)"
_FREQUENCY = re.compile(rf"\s*{_NUMBER}\s*([kM]?)\s*[A-Za-z]*\s*(?:/\s*s|per second)\s*")
_OCTETS = re.compile(rf"\s*{_NUMBER}\s*(|k|K|M|G|Ki|Mi|Gi)(?:B|bytes)?\s*")


def _number(text: str) -> Fraction:
    return Fraction(text.replace("_", "").replace(",", ""))


@dataclass(frozen=True, order=True)
class Frequency:
    """How often in a second: `1000/s`, `450 entries/s`, `20 k connections/s`."""

    per_second: Fraction

    @classmethod
    def parse(cls, text: object) -> Frequency:
        """Raises UnitError for anything but a positive number of something a second."""
        if isinstance(text, Frequency):
            return text
        found = _FREQUENCY.fullmatch(str(text))
        value = _number(found[1]) * _PREFIX[found[2]] if found else Fraction(0)
        if value <= 0:
            allowed = "a positive number with /s, such as 1000/s or 450 entries/s"
            raise UnitError(f"{str(text)!r} is not a frequency; write {allowed}")
        return cls(value)

    def __str__(self) -> str:
        value = self.per_second
        return f"{int(value):,}/s" if value.denominator == 1 else f"{float(value):,.6g}/s"


@dataclass(frozen=True, order=True)
class Octets:
    """An amount of data: `1 MB` is 1,000,000 bytes, `1 MiB` is 1,048,576; a bare number is bytes."""

    count: int

    @classmethod
    def parse(cls, text: object) -> Octets:
        """Raises UnitError for anything but a whole number of bytes."""
        if isinstance(text, Octets):
            return text
        found = _OCTETS.fullmatch(str(text))
        value = _number(found[1]) * _PREFIX[found[2]] if found else Fraction(1, 2)
        if value.denominator != 1:
            allowed = "a whole number of bytes, maybe with kB, MB, GB, KiB, MiB or GiB, such as 1 MB"
            raise UnitError(f"{str(text)!r} is not an amount of data; write {allowed}")
        return cls(int(value))

    def __str__(self) -> str:
        for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
            if self.count >= size:
                return f"{self.count / size:g} {unit}"
        return f"{self.count} bytes"
