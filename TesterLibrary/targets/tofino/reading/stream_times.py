# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The times of a stream's frames, on the driver's clock.

A switch's times have 32 bits and are from its own clock. They are converted to the driver's clock: the first
frame of a stream left when its run was started, or later by the stream's delay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..entries.outages import LongestOutage
from .stream_readings import Closed, PassedFrames, StreamRegisters, below, unwrapped

_WORD = 1 << 32
_LONGEST_NS = 4 * 10**9  # the longest interval whose sums are right
_READING_NS = 10**9 // 2  # within which registers are read


@dataclass(frozen=True)
class _Seen:
    """The frames of a stream in one direction that were read so far. Times are of the driver's clock."""

    packets: int = 0
    first_ns: int = 0
    last_ns: int = 0
    none_ns: int = 0  # until then there was none


@dataclass
class SwitchClock:
    """The switch's clock since a run was started: a time of it, and the driver's time then."""

    base: int | None = None
    at_ns: int = 0

    def unwrapped(self, time: int, at_ns: int) -> int:
        """A 32-bit time at about a time of the driver, so that times of all streams of the run compare."""
        if self.base is None:
            self.base, self.at_ns = time, at_ns
        expected = self.base + at_ns - self.at_ns
        return expected + (time - expected + _WORD // 2) % _WORD - _WORD // 2


@dataclass
class StreamTimes:
    """The times of a stream since its first frame."""

    started_ns: int
    opened_ns: tuple[int, int]  # for each version, when frames last began to leave in it
    until: Callable[[int], int]  # the latest time at which its last frame leaves, at most the one given
    clock: SwitchClock  # of all streams of its run
    version: int = 0  # the version in which frames leave now
    left_ns: int = 0  # when the last of the other one may have left
    base: int | None = None  # `started_ns` on the switch's clock, from some multiple of 2^32 on
    closed: tuple[Closed, Closed] = (Closed(), Closed())
    tx: _Seen = _Seen()
    rx: _Seen = _Seen()
    following: int = 0  # the number after the highest one that arrived, unwrapped beyond 32 bits
    before: int | None = 0  # the number behind the last ones that were skipped, likewise; None: not known
    before_low: int = 0  # its low 32 bits
    outage: LongestOutage = field(default_factory=LongestOutage)

    @property
    def near_ns(self) -> tuple[int, int]:
        """The start of each version's interval on the switch's clock."""
        first, second = ((self.base or 0) + opened - self.started_ns for opened in self.opened_ns)
        return first, second

    def open(self, version: int, done: Closed, now_ns: int) -> None:
        """Notes that frames leave in a version again, which has counted `done` before."""
        self.version = version
        self.closed = (done, self.closed[1]) if version == 0 else (self.closed[0], done)
        begins_ns = max(now_ns, self.started_ns)
        self.opened_ns = (begins_ns, self.opened_ns[1]) if version == 0 else (self.opened_ns[0], begins_ns)

    def wrapped(self, version: int, now_ns: int) -> bool:
        """Whether the interval of a version is too long for its sums."""
        return self._ended_ns(version, self.until(now_ns)) - self.opened_ns[version] >= _LONGEST_NS

    def _ended_ns(self, version: int, ends_ns: int) -> int:
        """The latest time of frames of a version; there are none after `ends_ns`."""
        return ends_ns if version == self.version else min(ends_ns, self.left_ns)

    def follow(self, registers: StreamRegisters) -> None:
        """Unwraps the numbers of 32 bits: while frames arrive, arrivals are close behind departures."""
        if sum(passed.packets for passed in registers.rx) == self.rx.packets:
            return
        previous, low = self.following, registers.outages.before
        self.following = unwrapped(registers.next_sequence, sum(passed.packets for passed in registers.tx))
        if low and self.following - previous > _WORD:
            self.before = None  # several numbers since then have these low bits
        elif low != self.before_low:
            self.before = below(low, self.following)
        self.before_low = low

    def note(self, found: StreamRegisters, now_ns: int) -> None:
        """Notes the registers that were read now."""
        firsts = [passed.times.base for passed in found.tx if passed.times.base]
        if self.base is None and firsts:
            self.base = self.clock.unwrapped(firsts[0], self.started_ns)
        if self.base is not None:
            done = self.closed
            self.tx = self._seen(self.tx, found.tx, [closed.tx for closed in done], self.until(now_ns))
            self.rx = self._seen(self.rx, found.rx, [closed.rx for closed in done], now_ns)

    def _seen(
        self, before: _Seen, passed: Sequence[PassedFrames], closed: Sequence[PassedFrames], ends_ns: int
    ) -> _Seen:
        packets = sum(frames.packets for frames in passed)
        if packets <= before.packets:
            return before if packets else replace(before, none_ns=ends_ns)
        counts = [frames.packets - done.packets for frames, done in zip(passed, closed, strict=True)]
        firsts = [self._after(frames.times.base, before.none_ns) for frames in passed if frames.times.base]
        lasts = [
            self._last(version, frames, count, ends_ns)
            for version, (frames, count) in enumerate(zip(passed, counts, strict=True))
            if frames.times.base and count
        ]
        first_ns = before.first_ns or min(firsts, default=ends_ns)
        return _Seen(packets, first_ns, max([before.last_ns, *lasts]))

    def _last(self, version: int, passed: PassedFrames, packets: int, ends_ns: int) -> int:
        """When the last frame of an interval came: as far behind the mean time as the first was before it.

        Sums are of 32-bit differences. For an interval too long for them it is the end of the interval, at
        most a poll late.
        """
        ended_ns = self._ended_ns(version, ends_ns)
        if ended_ns - self.opened_ns[version] >= _LONGEST_NS:
            return ended_ns
        base_ns = self._after(passed.times.base, self.opened_ns[version])
        return min(ends_ns, base_ns + 2 * passed.times.since // packets)

    def _after(self, time: int, none_ns: int) -> int:
        """The earliest time on the driver's clock that a 32-bit time can mean, of a frame after `none_ns`.

        It may be before that by the time that reading takes.
        """
        at_ns = self.started_ns + (time - (self.base or 0)) % _WORD
        return at_ns + max(0, none_ns - _READING_NS - at_ns + _WORD - 1) // _WORD * _WORD
