# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The clock by which a tester is waited for: that of this machine, or that of a simulated tester."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ..model.units.units import Duration
from ..targets.parts import TargetClock

T = TypeVar("T")
POLL_S = 0.02  # between two readings of a tester


@dataclass(frozen=True)
class Clock:
    """Reads the time and waits. By default it is the clock of this machine, which never goes back."""

    sleep: Callable[[float], None] = time.sleep  # seconds
    now_ns: Callable[[], int] = time.monotonic_ns

    @classmethod
    def of(cls, tester: TargetClock) -> Clock:
        """The clock of a tester whose time is virtual: a sleep returns at once, and its time has passed."""

        def sleep(seconds: float) -> None:
            tester.advance(Duration(round(seconds * 10**9)))

        return cls(sleep, lambda: tester.now_ns)

    def pause(self, duration: Duration) -> None:
        """Waits for a time, which may be 0."""
        if duration.ns:
            self.sleep(duration.seconds)

    def readings(
        self, read: Callable[[], T], *, within: Duration | None = None, every: float = POLL_S
    ) -> Iterator[T]:
        """Reads now, and again after each pause of `every` seconds; the last time when `within` is over."""
        ends_ns = None if within is None else self.now_ns() + within.ns
        while True:
            yield read()
            if ends_ns is not None and self.now_ns() >= ends_ns:
                return
            self.sleep(every)

    def reading(
        self,
        read: Callable[[], T],
        holds: Callable[[T], object],
        *,
        within: Duration | None = None,
        every: float = POLL_S,
    ) -> T:
        """The first reading for which `holds` is true; the last one if `within` is over before."""
        for value in self.readings(read, within=within, every=every):
            if holds(value):
                break
        return value

    def until(
        self, holds: Callable[[], object], *, within: Duration | None = None, every: float = POLL_S
    ) -> bool:
        """Waits until something holds. False if `within` is over before."""
        return bool(self.reading(holds, bool, within=within, every=every))
