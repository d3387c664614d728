# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The times at which frames of a stream leave, as its author describes them.

A law is a shape around an average rate, which is the stream's: at another rate it is the same shape, faster
or slower. A law that is given in times or rates of its own has an `average`, which is the stream's rate
unless another one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import pairwise

from ..errors import PlanError
from .pattern import LineRateBursts, Pattern
from .units.units import Duration, FrameSize, Rate, RateUnit, Ratio

MOST_MESSAGES = 1 << 20  # limit of plan.proto, as the other ones here
MOST_POINTS = 1 << 16


class Shape(Enum):
    """The shape of a rate between low and high within a period."""

    RAMP = "ramp"  # up in a straight line, once
    SINE = "sine"  # begins low, is high in the middle
    SQUARE = "square"  # high first, for `duty` of the period
    STEP = "step"  # the same, once
    SAWTOOTH = "sawtooth"  # up in a straight line, then back at once
    FLASH_CROWD = "flash crowd"  # low, a steep rise, a hold, a slow decline


@dataclass(frozen=True)
class TimePattern:
    """A rate that changes with time, period after period; a ramp ends at its top, a step after its period."""

    shape: Shape
    high: Rate
    period: Duration
    low: Rate | None = None  # None: 0
    duty: Ratio = Ratio(Fraction(1, 2))  # SQUARE and STEP only
    rise: Ratio = Ratio(Fraction(1, 20))  # these of FLASH_CROWD only; parts of the period
    hold: Ratio = Ratio(Fraction(1, 5))
    fall: Ratio = Ratio(Fraction(1, 2))

    def __post_init__(self) -> None:
        if self.period.ns < 1:
            raise PlanError(f"period: {self.period} is too short; give more than 0")
        if self.low and self.low.unit is not self.high.unit:
            raise PlanError(f"low: {self.low} and high: {self.high} are of different units; give one")
        if self.low and self.low.value > self.high.value:
            raise PlanError(f"low: {self.low} is above high: {self.high}")
        if not 0 < self.duty.value < 1:
            raise PlanError(f"duty: {self.duty} is not between 0 and 100 %")
        if self.rise.value + self.hold.value + self.fall.value > 1:
            raise PlanError(
                f"rise: {self.rise}, hold: {self.hold} and fall: {self.fall} are more than the period"
            )

    @property
    def corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(part of the period, level from low = 0 to high = 1), straight lines between; not of a SINE."""
        zero, one = Fraction(0), Fraction(1)
        if self.shape in (Shape.SQUARE, Shape.STEP):
            duty = self.duty.value
            return (zero, one), (duty, one), (duty, zero), (one, zero)
        if self.shape is Shape.FLASH_CROWD:
            down = one - self.fall.value
            top = down - self.hold.value
            return (zero, zero), (top - self.rise.value, zero), (top, one), (down, one), (one, zero)
        return (zero, zero), (one, one)

    @property
    def mean_level(self) -> Fraction:
        """The average of the level over a period."""
        if self.shape is Shape.SINE:
            return Fraction(1, 2)
        return sum(((y - x) * (a + b) / 2 for (x, a), (y, b) in pairwise(self.corners)), Fraction(0))

    @property
    def average(self) -> Rate:
        """The average rate over a period."""
        low = self.low.value if self.low else Fraction(0)
        return Rate(low + (self.high.value - low) * self.mean_level, self.high.unit)


@dataclass(frozen=True)
class Poisson:
    """Independent, exponential gaps."""


@dataclass(frozen=True)
class UniformGaps:
    """Independent gaps, all equally likely from (1 - spread) to (1 + spread) times the mean."""

    spread: Ratio = Ratio(Fraction(1))


@dataclass(frozen=True)
class TalkSpurts:
    """Exponential on/off: talks at a constant rate for a random time, then is silent for one."""

    on: Duration  # on average
    off: Duration

    def __post_init__(self) -> None:
        if self.on.ns < 1 or self.off.ns < 1:
            raise PlanError(f"on: {self.on}, off: {self.off}: give times above 0")


Points = tuple[tuple[Duration, Fraction], ...]  # of a distribution function


@dataclass(frozen=True)
class GapDistribution:
    """Independent gaps whose distribution function is a line from point to point: (gap, probability)."""

    points: Points

    def __post_init__(self) -> None:
        if not 2 <= len(self.points) <= MOST_POINTS:
            raise PlanError(f"a CDF of {len(self.points)} points: there are 2 to {MOST_POINTS:,}")
        for index, problem in out_of_order(self.points):
            raise PlanError(f"point {index + 1} of the CDF: {problem}")
        (first, begin), end = self.points[0], self.points[-1][1]
        if first.ns < 0 or begin < 0:
            raise PlanError("point 1 of the CDF: gaps and probabilities are at least 0")
        if end != 1:
            raise PlanError(f"the CDF ends at {float(end):g}; its last point has to have the probability 1")
        if self.mean_ns < 1:
            raise PlanError("the mean gap of the CDF is below 1 ns")

    @property
    def mean_ns(self) -> Fraction:
        """The average gap."""
        points = [(self.points[0][0], Fraction(0)), *self.points]
        return sum(((q - p) * (a.ns + b.ns) / 2 for (a, p), (b, q) in pairwise(points)), Fraction(0))

    @property
    def average(self) -> Rate:
        """The average rate."""
        return Rate(10**9 / self.mean_ns, RateUnit.PPS)


@dataclass(frozen=True)
class PacketTrain:
    """Packets `gap` apart, the first one `pause` after the last one of the message before.

    0 is back to back: as close as the port's line puts them.
    """

    packets: int = 1
    pause: Duration = Duration(0)
    gap: Duration = Duration(0)
    frame_size: FrameSize | None = None  # None: that of the stream

    def __post_init__(self) -> None:
        if self.packets < 1:
            raise PlanError(f"packets: {self.packets} are too few; a message has at least 1")
        for name, value in (("interval", self.pause), ("packet interval", self.gap)):
            if value.ns < 0:
                raise PlanError(f"{name}: {value} is below 0")

    @property
    def duration_ns(self) -> int:
        """Time from the last packet of the message before to the last packet of this one."""
        return self.pause.ns + (self.packets - 1) * self.gap.ns


@dataclass(frozen=True)
class Messages:
    """Messages one after the other (formullar §3.2), again and again or once."""

    messages: tuple[PacketTrain, ...]
    repeat: bool = True

    def __post_init__(self) -> None:
        if not 1 <= len(self.messages) <= MOST_MESSAGES:
            raise PlanError(f"{len(self.messages)} messages: there are 1 to {MOST_MESSAGES:,}")
        if not self.duration_ns:
            raise PlanError("all intervals are 0; give one above 0, or use Send Burst for one burst")

    @classmethod
    def of_gaps(cls, gaps: tuple[Duration, ...], *, repeat: bool = True) -> Messages:
        """A list of gaps, each before its frame: messages of one packet."""
        if not gaps:
            raise PlanError("the list of gaps is empty; give at least one")
        for number, gap in enumerate(gaps, 1):
            if gap.ns < 0:
                raise PlanError(f"gap {number}: {gap} is below 0")
        return cls(tuple(PacketTrain(pause=gap) for gap in gaps), repeat)

    @property
    def packets(self) -> int:
        """Packets of all messages."""
        return sum(message.packets for message in self.messages)

    @property
    def duration_ns(self) -> int:
        """Duration of all messages."""
        return sum(message.duration_ns for message in self.messages)

    @property
    def average(self) -> Rate:
        """The average rate; of messages that are sent once from their first packet to their last."""
        packets, duration_ns = self.packets, self.duration_ns
        between_ns = duration_ns - self.messages[0].pause.ns
        if not self.repeat and between_ns:
            packets, duration_ns = packets - 1, between_ns
        return Rate(Fraction(packets * 10**9, duration_ns), RateUnit.PPS)

    def changed(self, number: int | None, **changes: object) -> Messages:
        """The same messages with other attributes of one, counted from 1, or of all."""
        if number is not None and not 1 <= number <= len(self.messages):
            raise PlanError(f"there is no message {number}; there are 1 to {len(self.messages)}")
        messages = [
            replace(message, **changes) if number in (None, place) else message  # type: ignore[arg-type]
            for place, message in enumerate(self.messages, 1)
        ]
        return replace(self, messages=tuple(messages))


@dataclass(frozen=True)
class CaptureReplay:
    """The frames of a capture file on the machine of the tester: pcap or pcapng, Ethernet."""

    path: str
    scale: float | None = 1.0  # factor on the gaps as captured; None: the stream's rate
    repetitions: int = 1  # 0: for ever
    rewrites: tuple[tuple[bytes, bytes], ...] = ()  # (old, new) addresses: MAC, IPv4 or IPv6
    next_hop: bool = True  # every destination MAC address becomes that of the device, or of the receiver

    def __post_init__(self) -> None:
        if self.scale is not None and self.scale <= 0:
            raise PlanError(f"scale: {self.scale:g} is not above 0")
        if self.repetitions < 0:
            raise PlanError(f"repetitions: {self.repetitions} is below 0; 0 is for ever")


Shaping = (
    Pattern
    | LineRateBursts
    | TimePattern
    | Poisson
    | UniformGaps
    | TalkSpurts
    | GapDistribution
    | Messages
    | CaptureReplay
)


def out_of_order(points: Points) -> Iterator[tuple[int, str]]:
    """The index of each point of a CDF whose gap or probability falls, and what is wrong."""
    for index, ((gap, part), (later, more)) in enumerate(pairwise(points), 1):
        if later < gap:
            yield index, f"the time {later} is below {gap} before it"
        if more < part:
            yield index, f"the probability {float(more):g} is below {float(part):g} before it"


def average_of(shaping: Shaping | None) -> Rate | None:
    """The average rate that follows from a law itself; None if the law allows any."""
    return shaping.average if isinstance(shaping, (TimePattern, GapDistribution, Messages)) else None
