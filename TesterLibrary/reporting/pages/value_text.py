# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of verdicts with their units, from texts and as texts."""

from __future__ import annotations

import re
from fractions import Fraction

from ...errors import UnitError
from ...model.units.magnitude import NONE, OCTETS, OFTEN, SHARE, TIME, Magnitude
from ...model.units.units import Rate, RateUnit, duration_text
from ...verdict import Verdict, text_of

_ROUNDED = Fraction(1, 50)  # part of a value by which its text may differ from it
_RATES = {unit.value: unit for unit in RateUnit if unit is not RateUnit.LINE}


def unit_of(verdict: Verdict) -> str:
    """The basic unit of a verdict's numbers, by its texts; empty where they have none."""
    if verdict.most is None:
        return NONE
    value = verdict.most if verdict.least is None else (verdict.least + verdict.most) / 2
    measured = _magnitude(re.split(r"; | \(| of ", verdict.measured)[0].removeprefix("below "))
    if measured and abs(measured.value - value) <= abs(value) * _ROUNDED:
        return measured.unit
    bound = _magnitude(verdict.bound.partition(" ")[2].partition(" within ")[0])
    return bound.unit if bound else NONE


def text_in(value: float, unit: str) -> str:
    """A value in its basic unit as people read it."""
    if unit == SHARE:
        return f"{value * 100:.5g} %"
    if unit == TIME and value >= 0:
        return duration_text(value)
    if unit in _RATES and value >= 0:
        return str(Rate(Fraction(value), _RATES[unit]))
    separator = "" if unit in (NONE, OFTEN) else " "
    name = "bytes" if unit == OCTETS else unit
    return f"{text_of(value)}{separator}{name}"


def _magnitude(text: str) -> Magnitude | None:
    try:
        return Magnitude.parse(text)
    except UnitError:
        return None
