# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A value of a suite's own with its unit, so that it is compared with values of the same unit only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Context, Decimal
from fractions import Fraction

from ...errors import UnitError
from .number import BITS, BYTES, FRAMES, NUMBER, PREFIXES, SHARES, refusal, value_of
from .quantity import PER_SECOND, Frequency, Octets
from .time_text import parse_time, scale_of
from .units import Bandwidth, Duration, FrameSize, Rate, RateUnit, Ratio

TIME, SHARE, OCTETS, OFTEN, NONE = "ns", "part", "bytes", "/s", ""
_ALLOWED = "a number with its unit, such as 5 ms, 95 %, 1.2 Mpps, 40 kB, 450/s or 12 frames"
_SIGNED = re.compile(rf"\s*([-+\u2212]?)\s*({NUMBER})(?![0-9.,_])\s*([^\s0-9][^0-9]*?|[^\s0-9].*L[12])?\s*")
_FLOATS = Context(prec=15)  # digits of a float that mean something: 0.1 + 0.2 is 0.30000000000000004
_LONG_WORD = 4  # letters from which on a final s is that of a plural


@dataclass(frozen=True)
class Magnitude:
    """A number in the basic unit of its kind, and the text that it was given as."""

    value: Fraction
    unit: str  # NONE for a bare number; a word of the suite's own, such as frame, if it is no known unit
    text: str

    @classmethod
    def parse(cls, given: object) -> Magnitude:
        """Raises UnitError for anything but a finite number, alone or with a unit."""
        if isinstance(given, Magnitude):
            return given
        typed = _typed(given)
        if typed:
            return cls(*typed, text=str(given))
        if isinstance(given, bool) or not isinstance(given, str | int | float | Fraction | Decimal):
            raise UnitError(refusal(given, "a value with a unit", _ALLOWED))
        text = str(given).strip()
        if isinstance(given, Fraction):
            return cls(given, NONE, text)
        found = _SIGNED.fullmatch(text)
        if not found:
            return cls(_times(text), TIME, text)
        number = _without_noise(value_of(found[2])) * (1 if found[1] in ("", "+") else -1)
        scale, unit = _unit(found[3] or "")
        return cls(number * scale, unit, text)

    def __str__(self) -> str:
        return self.text


def _typed(given: object) -> tuple[Fraction, str] | None:
    """The value of something that has its unit already; None of anything else."""
    if isinstance(given, timedelta):
        given = Duration.parse(given)
    if isinstance(given, Duration):
        return Fraction(given.ns), TIME
    if isinstance(given, Ratio):
        return given.value, SHARE
    if isinstance(given, Rate):
        return given.value, SHARE if given.unit is RateUnit.LINE else given.unit.value
    if isinstance(given, Bandwidth):
        return Fraction(given.bps), RateUnit.L2.value
    if isinstance(given, Frequency):
        return given.per_second, OFTEN
    if isinstance(given, Octets):
        return Fraction(given.count), OCTETS
    return (Fraction(given.bytes), OCTETS) if isinstance(given, FrameSize) else None


def _without_noise(number: Fraction) -> Fraction:
    """A decimal as it was meant, where a float was worked out and has digits that nobody wrote.

    A text that no float is written as has only digits that somebody wrote.
    """
    if number.denominator == 1 or not _is_of_a_float(number):
        return number
    return Fraction(_FLOATS.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _is_of_a_float(number: Fraction) -> bool:
    try:
        return Fraction(repr(float(number))) == number
    except OverflowError:
        return False


def _times(text: str) -> Fraction:
    """Nanoseconds of a time of several parts: `1 min 30 s`."""
    try:
        return Fraction(parse_time(text))
    except UnitError:
        raise UnitError(refusal(text, "a value with a unit", _ALLOWED)) from None


def _unit(word: str) -> tuple[Fraction, str]:
    """By what a number is multiplied, and the basic unit that it is in then."""
    word = word.strip()
    if word in SHARES:
        return SHARES[word], SHARE
    if bits := BITS.fullmatch(word):
        kind = RateUnit.L1 if bits[2] == "L1" else RateUnit.L2
        return Fraction(PREFIXES[bits[1]]), kind.value
    if frames := FRAMES.fullmatch(word):
        return Fraction(PREFIXES[frames[1]]), RateUnit.PPS.value
    if octets := BYTES.fullmatch(word):
        return Fraction(PREFIXES[octets[1] or ""]), OCTETS
    if often := PER_SECOND.fullmatch(word):
        return Fraction(PREFIXES[often[1] or ""]), OFTEN
    if word != "m" and (scale := scale_of(word)):  # m may be metres
        return Fraction(scale), TIME
    return Fraction(1), word[:-1] if len(word) > _LONG_WORD and word.endswith("s") else word
