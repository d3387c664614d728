# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A set of numbers of some bits: intervals, of which some bits are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Interval = tuple[int, int]  # both ends inclusive


@dataclass(frozen=True)
class Values:
    """Numbers of `bits` bits in one of the intervals, whose bits under `mask` are those of `value`."""

    bits: int
    intervals: tuple[Interval, ...]
    mask: int = 0
    value: int = 0

    @classmethod
    def all(cls, bits: int) -> Values:
        """Every number."""
        return cls(bits, ((0, (1 << bits) - 1),))

    @classmethod
    def between(cls, bits: int, first: int, last: int) -> Values:
        """From first to last; none if that is the wrong way round."""
        top = (1 << bits) - 1
        first, last = max(first, 0), min(last, top)
        return cls(bits, ((first, last),) if first <= last else ())

    @classmethod
    def masked(cls, bits: int, mask: int, value: int) -> Values:
        """With these bits."""
        return cls(bits, ((0, (1 << bits) - 1),), mask, value & mask)

    def __and__(self, other: Values) -> Values:
        """In both."""
        shared = self.mask & other.mask
        if (self.value ^ other.value) & shared:
            return Values(self.bits, ())
        intervals = tuple(
            (max(a, c), min(b, d))
            for a, b in self.intervals
            for c, d in other.intervals
            if max(a, c) <= min(b, d)
        )
        return Values(self.bits, intervals, self.mask | other.mask, self.value | other.value)

    def smallest(self) -> int | None:
        """None if it is empty."""
        for first, last in self.intervals:
            found = self._from(first)
            if found is not None and found <= last:
                return found
        return None

    def _from(self, least: int) -> int | None:
        """The smallest number >= least with the fixed bits."""
        if least & self.mask == self.value:
            return least
        # It agrees with `least` above some bit, is 1 there where `least` is 0, and as small as can be below.
        for bit in range(self.bits):
            one = 1 << bit
            free = not self.mask & one or self.value & one
            above = ~((one << 1) - 1)
            if not least & one and free and (least & self.mask & above) == self.value & above:
                return least & above | one | self.value & (one - 1)
        return None

    def within(self, other: Values) -> bool:
        """Whether all of these are in the other."""
        for bit in (1 << number for number in range(self.bits)):
            opposite = Values.masked(self.bits, bit, ~other.value)
            if other.mask & bit and (self & opposite).smallest() is not None:
                return False
        outside = Values(self.bits, tuple(complement(other.intervals, self.bits)))
        return (self & outside).smallest() is None

    def shifted(self, by: int) -> Values:
        """Each number plus `by`, modulo 2^bits; only of what has no fixed bits."""
        size = 1 << self.bits
        moved: list[Interval] = []
        for first, last in self.intervals:
            length, start = last - first, (first + by) % size
            if start + length < size:
                moved.append((start, start + length))
            else:
                moved += [(start, size - 1), (0, start + length - size)]
        return Values(self.bits, tuple(sorted(moved)))


def complement(intervals: Iterable[Interval], bits: int) -> Iterator[Interval]:
    """What is between them."""
    start = 0
    for first, last in sorted(intervals):
        if first > start:
            yield start, first - 1
        start = max(start, last + 1)
    if start < 1 << bits:
        yield start, (1 << bits) - 1
