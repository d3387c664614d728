# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the departures that an author describes into a law: the exact time at which each frame is due."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, singledispatch
from math import ceil, prod

from ..errors import PlanError
from ..model.capture_totals import CaptureTotals
from ..model.departures import (
    CaptureReplay,
    GapDistribution,
    Messages,
    Poisson,
    Shaping,
    TalkSpurts,
    TimePattern,
    UniformGaps,
)
from ..model.pattern import LineRateBursts, Pattern, Stage
from ..model.plan.law import Departures, Law, Replay, Rewrite, Script, ScriptMessage, Steady
from ..model.plan.random_law import Exponential, OnOff, Quantiles, Random
from ..model.ports import Port
from ..model.stream import Stream
from ..model.units.units import FrameSize, FrameSizes, Rate, RateUnit
from .rate import fitted, planned_rate
from .time_pattern import profile

_EVERY_MAC = b""  # a Rewrite with it applies to every destination MAC address
_NANOSECONDS = 10**9


def planned_departures(
    stream: Stream, port: Port, *, seed: str, next_hop: bytes
) -> tuple[Departures, Fraction]:
    """When the frames of a stream are due, and the relative error of their average rate.

    The error, (planned - asked) / asked, is 0 for constant rates, stages and profiles that fit 64-bit
    numbers. Times of messages are rounded to nanoseconds, cumulatively.

    Raises:
        PlanError: more than the port's line carries, on average or at the peak, or a law that cannot be.
    """
    try:
        if isinstance(stream.shaping, CaptureReplay) and stream.start_after.ns:
            raise PlanError("the frames of a file start with the other streams; leave start_after= out")
        if isinstance(stream.shaping, CaptureReplay) and stream.as_captured:
            return Departures(_replay(stream.shaping, None, next_hop, stream.frame_size)), Fraction(0)
        rate, error = planned_rate(stream, port)
        law = _law(stream.shaping, _Wanted(rate, stream.frame_size, port, seed, next_hop))
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {problem}") from None
    error = error if law.rate == rate else (1 + error) * law.rate / rate - 1
    phase_ns = stream.phase / rate
    return Departures(law, stream.start_after.ns + round(phase_ns), phase_ns), error


@dataclass(frozen=True)
class _Wanted:
    """The requirements for a law. Rates are frames each nanosecond."""

    rate: Fraction
    frame_size: FrameSizes
    port: Port
    seed: str
    next_hop: bytes

    @property
    def drawn(self) -> int:
        """The seed of a law that is random."""
        return random.Random(f"departures {self.seed}").getrandbits(64)

    @property
    def line(self) -> Fraction:
        """The most that the port carries."""
        return self.port.speed.frames_per_second(self.frame_size.mean) / _NANOSECONDS

    def check_peak(self, peak: Fraction, what: str) -> None:
        """PlanError if the port cannot carry the highest rate of a law."""
        if peak > self.line:
            raise PlanError(
                f"{what} has a peak of {_pps(peak)} at an average of {_pps(self.rate)}; port "
                f"{self.port.name!r} ({self.port.speed}) carries at most {_pps(self.line)}, "
                f"so an average of {_pps(self.line * self.rate / peak)}"
            )

    def spaced(self, gap_ns: Fraction, size: FrameSize, what: str) -> Fraction:
        """A gap after a frame of a size, unless it is too short; 0 is the time of that frame on the line."""
        on_line = _NANOSECONDS / self.port.speed.frames_per_second(size.bytes)
        if 0 < gap_ns < on_line:
            raise PlanError(
                f"{what}: {float(gap_ns):g} ns is less than a frame of {size} takes on port "
                f"{self.port.name!r} ({self.port.speed}), {float(on_line):g} ns; give 0 for back to back"
            )
        return gap_ns or Fraction(ceil(on_line))


@singledispatch
def _law(shaping: object, wanted: _Wanted) -> Law:
    """The law of a stream without shaping: frames are due at equal gaps."""
    assert shaping is None
    return _steady(wanted.rate)


@lru_cache(maxsize=1024)
def _steady(rate: Fraction) -> Steady:
    """One law for the thousands of streams of a job that have the same rate."""
    return Steady(rate)


@_law.register
def _pattern(shaping: Pattern, wanted: _Wanted) -> Law:
    """The average rate is exact: rounding a burst to whole packets only changes the peak."""
    tick = fitted(wanted.rate / prod((stage.ratio for stage in shaping.stages), start=Fraction(1)))
    law = Steady(tick, shaping.stages)
    wanted.check_peak(1 / law.due(1), _named(shaping.stages))
    return law


@_law.register
def _line_rate_bursts(shaping: LineRateBursts, wanted: _Wanted) -> Law:
    return _pattern(shaping.pattern(max(wanted.line, wanted.rate), wanted.rate), wanted)


@_law.register
def _time_pattern(shaping: TimePattern, wanted: _Wanted) -> Law:
    average, low = shaping.average.value, shaping.low.value if shaping.low else Fraction(0)
    high = wanted.rate * shaping.high.value / average
    wanted.check_peak(high, f"the {shaping.shape.value}")
    return profile(shaping, wanted.rate * low / average, high)


@_law.register
def _poisson(_: Poisson, wanted: _Wanted) -> Law:
    return Random(wanted.drawn, Exponential(float(1 / wanted.rate)))


@_law.register
def _uniform(shaping: UniformGaps, wanted: _Wanted) -> Law:
    mean, spread = 1 / wanted.rate, shaping.spread.value
    gaps = float(mean * (1 - spread)), float(mean * (1 + spread))
    return Random(wanted.drawn, Quantiles((0.0, 1.0), gaps))


@_law.register
def _talk(shaping: TalkSpurts, wanted: _Wanted) -> Law:
    on, off = shaping.on.ns, shaping.off.ns
    tick = fitted(wanted.rate * (on + off) / on)
    wanted.check_peak(tick, f"talking for {shaping.on} and being silent for {shaping.off}")
    return Random(wanted.drawn, OnOff(tick, float(on), float(off)))


@_law.register
def _distribution(shaping: GapDistribution, wanted: _Wanted) -> Law:
    scale = 1 / (wanted.rate * shaping.mean_ns)
    points = [(gap.ns * scale, part) for gap, part in shaping.points]
    if points[0][1] > 0:  # this part of all gaps equals the first one
        points.insert(0, (points[0][0], Fraction(0)))
    gaps, parts = zip(*points, strict=True)
    return Random(wanted.drawn, Quantiles(tuple(map(float, parts)), tuple(map(float, gaps))))


@_law.register
def _messages(shaping: Messages, wanted: _Wanted) -> Law:
    """Times are as written at the average rate of the messages; at other rates rounding does not add up."""
    scale = shaping.average.value / 10**9 / wanted.rate
    default, sizes = _single(wanted.frame_size), frame_sizes(shaping, wanted.frame_size)
    before = shaping.messages[-1].frame_size or default
    messages, rounded = [], Fraction(0)
    for number, message in enumerate(shaping.messages, 1):
        size = message.frame_size or default
        exact_pause = message.pause.ns * scale
        if number > 1 or shaping.repeat:  # a frame leaves before it
            exact_pause = wanted.spaced(exact_pause, before, f"message {number}: interval")
        exact_gap = wanted.spaced(message.gap.ns * scale, size, f"message {number}: packet interval")
        pause, gap = max(0, round(exact_pause + rounded)), round(exact_gap)
        rounded += exact_pause - pause + (message.packets - 1) * (exact_gap - gap)
        messages.append(ScriptMessage(pause, message.packets, gap, sizes.index(size)))
        before = size
    return Script(tuple(messages), shaping.repeat)


@_law.register
def _capture(shaping: CaptureReplay, wanted: _Wanted) -> Law:
    return _replay(shaping, wanted.rate, wanted.next_hop, wanted.frame_size)


def frame_sizes(shaping: Shaping | None, frame_size: FrameSizes) -> tuple[FrameSize, ...]:
    """The sizes of a stream's frames, in the order of `ScriptMessage.frame`; messages may give others."""
    if isinstance(shaping, CaptureReplay):
        return ()
    if not isinstance(shaping, Messages):
        return tuple(map(FrameSize, dict.fromkeys(frame_size.order)))
    size = _single(frame_size)
    return tuple(dict.fromkeys(message.frame_size or size for message in shaping.messages))


def frame_order(shaping: Shaping | None, frame_size: FrameSizes) -> tuple[int, ...]:
    """Indices of `frame_sizes` in the order of sending; empty where there is one or messages choose."""
    if isinstance(shaping, CaptureReplay | Messages) or len(frame_size.order) == 1:
        return ()
    places = {size.bytes: index for index, size in enumerate(frame_sizes(shaping, frame_size))}
    return tuple(places[size] for size in frame_size.order)


def _single(sizes: FrameSizes) -> FrameSize:
    if not isinstance(sizes, FrameSize):
        raise PlanError(f"messages have one frame size each, no {sizes}; set one for the stream")
    return sizes


def _replay(shaping: CaptureReplay, rate: Fraction | None, next_hop: bytes, sizes: FrameSizes) -> Replay:
    everywhere = (Rewrite(_EVERY_MAC, next_hop),) if shaping.next_hop else ()
    return Replay(
        path=shaping.path,
        scale=shaping.scale,
        fixed=rate,
        repetitions=shaping.repetitions,
        rewrites=everywhere + tuple(Rewrite(*pair) for pair in shaping.rewrites),
        totals=sizes if isinstance(sizes, CaptureTotals) else None,
    )


def _named(stages: tuple[Stage, ...]) -> str:
    return f"the pattern ({', then '.join(map(str, stages))})"


def _pps(rate: Fraction) -> str:
    return str(Rate(rate * _NANOSECONDS, RateUnit.PPS))
