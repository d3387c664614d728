# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters as they were a while ago, from which rates of now follow."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from ...measurement.snapshot import PortCounters

Counts = tuple[int, int, int, int]  # frames sent and received, bytes sent and received
Rates = tuple[float, float, float, float]  # each second, of the same
_Reading = tuple[int, Mapping[Hashable, Counts]]
_LEAST_NS = 10**9  # over which a rate is averaged, where there are so many counters
_MOST_NS = 10 * 10**9
_NOTHING: Counts = (0, 0, 0, 0)
_STILL: Rates = (0.0, 0.0, 0.0, 0.0)
_FRAMES = 3  # that fall into the time over which a slow rate is averaged
_APART_NS = 50 * 10**6  # readings closer than this are not kept


class History:
    """Readings of counters of many things, by their keys."""

    def __init__(self) -> None:
        self._readings: deque[_Reading] = deque()
        # What was asked for since the last change: thousands of counters ask for the same.
        self._found: dict[tuple[int, float], tuple[int, _Reading]] = {}

    def note(self, now_ns: int, counts: Mapping[Hashable, Counts]) -> None:
        """Adds a reading. Counters that went back since are forgotten by `restart`."""
        self._found.clear()
        if self._readings and now_ns - self._readings[-1][0] < _APART_NS:
            return
        self._readings.append((now_ns, counts))
        while len(self._readings) > 2 and now_ns - self._readings[1][0] > _MOST_NS:
            self._readings.popleft()

    def restart(self, now_ns: int, counts: Mapping[Hashable, Counts]) -> None:
        """Counters have begun anew."""
        self._found.clear()
        self._readings.clear()
        self._readings.append((now_ns, counts))

    def rates(self, key: Hashable, now_ns: int, counts: Counts, expected: float) -> Rates:
        """The rate that a counter had lately; `expected` is the frames each second that it may have.

        A stream of one frame a second has a rate, too, whenever it is asked for: the time grows with the gap.
        """
        if not self._readings:
            return _STILL
        found = self._found.get((now_ns, expected))
        if found is None:
            found = self._found[now_ns, expected] = self._reading(now_ns, expected)
        asked_ns, (then_ns, known) = found
        frames_tx, frames_rx, bytes_tx, bytes_rx = counts
        before = known.get(key, _NOTHING)
        frames_tx -= before[0]
        elapsed_ns = float(now_ns - then_ns)
        if expected and elapsed_ns < asked_ns:  # a frame or two so far, the first one at once
            elapsed_ns = max(elapsed_ns, frames_tx * 1e9 / expected)
        if elapsed_ns <= 0:
            return _STILL
        scale = 1e9 / elapsed_ns
        return (
            frames_tx * scale,
            (frames_rx - before[1]) * scale,
            (bytes_tx - before[2]) * scale,
            (bytes_rx - before[3]) * scale,
        )

    def _reading(self, now_ns: int, expected: float) -> tuple[int, _Reading]:
        """The time over which a rate is averaged, and the newest reading that is so old, or the oldest."""
        asked_ns = min(_MOST_NS, max(_LEAST_NS, round(_FRAMES * 1e9 / expected)) if expected else _LEAST_NS)
        old = (reading for reading in reversed(self._readings) if now_ns - reading[0] >= asked_ns)
        return asked_ns, next(old, self._readings[0])


def port_counts(port: PortCounters) -> Counts:
    """Frames and bytes of a port, sent and received."""
    return port.tx_packets, port.rx_packets, port.tx_bytes, port.rx_bytes
