# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames in which some bits of a field have certain values: a DSCP, an odd port, one half of a hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ..traffic import Factor
from .condition import Fit, family

_MOST_OPEN = 4  # bits that cannot be asked one by one


@dataclass(frozen=True)
class ValueBits:
    """Values that have, in the bits of `mask`, those of `bits`."""

    mask: int
    bits: int

    def holds(self, value: int) -> bool:
        """See ValueSet."""
        return value & self.mask == self.bits

    def text(self, factor: Factor) -> str:
        """See ValueSet."""
        digits = (factor.values[-1].bit_length() + 3) // 4
        return f"with {factor.name} & 0x{self.mask:0{digits}x} = 0x{self.bits:0{digits}x}"


@family("bits", rank=3)
def fit_bits(factor: Factor, losing: int, answers: Mapping[int, bool]) -> Fit | None:
    """The bits without which a losing value passes."""
    width = factor.values[-1].bit_length()
    flips = {1 << bit: losing ^ 1 << bit for bit in range(width)}
    questions = tuple(v for v in flips.values() if v in factor and v not in answers)
    mask = sum(bit for bit, value in flips.items() if answers.get(value) is False)
    unknown = [bit for bit, value in flips.items() if value not in answers]
    if len(unknown) > _MOST_OPEN:
        return Fit(ValueBits(mask, losing & mask), questions) if questions else None
    for count in range(len(unknown) + 1):
        for bits in combinations(unknown, count):
            values = ValueBits(mask | sum(bits), losing & (mask | sum(bits)))
            if all(values.holds(value) == lost for value, lost in answers.items()):
                return Fit(values, questions)
    return Fit(ValueBits(mask, losing & mask), questions) if questions else None
