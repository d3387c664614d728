# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Rates, times, ratios and frame sizes as users write them, kept exact.

RFC 1242 and 2544 words: a frame size counts from the Ethernet destination to the FCS inclusive;
the line carries 20 more bytes for each frame (7 preamble, 1 start delimiter, 12 gap).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from fractions import Fraction

from ...errors import UnitError
from .notation import NUMBER, written_as
from .number import BITS, FRAMES, PREFIXES, SHARES, decimal, refusal, scaled, shown, split_unit
from .time_text import parse_time

LINE_OVERHEAD = 20  # bytes for each frame: preamble, start delimiter, inter-frame gap
FCS_LENGTH = 4
MIN_FRAME_SIZE = 64
MAX_FRAME_SIZE = 16128


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class Bandwidth:
    """Bits per second of a link: `10 Gbps`."""

    bps: int

    @classmethod
    def parse(cls, text: object) -> Bandwidth:
        """Raises UnitError for anything but a number with bps, kbps, Mbps, Gbps or Tbps."""
        if isinstance(text, Bandwidth):
            return text
        allowed = "a number with bps, kbps, Mbps, Gbps or Tbps, such as 10 Gbps"
        number, unit = split_unit(text, "a bandwidth", allowed)
        bits = BITS.fullmatch(unit)
        bps = number * PREFIXES[bits[1]] if bits and not bits[2] else Fraction(0)
        if bps.denominator != 1 or bps <= 0:
            raise UnitError(refusal(text, "a bandwidth", allowed))
        return cls(int(bps))

    def __str__(self) -> str:
        return scaled(Fraction(self.bps), "bps")

    def frames_per_second(self, frame_size: int | Fraction) -> Fraction:
        """The highest frame rate the line carries: 10 Gbps and 64 bytes give 14,880,952.38."""
        return Fraction(self.bps) / (8 * (frame_size + LINE_OVERHEAD))


class RateUnit(Enum):
    """The unit of a rate: frames, or bits of one kind."""

    PPS = "pps"  # frames a second
    L2 = "bps"  # bits of frames, FCS included
    L1 = "bps L1"  # bits on the line, preamble and gap included
    LINE = "%"  # of the port's line rate


@written_as(NUMBER)
@dataclass(frozen=True)
class Rate:
    """A load: `64 kpps`, `10 Gbps` (L2), `10 Gbps L1` or `95 %` of the port's speed."""

    value: Fraction  # frames/s, bit/s, or a fraction of 1 for LINE
    unit: RateUnit

    @classmethod
    def parse(cls, text: object) -> Rate:
        """Raises UnitError for anything but a positive number with a unit."""
        if isinstance(text, Rate):
            return text
        allowed = "a positive number with pps, kpps, Mpps, bps, kbps, Mbps, Gbps (optionally L1) or %"
        number, unit = split_unit(text, "a rate", allowed)
        if number > 0 and unit == "%":
            return cls(number / 100, RateUnit.LINE)
        if number > 0 and (frames := FRAMES.fullmatch(unit)):
            return cls(number * PREFIXES[frames[1]], RateUnit.PPS)
        if number > 0 and (bits := BITS.fullmatch(unit)):
            return cls(number * PREFIXES[bits[1]], RateUnit.L1 if bits[2] == "L1" else RateUnit.L2)
        raise UnitError(refusal(text, "a rate", allowed))

    def __str__(self) -> str:
        if self.unit is RateUnit.LINE:
            return f"{decimal(shown(self.value * 100))} %"
        if self.unit is RateUnit.L1:
            return scaled(shown(self.value), "bps") + " L1"
        return scaled(shown(self.value), self.unit.value)

    def frames_per_second(self, frame_size: int | Fraction, speed: Bandwidth) -> Fraction:
        """This rate in frames of `frame_size` bytes on average each second on a port, exactly."""
        if self.unit is RateUnit.PPS:
            return self.value
        if self.unit is RateUnit.L2:
            return self.value / (8 * frame_size)
        if self.unit is RateUnit.L1:
            return self.value / (8 * (frame_size + LINE_OVERHEAD))
        return self.value * speed.frames_per_second(frame_size)


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class Duration:
    """A time in whole nanoseconds: `2 s`, `500 ms`, `9 us`, `250 ns`, `1 min 30 s`, `2 seconds`, or `0`."""

    ns: int

    @classmethod
    def parse(cls, text: object) -> Duration:
        """Raises UnitError for anything but a time with a unit, or 0; a `timedelta` is taken as it is."""
        if isinstance(text, Duration):
            return text
        if isinstance(text, timedelta):
            return cls(((text.days * 86400 + text.seconds) * 10**6 + text.microseconds) * 1000)
        return cls(parse_time(text))

    @property
    def seconds(self) -> float:
        """The time in seconds."""
        return self.ns / 1e9

    @property
    def microseconds(self) -> int:
        """The time in whole microseconds, as tables of protocols have it."""
        return self.ns // 1000

    def __str__(self) -> str:
        for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
            if abs(self.ns) >= size:
                return f"{decimal(Fraction(self.ns, size))} {unit}"
        return f"{self.ns} ns"


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class Ratio:
    """A part of a whole: `0.001 %`, `10 ppm`, `0`."""

    value: Fraction

    @classmethod
    def parse(cls, text: object) -> Ratio:
        """Raises UnitError for a number without a unit (other than 0) and for values beyond 100 %."""
        if isinstance(text, Ratio):
            return text
        allowed = "0, or a number with % or ppm, such as 0.001 %, up to 100 %"
        number, unit = split_unit(text, "a ratio", allowed)
        scale = SHARES.get(unit)
        if scale is None and number and not unit:
            raise UnitError(
                f"{str(text)!r} has no unit, and a part of a whole is asked for, not a count; write "
                f"'{str(text).strip()} %' if percent are meant, or else {allowed}"
            )
        if scale is None and unit:
            raise UnitError(refusal(text, "a ratio", allowed))
        value = number * (scale or 0)
        if value > 1:
            raise UnitError(f"{str(text)!r} is more than the whole; write {allowed}")
        return cls(value)

    def __str__(self) -> str:
        return f"{decimal(shown(self.value * 100))} %"


def ratio_text(part: float | Fraction) -> str:
    """A part of a whole as people read it."""
    return str(Ratio(Fraction(part)))


def bandwidth_text(bps: float | Fraction) -> str:
    """Bits each second as people read them."""
    return str(Bandwidth(round(bps)))


def duration_text(ns: float | Fraction) -> str:
    """Nanoseconds as people read them."""
    return str(Duration(round(ns)))


class FrameSizes(ABC):
    """The frame size of a stream, `64`, or a mix: `imix`, `IMIX(aaafg)` (RFC 6985), `64:7 570:4 1518:1`."""

    @property
    @abstractmethod
    def order(self) -> tuple[int, ...]:
        """Bytes of the frames of one period, FCS included, in the order of sending."""

    @property
    def mean(self) -> Fraction:
        """The average of the bytes of a frame, FCS included."""
        return Fraction(sum(self.order), len(self.order))


@written_as(NUMBER)
@dataclass(frozen=True, order=True)
class FrameSize(FrameSizes):
    """Bytes of a frame from the Ethernet destination to the FCS inclusive (RFC 1242 §3.1): `64`."""

    bytes: int

    @classmethod
    def parse(cls, text: object) -> FrameSize:
        """Raises UnitError for anything but a whole number from 64 to 16128, optionally with B or bytes."""
        if isinstance(text, FrameSize):
            return text
        allowed = f"a whole number of bytes from {MIN_FRAME_SIZE} to {MAX_FRAME_SIZE}, FCS included"
        number, unit = split_unit(text, "a frame size", allowed)
        whole = number.denominator == 1 and MIN_FRAME_SIZE <= number <= MAX_FRAME_SIZE
        if not whole or unit.lower() not in ("", "b", "byte", "bytes"):
            raise UnitError(refusal(text, "a frame size", allowed))
        return cls(int(number))

    @property
    def order(self) -> tuple[int, ...]:
        """See FrameSizes."""
        return (self.bytes,)

    def __str__(self) -> str:
        return f"{self.bytes} bytes"


LINE_RATE = Rate(Fraction(1), RateUnit.LINE)
