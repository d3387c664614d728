# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers with units, read as people mean them or not at all, and printed so that they are read back.

A comma parts thousands only: `1,000` is a thousand, `0,001` and `1,5` are refused, for the comma of many
languages would change the number without a word.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ...errors import UnitError

NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?|\.[0-9]+"
PREFIXES = {
    "": 1,
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}
BITS = re.compile(r"([kKMGT]?)(?:bps|bit/s|b/s)(?:\s*(L[12]))?")  # groups: prefix, layer
FRAMES = re.compile(r"([kKMGT]?)[pf]ps")
BYTES = re.compile(r"(k|K|M|G|Ki|Mi|Gi)?B|bytes?")
SHARES = {"%": Fraction(1, 100), "ppm": Fraction(1, 10**6)}
_WITH_UNIT = re.compile(rf"\s*({NUMBER})(?![0-9.,_])\s*(.*?)\s*", re.DOTALL)
_COMMA = re.compile(r"([0-9]),([0-9])")
_EXACT_DIGITS = 9  # longer numbers are rounded when they are printed
_ROUNDED_DIGITS = 6
_MOST_PLACES = 60  # behind the point of a number whose digits are counted


def value_of(text: str) -> Fraction:
    """The value of a text that matches NUMBER, exactly."""
    return Fraction(text.replace("_", "").replace(",", ""))


def split_unit(text: object, what: str, allowed: str) -> tuple[Fraction, str]:
    """The number and the unit of a text such as `1.5 Mpps`. UnitError says what to write instead."""
    found = _WITH_UNIT.fullmatch(str(text))
    if not found:
        raise UnitError(refusal(text, what, allowed))
    return value_of(found[1]), found[2]


def refusal(text: object, what: str, allowed: str) -> str:
    """Why a text is not `what`, and what to write. A decimal comma is shown as the point that it means."""
    given = str(text)
    hint = ""
    if _COMMA.search(given):
        hint = ": a comma parts thousands only, as in 1,000"
        if given.count(",") == 1:
            point = given.strip().replace(",", ".")
            hint += f"; for a decimal write {point!r}"
    return f"{given!r} is not {what}{hint}; write {allowed}"


def shown(value: Fraction) -> Fraction:
    """The value that is written for one: itself if that takes nine digits at most, else six digits of it."""
    if _digits(value) <= _EXACT_DIGITS:
        return value
    return Fraction(f"{float(value):.{_ROUNDED_DIGITS - 1}e}")


def percent(part: Fraction | float, places: int, sign: str = "") -> str:
    """A part of a whole with so many places, as in `18.765 %`; with `sign` `+` its sign in any case."""
    return f"{100 * float(part):{sign}.{places}f} %"


def counted(count: int, noun: str) -> str:
    """A number and its noun: `1 trial`, `3 trials`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def were(count: int, noun: str) -> str:
    """A number, its noun and the verb of the past: `1 frame was`, `3 frames were`."""
    return f"{counted(count, noun)} {'was' if count == 1 else 'were'}"


def decimal(value: Fraction) -> str:
    """A finite decimal fraction in full, without an exponent: `0.00001`, `1488.095`."""
    places = _places(value)
    if places is None:
        raise ValueError(f"{value} has no end as a decimal")
    whole = abs(value.numerator) * 10**places // value.denominator
    digits = f"{whole:0{places + 1}d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def scaled(value: Fraction, unit: str, prefixes: str = "TGMk") -> str:
    """A value with the greatest prefix that leaves 1 or more of it: `1.5 Mpps`."""
    prefix = next((prefix for prefix in prefixes if value >= PREFIXES[prefix]), "")
    return f"{decimal(value / PREFIXES[prefix])} {prefix}{unit}"


def _places(value: Fraction) -> int | None:
    """Digits behind the point, or None if they have no end."""
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _digits(value: Fraction) -> float:
    """Significant digits of a value; infinite if it has no end."""
    places = _places(value)
    if places is None or places > _MOST_PLACES:
        return float("inf")
    return len(str(abs(value.numerator) * 10**places // value.denominator).rstrip("0"))
