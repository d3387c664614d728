# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A rate as an exact number of frames each nanosecond, within what the line and 64 bits can carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from ..errors import PlanError
from ..model.capture_totals import CaptureTotals
from ..model.departures import CaptureReplay
from ..model.ports import Port
from ..model.stream import Stream
from ..model.units.number import percent
from ..model.units.units import Bandwidth, FrameSizes, Rate, RateUnit

_LARGEST = 2**64 - 1  # the largest numerator and denominator of a planned rate
_FASTEST = Fraction(1)  # frames each nanosecond: the limit of `plan.proto`


def planned_rate(stream: Stream, port: Port) -> tuple[Fraction, Fraction]:
    """The rate of a stream in frames each nanosecond, and its relative error.

    The error, (planned - asked) / asked, is 0 unless the exact rate does not fit 64-bit numbers.

    Raises:
        PlanError: faster than the port's line at that frame size or than one frame a nanosecond, or too slow.
    """
    return _planned(stream.rate, stream.frame_size, port.name, port.speed)


@lru_cache(maxsize=1024)
def _planned(rate: Rate, frame_size: FrameSizes, port: str, speed: Bandwidth) -> tuple[Fraction, Fraction]:
    """Kept, because thousands of streams of a job have the same few rates."""
    size = frame_size.mean
    asked = rate.frames_per_second(size, speed)
    line = speed.frames_per_second(size)
    if asked > line:
        raise PlanError(
            f"{rate} is more than port {port!r} ({speed}) carries; "
            f"with frames of {frame_size} it carries at most {_maxima(line, size)}"
        )
    exact = asked / 10**9
    try:
        planned = fitted(exact)
    except PlanError as problem:
        raise PlanError(f"{rate} is {problem}") from None
    return planned, (planned - exact) / exact


def fitted(rate: Fraction) -> Fraction:
    """The closest rate, in frames each nanosecond, that fits 64-bit numbers.

    Raises:
        PlanError: faster than one frame a nanosecond, or too slow.
    """
    if rate > _FASTEST:
        raise PlanError(f"{_pps(rate * 10**9)}; a stream has at most {_pps(Fraction(10**9))}")
    planned = rate.limit_denominator(_LARGEST)
    if planned == 0:
        raise PlanError(
            f"{_pps(rate * 10**9)} is too slow; the slowest rate is one frame in 2^64 nanoseconds"
        )
    return planned


def check_sum(port: Port, streams: Iterable[Stream]) -> None:
    """Refuses streams that together offer a port more than its line carries.

    Raises:
        PlanError: naming the streams, their sum and the port's speed.
    """
    sharing = list(streams)
    loads = Counter((stream.average_rate, stream.frame_size) for stream in sharing)
    part = sum(
        (count * part_of_line(rate, size, port.speed) for (rate, size), count in loads.items() if rate),
        Fraction(0),
    )
    if part > 1:
        names = " + ".join(f"{stream.name!r} ({stream.average_rate or 'as captured'})" for stream in sharing)
        raise PlanError(
            f"streams {names} share port {port.name!r} ({port.speed}) and together ask for "
            f"{percent(part, 6)} of its line rate; it carries at most 100 %"
        )


def check_replayed_rate(stream: Stream) -> None:
    """Refuses a rate that needs the frame sizes of a file that only the tester can read.

    Raises:
        PlanError: naming the stream, its rate and the unit that needs no sizes.
    """
    replayed = isinstance(stream.shaping, CaptureReplay) and not stream.as_captured
    if replayed and stream.rate.unit is not RateUnit.PPS and not isinstance(stream.frame_size, CaptureTotals):
        raise PlanError(
            f"stream {stream.name!r}: a rate of {stream.rate} needs the sizes of the captured frames, and "
            "the file cannot be read on this machine; give the rate in pps"
        )


def part_of_line(rate: Rate, frame_size: FrameSizes, speed: Bandwidth) -> Fraction:
    """A rate of frames of these sizes as part of line rate."""
    size = frame_size.mean
    return rate.frames_per_second(size, speed) / speed.frames_per_second(size)


def _maxima(line: Fraction, size: Fraction) -> str:
    return f"{_pps(line)}, {Rate(line * 8 * size, RateUnit.L2)}, 100 %"


def _pps(frames_per_second: Fraction) -> str:
    return str(Rate(frames_per_second, RateUnit.PPS))
