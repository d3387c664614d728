# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sets of numbers of a fixed width: intervals of numbers in which some bits are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Interval = tuple[int, int]  # both ends inclusive


@dataclass(frozen=True)
class MaskedNumbers:
    """Numbers of `bits` bits in one of the intervals, whose bits under `mask` are those of `value`."""

    bits: int
    intervals: tuple[Interval, ...]
    mask: int = 0
    value: int = 0

    @classmethod
    def all(cls, bits: int) -> MaskedNumbers:
        """Every number."""
        return cls(bits, ((0, (1 << bits) - 1),))

    @classmethod
    def between(cls, bits: int, first: int, last: int) -> MaskedNumbers:
        """The numbers from first to last; none if last is less than first."""
        top = (1 << bits) - 1
        first, last = max(first, 0), min(last, top)
        return cls(bits, ((first, last),) if first <= last else ())

    @classmethod
    def masked(cls, bits: int, mask: int, value: int) -> MaskedNumbers:
        """The numbers whose bits under `mask` are those of `value`."""
        return cls(bits, ((0, (1 << bits) - 1),), mask, value & mask)

    def __and__(self, other: MaskedNumbers) -> MaskedNumbers:
        """The numbers that are in both sets."""
        shared = self.mask & other.mask
        if (self.value ^ other.value) & shared:
            return MaskedNumbers(self.bits, ())
        intervals = tuple(
            (max(a, c), min(b, d))
            for a, b in self.intervals
            for c, d in other.intervals
            if max(a, c) <= min(b, d)
        )
        return MaskedNumbers(self.bits, intervals, self.mask | other.mask, self.value | other.value)

    def smallest(self) -> int | None:
        """The smallest number; None if the set is empty."""
        for first, last in self.intervals:
            found = self._from(first)
            if found is not None and found <= last:
                return found
        return None

    def each(self) -> Iterator[int]:
        """The numbers one by one, in their order."""
        rest = self
        while (number := rest.smallest()) is not None:
            yield number
            rest &= MaskedNumbers.between(self.bits, number + 1, (1 << self.bits) - 1)

    @property
    def count(self) -> int:
        """How many numbers there are."""
        if self.mask:
            return sum(1 for _ in self.each())
        return sum(last - first + 1 for first, last in self.intervals)

    def _from(self, least: int) -> int | None:
        """The smallest number >= least with the fixed bits."""
        if least & self.mask == self.value:
            return least
        # The result equals `least` above some bit, has 1 there where `least` has 0, and is minimal below it.
        for bit in range(self.bits):
            one = 1 << bit
            free = not self.mask & one or self.value & one
            above = ~((one << 1) - 1)
            if not least & one and free and (least & self.mask & above) == self.value & above:
                return least & above | one | self.value & (one - 1)
        return None

    def within(self, other: MaskedNumbers) -> bool:
        """Whether all numbers of this set are in the other one."""
        for bit in (1 << number for number in range(self.bits)):
            opposite = MaskedNumbers.masked(self.bits, bit, ~other.value)
            if other.mask & bit and (self & opposite).smallest() is not None:
                return False
        outside = MaskedNumbers(self.bits, tuple(complement(other.intervals, self.bits)))
        return (self & outside).smallest() is None

    def shifted(self, by: int) -> MaskedNumbers:
        """Each number plus `by`, modulo 2^bits; only for sets without fixed bits."""
        size = 1 << self.bits
        moved: list[Interval] = []
        for first, last in self.intervals:
            length, start = last - first, (first + by) % size
            if start + length < size:
                moved.append((start, start + length))
            else:
                moved += [(start, size - 1), (0, start + length - size)]
        return MaskedNumbers(self.bits, tuple(sorted(moved)))


def complement(intervals: Iterable[Interval], bits: int) -> Iterator[Interval]:
    """The intervals of the numbers that are in none of these intervals."""
    start = 0
    for first, last in sorted(intervals):
        if first > start:
            yield start, first - 1
        start = max(start, last + 1)
    if start < 1 << bits:
        yield start, (1 << bits) - 1
