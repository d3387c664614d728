# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters as they were a while ago, from which rates of now follow."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from fractions import Fraction

Counts = tuple[int, ...]
_LEAST_NS = 10**9  # over which a rate is averaged, where there are so many counters
_MOST_NS = 10 * 10**9
_FRAMES = 3  # that fall into the time over which a slow rate is averaged
_APART_NS = 50 * 10**6  # readings closer than this are not kept


class History:
    """Readings of counters of many things, by their keys."""

    def __init__(self) -> None:
        self._readings: deque[tuple[int, Mapping[Hashable, Counts]]] = deque()

    def note(self, now_ns: int, counts: Mapping[Hashable, Counts]) -> None:
        """Adds a reading. Counters that went back since are forgotten by `restart`."""
        if self._readings and now_ns - self._readings[-1][0] < _APART_NS:
            return
        self._readings.append((now_ns, counts))
        while len(self._readings) > 2 and now_ns - self._readings[1][0] > _MOST_NS:
            self._readings.popleft()

    def restart(self, now_ns: int, counts: Mapping[Hashable, Counts]) -> None:
        """Counters have begun anew."""
        self._readings.clear()
        self._readings.append((now_ns, counts))

    def rates(self, key: Hashable, now_ns: int, counts: Counts, expected: Fraction) -> tuple[float, ...]:
        """What a thing has counted each second lately; `expected` is how many frames a second it may have.

        A stream of one frame a second has a rate, too, whenever it is asked for: the time grows with the gap.
        """
        asked_ns = _LEAST_NS if not expected else max(_LEAST_NS, round(_FRAMES * 10**9 / expected))
        asked_ns = min(asked_ns, _MOST_NS)
        zero = tuple(0 for _ in counts)
        if not self._readings:
            return tuple(0.0 for _ in counts)
        then_ns, known = next(
            (reading for reading in reversed(self._readings) if now_ns - reading[0] >= asked_ns),
            self._readings[0],
        )
        gained = [now - then for now, then in zip(counts, known.get(key, zero), strict=True)]
        elapsed_ns = Fraction(now_ns - then_ns)
        if expected and elapsed_ns < asked_ns:  # a frame or two so far, the first one at once
            elapsed_ns = max(elapsed_ns, gained[0] * 10**9 / expected)
        if elapsed_ns <= 0:
            return tuple(0.0 for _ in counts)
        return tuple(float(more * 10**9 / elapsed_ns) for more in gained)
