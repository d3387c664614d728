# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames with one of some values, of a field with few of them: two servers of eight, three priorities.

Nothing is concluded about values that were not asked, so all of them are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..traffic import Factor
from .condition import Fit, family, with_values

_MOST = 64  # values of the field, which are asked one by one


@dataclass(frozen=True)
class ValueList:
    """Each of these values."""

    values: tuple[int, ...]

    def holds(self, value: int) -> bool:
        """See ValueSet."""
        return value in self.values

    def text(self, factor: Factor) -> str:
        """See ValueSet."""
        return with_values(factor, ", ".join(map(factor.write, self.values)))


@family("list", rank=4)
def fit_list(factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit | None:  # noqa: ARG001
    """All losing values, once each value was asked."""
    if len(factor.values) > _MOST:
        return None
    questions = tuple(value for value in factor.values if value not in answers)
    return Fit(ValueList(tuple(sorted(value for value, lost in answers.items() if lost))), questions)
