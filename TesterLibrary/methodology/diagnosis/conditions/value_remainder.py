# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames whose size or field has a certain remainder: each size that is 1 modulo 4, each third address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..traffic import Factor
from .condition import Fit, family

_MOST = 32  # the greatest divisor
_AROUND = 40  # values around a losing one that are asked


@dataclass(frozen=True)
class ValueRemainder:
    """Values that leave `remainder` when they are divided by `divisor`."""

    divisor: int
    remainder: int

    def holds(self, value: int) -> bool:
        """See ValueSet."""
        return value % self.divisor == self.remainder

    def text(self, factor: Factor) -> str:
        """See ValueSet."""
        return f"with {factor.name} {self.remainder} modulo {self.divisor}"


@family("remainder", rank=2)
def fit_remainder(factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit | None:
    """The smallest divisor that agrees with all answers."""
    place, last = factor.index(losing), len(factor.values) - 1
    around = factor.values[max(0, place - _AROUND // 2) : min(last, place + _AROUND // 2) + 1]
    questions = tuple(value for value in around if value not in answers)
    for divisor in range(2, _MOST + 1):
        values = ValueRemainder(divisor, losing % divisor)
        if all(values.holds(value) == lost for value, lost in answers.items()):
            return Fit(values, questions)
    return None
