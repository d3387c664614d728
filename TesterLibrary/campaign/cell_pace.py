# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the cells of a campaign take, and how long the rest will."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping

from .execution import minutes

_SLOWEST, _FASTEST = 5.0, 0.2  # than the profile expects; beyond, something else is wrong


class Pace:
    """The expected times of cells, corrected by how long the finished ones really took."""

    def __init__(self, expected: Mapping[str, float], clock: Callable[[], float] = time.monotonic) -> None:
        """`expected`: seconds by cell; 0 where nobody knows."""
        self._expected, self._clock = expected, clock
        self._begun: dict[str, float] = {}
        self._took: dict[str, float] = {}

    def begin(self, cell: str) -> None:
        """A cell begins."""
        self._begun[cell] = self._clock()

    def end(self, cell: str) -> None:
        """A cell is over, for now at least."""
        self._took[cell] = self._clock() - self._begun[cell]

    def took(self, cell: str) -> float:
        """Seconds of its last attempt."""
        return self._took[cell]

    def expected(self, cell: str) -> float:
        """Seconds that a cell takes by the profile; 0 if it does not say."""
        return self._expected[cell]

    def left(self, waiting: Collection[str], running: Collection[str]) -> str:
        """How long the rest takes at the parallelism of now; empty where nobody knows or nothing is left."""
        rest = [self._corrected(cell) for cell in waiting]
        now = self._clock()
        rest += [max(0.0, self._corrected(cell) - (now - self._begun[cell])) for cell in running]
        if not rest or not all(self._corrected(cell) for cell in (*waiting, *running)):
            return ""
        return minutes(sum(rest) / max(1, len(running)))

    def _corrected(self, cell: str) -> float:
        known = [name for name in self._took if self._expected[name]]
        expected = sum(self._expected[name] for name in known)
        if self._expected[cell]:
            took = sum(self._took[name] for name in known)
            return self._expected[cell] * (min(max(took / expected, _FASTEST), _SLOWEST) if expected else 1.0)
        return sum(self._took.values()) / len(self._took) if self._took else 0.0
