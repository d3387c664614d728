# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tolerance on a bound: `within=5 %` moves it by 5 % of itself, so that more values pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeVar

from ...errors import PlanError
from ...model.units.quantity import Frequency, Octets
from ...model.units.units import Bandwidth, Duration, Rate, Ratio
from ...verdict import Verdict

Bound = TypeVar("Bound", Rate, Duration, Ratio, Frequency, Bandwidth, Octets, int)


def at_most(judge: Callable[[Bound], Verdict], bound: Bound, within: Ratio | None) -> Verdict:
    """A verdict on an upper bound times (1 + within); its text has both bounds."""
    return _judged(judge, bound, within, Fraction(1) + (within.value if within else 0))


def at_least(judge: Callable[[Bound], Verdict], bound: Bound, within: Ratio | None) -> Verdict:
    """A verdict on a lower bound times (1 - within); its text has both bounds."""
    return _judged(judge, bound, within, Fraction(1) - (within.value if within else 0))


def _judged(
    judge: Callable[[Bound], Verdict], bound: Bound, within: Ratio | None, factor: Fraction
) -> Verdict:
    if within is None:
        return judge(bound)
    if within.value >= 1:
        raise PlanError(f"within: {within} of the bound is given; it must be below 100 %")
    moved = _scaled(bound, factor)
    verdict = judge(moved)
    text = f"{_text(bound)} within {within} ({_text(moved)})"
    return replace(verdict, bound=verdict.bound.replace(_text(moved), text, 1))


def _scaled(bound: Any, factor: Fraction) -> Any:
    if isinstance(bound, Rate):
        return Rate(bound.value * factor, bound.unit)
    if isinstance(bound, Ratio):
        return Ratio(bound.value * factor)
    if isinstance(bound, Frequency):
        return Frequency(bound.per_second * factor)
    rounded = ceil if factor < 1 else floor  # to the last whole number that is within the exact bound
    if isinstance(bound, Duration):
        return Duration(rounded(bound.ns * factor))
    if isinstance(bound, Bandwidth):
        return Bandwidth(rounded(bound.bps * factor))
    if isinstance(bound, Octets):
        return Octets(rounded(bound.count * factor))
    return rounded(bound * factor)


def _text(bound: object) -> str:
    if isinstance(bound, Octets):
        bound = bound.count  # as verdicts print it
    return f"{bound:,}" if isinstance(bound, int) else str(bound)
