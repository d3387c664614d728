# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Times in which the process of a fake switch had no CPU, told apart from times in which it was busy."""

from __future__ import annotations

import time
from collections.abc import Callable

_TICK_NS = 1_000_000  # the process sleeps up to this long by itself; shorter pauses are not counted


class CpuPauses:
    """Pauses between two looks: the time that passed, less the CPU time that the process used.

    A process that has more to do than it can do uses CPU time, so overload is no pause.

    Args:
        now_ns: The clock by which frames are due.
        cpu_ns: The CPU time of the process.
    """

    def __init__(
        self,
        now_ns: Callable[[], int] = time.monotonic_ns,
        cpu_ns: Callable[[], int] = time.process_time_ns,
    ) -> None:
        self._now_ns, self._cpu_ns = now_ns, cpu_ns
        self._seen_ns, self._used_ns = now_ns(), cpu_ns()
        self._worst_ns = 0

    def look(self) -> None:
        """Measures the pause since the last look."""
        seen_ns, used_ns = self._now_ns(), self._cpu_ns()
        pause_ns = seen_ns - self._seen_ns - (used_ns - self._used_ns) - _TICK_NS
        self._worst_ns = max(self._worst_ns, pause_ns)
        self._seen_ns, self._used_ns = seen_ns, used_ns

    def take_worst_ns(self) -> int:
        """The longest pause since the last call, in nanoseconds; 0: none was longer than a millisecond."""
        self.look()
        worst_ns, self._worst_ns = self._worst_ns, 0
        return worst_ns
