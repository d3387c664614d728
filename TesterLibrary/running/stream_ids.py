# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of streams: each is in the signature of its frames, and no two that are loaded share one."""

from __future__ import annotations

from collections.abc import Collection

from ..errors import PlanError

LARGEST = 0xFFFF


class StreamIds:
    """Gives out ranges of ids in turn, so that frames of earlier jobs which arrive late are foreign."""

    def __init__(self) -> None:
        self._next = 1

    def take(self, count: int, taken: Collection[range]) -> int:
        """The first one of so many ids in a row, none of which is in a range that is taken.

        Raises:
            PlanError: there are not so many free ids in a row.
        """
        for start in (self._next, 1):
            first = self._free(count, start, taken)
            if first is not None:
                self._next = first + count
                return first
        raise PlanError(
            f"{count:,} streams need as many ids in a row of 1 to {LARGEST:,}, and "
            f"{sum(map(len, taken)):,} ids are taken by what is loaded; stop some traffic first"
        )

    @staticmethod
    def _free(count: int, start: int, taken: Collection[range]) -> int | None:
        candidates = sorted({start, *(used.stop for used in taken if used.stop > start)})
        for first in candidates:
            last = first + count - 1
            if last <= LARGEST and all(last < used.start or first >= used.stop for used in taken):
                return first
        return None
