# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The times at which frames of a planned stream are due. Mirrors `Departures` of `plan.proto`.

Times are nanoseconds after the first frame could be due, numbers of frames count from 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Protocol

from ..capture_totals import CaptureTotals
from ..pattern import Stage

_SHOWN = 2  # stretches of a profile that are told one by one


class Law(Protocol):
    """The times when frames are due. An average rate is frames each nanosecond; 0 where it is not known."""

    @property
    def rate(self) -> Fraction:
        """The average over its period."""

    @property
    def total(self) -> int | None:
        """Frames after which it is over; None if it goes on for ever."""

    def due(self, number: int) -> Fraction:
        """The time at which a frame is due. IndexError for one at or beyond `total`."""

    def count(self, elapsed_ns: int) -> int:
        """Frames due in [0, elapsed)."""


@dataclass(frozen=True)
class Steady:
    """The ticks of a constant rate that survive a cascade of stages (norma §5.2)."""

    tick: Fraction
    stages: tuple[Stage, ...] = ()

    total = None

    def __str__(self) -> str:
        frames = f"{self.tick.numerator:,} frames in {self.tick.denominator:,} ns"
        return ", then ".join([frames, *map(str, self.stages)])

    @cached_property
    def rate(self) -> Fraction:
        """See Law."""
        return self.tick * prod((stage.ratio for stage in self.stages), start=Fraction(1))

    def due(self, number: int) -> Fraction:
        """See Law."""
        for stage in reversed(self.stages):
            number = stage.tick(number)
        return number / self.tick

    def count(self, elapsed_ns: int) -> int:
        """See Law."""
        ticks = max(0, -(-elapsed_ns * self.tick.numerator // self.tick.denominator))
        for stage in self.stages:
            ticks = stage.passed(ticks)
        return ticks


@dataclass(frozen=True)
class Stretch:
    """A while of constant rate: `packets` evenly spaced, the first one at its begin."""

    duration_ns: int
    packets: int


@dataclass(frozen=True)
class Profile:
    """A rate that changes with time, once or again and again."""

    stretches: tuple[Stretch, ...]
    repeat: bool = True
    shape: str = ""  # as its author calls it

    def __str__(self) -> str:
        frames, time, stretches = self._before[-1], self._begins_ns[-1], self.stretches
        text = f"{frames:,} frames in {time:,} ns, in {len(stretches):,} stretches of constant rate"
        if len(stretches) <= _SHOWN:
            text = ", then ".join(f"{each.packets:,} frames in {each.duration_ns:,} ns" for each in stretches)
        return text if self.repeat else f"{text}, once"

    @cached_property
    def _begins_ns(self) -> list[int]:
        return list(accumulate((stretch.duration_ns for stretch in self.stretches), initial=0))

    @cached_property
    def _before(self) -> list[int]:
        return list(accumulate((stretch.packets for stretch in self.stretches), initial=0))

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return Fraction(self._before[-1], self._begins_ns[-1])

    @property
    def total(self) -> int | None:
        """See Law."""
        return None if self.repeat else self._before[-1]

    def due(self, number: int) -> Fraction:
        """See Law."""
        rounds, number = _round(number, self._before[-1], self.repeat)
        index = bisect_right(self._before, number) - 1
        stretch = self.stretches[index]
        within = Fraction((number - self._before[index]) * stretch.duration_ns, stretch.packets)
        return rounds * self._begins_ns[-1] + self._begins_ns[index] + within

    def count(self, elapsed_ns: int) -> int:
        """See Law."""
        if elapsed_ns <= 0:
            return 0
        rounds, rest = divmod(elapsed_ns, self._begins_ns[-1])
        if rounds and not self.repeat:
            return self._before[-1]
        index = bisect_right(self._begins_ns, rest) - 1
        stretch = self.stretches[index]
        within = -(-(rest - self._begins_ns[index]) * stretch.packets // stretch.duration_ns)
        return rounds * self._before[-1] + self._before[index] + within


@dataclass(frozen=True)
class ScriptMessage:
    """Frames `gap_ns` apart, the first one `pause_ns` after the last one of the message before."""

    pause_ns: int
    packets: int
    gap_ns: int
    frame: int = 0  # index in the stream's frames


@dataclass(frozen=True)
class Script:
    """Messages one after the other (formullar §3.2), once or again and again."""

    messages: tuple[ScriptMessage, ...]
    repeat: bool = True

    def __str__(self) -> str:
        frames, time = self._before[-1], self._firsts_ns[-1]
        text = f"{frames:,} frames in {time:,} ns, in {len(self.messages):,} messages"
        return text if self.repeat else f"{text}, once"

    @cached_property
    def _firsts_ns(self) -> list[int]:
        """Times at which the first frame of each message is due, and the very last frame."""
        times, now = [], 0
        for message in self.messages:
            now += message.pause_ns
            times.append(now)
            now += (message.packets - 1) * message.gap_ns
        return [*times, now]

    @cached_property
    def _before(self) -> list[int]:
        return list(accumulate((message.packets for message in self.messages), initial=0))

    @property
    def rate(self) -> Fraction:
        """See Law."""
        if not self.repeat and (between_ns := self._firsts_ns[-1] - self._firsts_ns[0]):
            return Fraction(self._before[-1] - 1, between_ns)
        return Fraction(self._before[-1], max(1, self._firsts_ns[-1]))

    @property
    def total(self) -> int | None:
        """See Law."""
        return None if self.repeat else self._before[-1]

    def due(self, number: int) -> Fraction:
        """See Law."""
        rounds, number = _round(number, self._before[-1], self.repeat)
        index = bisect_right(self._before, number) - 1
        within = (number - self._before[index]) * self.messages[index].gap_ns
        return Fraction(rounds * self._firsts_ns[-1] + self._firsts_ns[index] + within)

    def count(self, elapsed_ns: int) -> int:
        """See Law."""
        if elapsed_ns <= 0:
            return 0
        period = max(1, self._firsts_ns[-1])
        rounds = (elapsed_ns - 1) // period  # the last frame is due at the end of its round, not before
        if rounds and not self.repeat:
            return self._before[-1]
        rest = elapsed_ns - rounds * period
        index = bisect_left(self._firsts_ns, rest, hi=len(self.messages)) - 1
        if index < 0:
            return rounds * self._before[-1]
        message = self.messages[index]
        within = message.packets
        if message.gap_ns:
            within = min(within, (rest - 1 - self._firsts_ns[index]) // message.gap_ns + 1)
        return rounds * self._before[-1] + self._before[index] + within


@dataclass(frozen=True)
class Rewrite:
    """An address that takes another's place; no `old` one stands for every destination MAC address."""

    old: bytes
    new: bytes


@dataclass(frozen=True)
class Replay:
    """The frames of a capture file on the machine of the tester, which alone knows how many there are.

    Their gaps are those of the file times `scale`, or all 1 / `fixed`.
    """

    path: str
    scale: float | None = 1.0
    fixed: Fraction | None = None
    repetitions: int = 1  # 0: for ever
    rewrites: tuple[Rewrite, ...] = ()
    totals: CaptureTotals | None = None  # of the file; None: only the tester can read it

    total = None

    def __str__(self) -> str:
        gaps = f"{self.fixed.numerator:,} frames in {self.fixed.denominator:,} ns" if self.fixed else ""
        times = f"{self.repetitions:,} times" if self.repetitions else "for ever"
        return f"{self.path} {times}, {gaps or f'gaps as captured x {self.scale:g}'}"

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return self.fixed or Fraction(0)

    def due(self, number: int) -> Fraction:
        """See Law. LookupError where the times are those of the file."""
        if not self.fixed:
            raise LookupError(f"when frames are due is in {self.path}, which the tester reads")
        return number / self.fixed

    def span_ns(self, packets: int) -> Fraction | None:
        """The time from the first to the last of so many frames, as they are due; None where nobody knows."""
        if self.fixed:
            return (packets - 1) / self.fixed
        return self.totals.span_ns(packets, self.scale or 1) if self.totals else None

    def count(self, elapsed_ns: int) -> int:
        """See Law; too many if the file ends before."""
        if not self.fixed:
            raise LookupError(f"when frames are due is in {self.path}, which the tester reads")
        return Steady(self.fixed).count(elapsed_ns)


@dataclass(frozen=True)
class Departures:
    """A law, and when it begins: so many nanoseconds after the start of its stream."""

    law: Law
    offset_ns: int = 0
    phase_ns: Fraction = Fraction(0)  # of `offset_ns`, not rounded: it leaves after others of its port
    spread: int = 0  # streams, if the phase only keeps so many apart, and a target may round it

    def __str__(self) -> str:
        if isinstance(self.law, Steady):  # its rate is said beside it
            return ", ".join(["evenly spaced", *map(str, self.law.stages)])
        return str(self.law)

    @property
    def rate(self) -> Fraction:
        """The average, in frames each nanosecond; 0 where only the tester knows it."""
        return self.law.rate

    @property
    def total(self) -> int | None:
        """Frames after which the stream is over; None if it goes on."""
        return self.law.total

    @property
    def endless(self) -> bool:
        """Whether it goes on until somebody stops it."""
        finite = isinstance(self.law, Replay) and self.law.repetitions > 0
        return self.law.total is None and not finite

    def due(self, number: int) -> Fraction:
        """The time at which a frame is due, in nanoseconds after the start."""
        return self.offset_ns + self.law.due(number)

    def count(self, elapsed_ns: int) -> int:
        """Frames due in [0, elapsed) after the start."""
        return self.law.count(elapsed_ns - self.offset_ns)


def even(rate: Fraction) -> Departures:
    """Frames evenly spaced, the first one at once."""
    return Departures(Steady(rate))


def _round(number: int, period: int, repeat: bool) -> tuple[int, int]:
    """The round that a frame is in, and its number there."""
    if not 0 <= number < (period if not repeat else number + 1):
        raise IndexError(f"there is no frame {number}; the last one is {period - 1}")
    return divmod(number, period)
