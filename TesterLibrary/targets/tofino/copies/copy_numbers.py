# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of copies that have come, and of those that were lost on their way."""

from __future__ import annotations

_WORD, _HALF_WORD = 1 << 32, 1 << 31
_MOST_AHEAD = 1 << 16  # copies that may overtake one; then it is lost


class CopyNumbers:
    """The copies of a series from one number on. Numbers are modulo 2^32 in the switch, and go on here.

    Copies that have not come are missing; those that will not be waited for any more are lost.

    Args:
        first: The number of the first copy.
    """

    def __init__(self, first: int) -> None:
        self._first = self._next = self._end = first
        self._ahead: set[int] = set()  # that have come, although one before them has not
        self.lost = 0

    @property
    def due(self) -> int:
        """Copies that are known to be due."""
        return max(self._next, self._end) - self._first

    def came(self, number: int) -> bool:
        """Notes a copy. Whether it is one of these; one that comes when it is given up is not."""
        copy = self._whole(number)
        if copy < self._next or copy in self._ahead:
            return False
        self._end = max(self._end, copy + 1)
        self._ahead.add(copy)
        self._go_on()
        if len(self._ahead) > _MOST_AHEAD:
            self._settle(self._end - _MOST_AHEAD // 2)
        return True

    def missing(self, end: int) -> int:
        """Copies with numbers below `end`, modulo 2^32, that have not come."""
        return self._missing(self._whole(end))

    def settle(self, end: int | None = None) -> None:
        """Gives up those that are missing below `end`, modulo 2^32; or below the last one that has come."""
        self._settle(self._end if end is None else self._whole(end))

    def _settle(self, end: int) -> None:
        if end > self._next:
            self.lost += self._missing(end)
            self._next = end
            self._ahead = {copy for copy in self._ahead if copy >= end}
            self._go_on()

    def _missing(self, end: int) -> int:
        return max(0, end - self._next - sum(copy < end for copy in self._ahead))

    def _go_on(self) -> None:
        while self._next in self._ahead:
            self._ahead.remove(self._next)
            self._next += 1

    def _whole(self, number: int) -> int:
        """A number beyond 2^32, near the last one that has come."""
        near = max(self._next, self._end)
        return near + (number - near + _HALF_WORD) % _WORD - _HALF_WORD
