# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose size or field lies in a range: an MTU, a block of addresses, a single value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..traffic import FRAME_SIZE, Factor
from .condition import Fit, family, spread, with_values

_AT_ONCE = 8  # questions in each of the two gaps


@dataclass(frozen=True)
class ValueRange:
    """Values from `first` to `last`."""

    first: int
    last: int

    def holds(self, value: int) -> bool:
        """See ValueSet."""
        return self.first <= value <= self.last

    def text(self, factor: Factor) -> str:
        """See ValueSet."""
        first, last = factor.write(self.first), factor.write(self.last)
        if self.first == self.last:
            return with_values(factor, first)
        if self.last == factor.values[-1] and factor.name == FRAME_SIZE:
            return f"of {first} bytes or more (longest sent: {last})"
        return with_values(factor, f"{first} to {last}")


@family("range", rank=1)
def fit_range(factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit | None:
    """The one range that contains all losing values."""
    fit = fit_range_around(factor, losing, answers)
    outside = any(lost and not fit.values.holds(value) for value, lost in answers.items())
    return None if outside else fit


def fit_range_around(factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit:
    """The range around a losing value, up to the next values that pass; others may lose beyond those."""
    place = factor.index(losing)
    places = {factor.index(value): lost for value, lost in answers.items()}
    below = max((p for p, lost in places.items() if not lost and p < place), default=-1)
    above = min((p for p, lost in places.items() if not lost and p > place), default=len(factor.values))
    inside = [p for p, lost in places.items() if lost and below < p < above] + [place]
    first, last = min(inside), max(inside)
    questions = [*spread(below + 1, first - 1, _AT_ONCE), *spread(last + 1, above - 1, _AT_ONCE)]
    values = factor.values
    return Fit(ValueRange(values[first], values[last]), tuple(values[place] for place in questions))
