# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times as users write them, in this library's way and in Robot Framework's, in whole nanoseconds."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from ...errors import UnitError
from .number import NUMBER, refusal, value_of

_PART = re.compile(rf"\s*({NUMBER})(?![0-9.,_])\s*([A-Za-z\u00b5\u03bc]*)\s*")
_LONGEST_NS = 2**63 - 1
_S = 10**9
_ABBREVIATIONS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # the micro sign
    "\u03bcs": 10**3,  # the Greek letter
    "ms": 10**6,
    "s": _S,
    "m": 60 * _S,
    "h": 3600 * _S,
    "d": 86400 * _S,
    "w": 7 * 86400 * _S,
}
_WORDS = {  # in any case, and with an s for more than one
    "nanosecond": 1,
    "microsecond": 10**3,
    "millisecond": 10**6,
    "millisec": 10**6,
    "milli": 10**6,
    "msec": 10**6,
    "second": _S,
    "sec": _S,
    "minute": 60 * _S,
    "min": 60 * _S,
    "hour": 3600 * _S,
    "day": 86400 * _S,
    "week": 7 * 86400 * _S,
}
_ALLOWED = "a number with ns, us, ms, s, min, h, d or w, such as 2 s or 1 min 30 s"


def parse_time(text: object) -> int:
    """Whole nanoseconds. Raises UnitError for what is no time, and for a number without a unit but 0."""
    given = str(text)
    parts = _parts(given)
    if not parts:
        raise UnitError(refusal(text, "a time", _ALLOWED))
    units = [unit for _, unit in parts]
    if units == [""]:
        return _bare(parts[0][0], given)
    if units == ["m"]:
        raise UnitError(f"{given!r} is not a time: write min for minutes, or ms for milliseconds")
    scales = [scale_of(unit) for unit in units]
    if 0 in scales:
        raise UnitError(refusal(text, "a time", _ALLOWED))
    if any(later >= earlier for earlier, later in pairwise(scales)):
        raise UnitError(f"{given!r} is not a time: write the longest unit first, each once, as in 1 min 30 s")
    return _whole(sum(value * scale for (value, _), scale in zip(parts, scales, strict=True)), given)


def _parts(given: str) -> list[tuple[Fraction, str]]:
    """Each number and its unit; none unless the whole text consists of them."""
    parts, at = [], 0
    while at < len(given):
        found = _PART.match(given, at)
        if not found:
            return []
        parts.append((value_of(found[1]), found[2]))
        at = found.end()
    return parts


def _bare(value: Fraction, given: str) -> int:
    if value:
        raise UnitError(
            f"{given!r} is not a time: it has no unit; write '{given.strip()} s' if seconds are meant, "
            f"or else {_ALLOWED}"
        )
    return 0


def scale_of(unit: str) -> int:
    """Nanoseconds of a unit; 0 of what is none."""
    word = unit.lower()
    return _ABBREVIATIONS.get(unit) or _WORDS.get(word) or _WORDS.get(word.removesuffix("s"), 0)


def _whole(ns: Fraction | int, given: str) -> int:
    if Fraction(ns).denominator != 1:
        raise UnitError(f"{given!r} is not a time: it has a part of a nanosecond; write whole nanoseconds")
    if ns > _LONGEST_NS:
        raise UnitError(f"{given!r} is not a time: it is longer than 292 years; write {_ALLOWED}")
    return int(ns)
