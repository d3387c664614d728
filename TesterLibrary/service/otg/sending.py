# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Size, rate and duration of a flow."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ...errors import UnitError
from ...model.departures import Messages, PacketTrain
from ...model.mix import SizeMix, parse_frame_sizes, smooth
from ...model.payload import Payload, PayloadKind
from ...model.units.units import Bandwidth, Duration, FrameSize, FrameSizes, Rate, RateUnit
from .schema import Message, chosen, given, kept, named
from .support import reads

_PREDEFINED = {  # sizes of 64 bytes and more; the model's shares in hundredths of a percent
    "imix": ((64, 7), (570, 4), (1518, 1)),
    "ipsec_imix": ((90, 5867), (92, 200), (594, 2366), (1418, 1567)),
    "tcp_imix": ((90, 5867), (92, 200), (594, 2366), (1518, 1567)),
}
_PRECISION = 1000  # parts into which weights are divided
_MOST_SIZES = 256  # of a flow
_LEAST_GAP = 12  # bytes: what Ethernet has between any two frames
_SCALE = {"bps": 1, "kbps": 10**3, "mbps": 10**6, "gbps": 10**9}
_RATES = {"pps": 1000, "bps": 10**9, "kbps": 10**6, "mbps": 1000, "gbps": 1, "percentage": 100}
_UNITS_NS = {"nanoseconds": 1, "microseconds": 1000}
_NO_DELAY: Mapping[str, int | Fraction] = {"bytes": 0, "nanoseconds": 0, "microseconds": 0}
_DEFAULT_GAPS: Mapping[str, int | Fraction] = {
    "bytes": 12,
    "nanoseconds": 96,
    "microseconds": Fraction(96, 1000),
}

reads("FlowSize", "choice fixed increment random weight_pairs")
reads("FlowSizeIncrement", "start end step")
reads("FlowSizeRandom", "min max")
reads("FlowSizeWeightPairs", "choice predefined custom", predefined=" ".join(_PREDEFINED))
reads("FlowSizeWeightPairsCustom", "size weight")
reads("FlowRate", "choice pps bps kbps mbps gbps percentage")
reads("FlowDuration", "choice fixed_packets fixed_seconds burst continuous")
reads("FlowFixedPackets", "packets gap delay")
reads("FlowFixedSeconds", "seconds gap delay")
reads("FlowContinuous", "gap delay")
reads("FlowBurst", "bursts packets gap inter_burst_gap")
reads("FlowDurationInterBurstGap", "choice bytes nanoseconds microseconds")
reads("FlowDelay", "choice bytes nanoseconds microseconds")
reads("FlowPayload", "choice fixed", choice="fixed increment_byte")
reads("FlowPayloadFixed", "pattern repeat")


@dataclass(frozen=True)
class Limit:
    """When a flow ends by itself: after so many packets, after a time, or never."""

    packets: int | None = None
    duration: Duration | None = None


@dataclass(frozen=True)
class Timing:
    """When the frames of a flow leave."""

    limit: Limit = Limit()
    start_after: Duration = Duration(0)
    messages: Messages | None = None  # of bursts


@kept("FlowSize")
def frame_size(size: Message) -> FrameSizes:
    """The frame size of a flow, or the mix of its sizes. UnitError for sizes that cannot be."""
    choice = chosen(size, "fixed")
    if choice == "fixed":
        return FrameSize.parse(given(size, "fixed", 64))
    if choice == "increment":
        steps = size.increment
        start, end, step = (
            given(steps, name, of) for name, of in (("start", 64), ("end", 1518), ("step", 1))
        )
        if not step or end < start:
            raise UnitError(
                f"increment: from {start} to {end} in steps of {step}; give a range and a step above 0"
            )
        return _mix(range(start, end + 1, step), f"{start} to {end} in steps of {step}")
    if choice == "random":
        least, most = given(size.random, "min", 64), given(size.random, "max", 1518)
        if most < least:
            raise UnitError(f"random: the range from {least} to {most} is reversed; exchange its ends")
        sizes = list(range(least, min(most, least + _MOST_SIZES) + 1))
        random.Random(f"sizes {least} {most}").shuffle(sizes)
        return _mix(sizes, f"{least} to {most}, each once in random order")
    return _weighted(size.weight_pairs)


def _mix(sizes: range | list[int], name: str) -> FrameSizes:
    if len(sizes) > _MOST_SIZES:
        raise UnitError(f"{name}: that are more than {_MOST_SIZES} sizes, which is the most that a flow has")
    return SizeMix(tuple(FrameSize.parse(size).bytes for size in sizes), name)


def _weighted(pairs: Message) -> FrameSizes:
    if chosen(pairs, "predefined") == "predefined":
        weights = _PREDEFINED[named(pairs, "predefined") or "imix"]
        return SizeMix(smooth(weights), named(pairs, "predefined") or "imix")
    exact = [
        (given(pair, "size", 64), Fraction(given(pair, "weight", 1.0)).limit_denominator(_PRECISION))
        for pair in pairs.custom
    ]
    if not exact or any(weight <= 0 for _, weight in exact):
        raise UnitError(f"custom: give at least one pair, and weights of at least {1 / _PRECISION:g}")
    whole = lcm(*(weight.denominator for _, weight in exact))
    text = " ".join(f"{size}:{int(weight * whole)}" for size, weight in exact)
    return parse_frame_sizes(text)


@kept("FlowRate")
def rate(message: Message) -> Rate:
    """The rate of a flow; bits are those of frames with FCS. UnitError for one that is not above 0."""
    choice = chosen(message, "pps")
    number = given(message, choice, _RATES[choice])
    value = _exact(number)
    if value <= 0:
        raise UnitError(f"{choice}: {number} is not above 0")
    if choice == "percentage":
        return Rate(value / 100, RateUnit.LINE)
    return Rate(value, RateUnit.PPS) if choice == "pps" else Rate(value * _SCALE[choice], RateUnit.L2)


@kept("FlowDuration")
def timing(message: Message, sizes: FrameSizes, speed: Bandwidth, asked: Rate) -> Timing:
    """When frames leave on a port of that speed. UnitError for what cannot be."""
    choice = chosen(message, "continuous")
    part = getattr(message, choice)
    gap = given(part, "gap", _LEAST_GAP)
    if gap > _LEAST_GAP:
        raise UnitError(
            f"{choice}.gap: frames are spaced by the rate, and never closer than {_LEAST_GAP} bytes; "
            f"{gap} bytes cannot be had beside a rate, give a lower rate"
        )
    if choice == "burst":
        return _bursts(part, sizes, speed, asked)
    start_after = Duration(_time_ns(part.delay, _NO_DELAY, speed, "delay"))
    if choice == "fixed_packets":
        packets = given(part, "packets", 1)
        if not packets:
            raise UnitError("fixed_packets.packets: 0 packets; give at least 1")
        return Timing(Limit(packets=packets), start_after)
    if choice == "fixed_seconds":
        seconds = given(part, "seconds", 1.0)
        if round(seconds * 10**9) <= 0:
            raise UnitError(f"fixed_seconds.seconds: {seconds:g} is not above 0")
        return Timing(Limit(duration=Duration(round(_exact(seconds) * 10**9) + start_after.ns)), start_after)
    return Timing(start_after=start_after)


def _bursts(burst: Message, sizes: FrameSizes, speed: Bandwidth, asked: Rate) -> Timing:
    """Packets of a burst at the rate of the flow; the gap follows the last one of each."""
    packets, bursts = given(burst, "packets", 1), given(burst, "bursts", 0)
    if not packets:
        raise UnitError("burst.packets: 0 packets; give at least 1")
    if not isinstance(sizes, FrameSize):
        raise UnitError(f"burst: bursts have one frame size, no {sizes}")
    spaced = 10**9 / asked.frames_per_second(sizes.mean, speed)
    on_line = 10**9 / speed.frames_per_second(sizes.mean)
    frame = on_line - _bytes_ns(_LEAST_GAP, speed)  # what a frame takes before the gap behind it
    between = _time_ns(burst.inter_burst_gap, _DEFAULT_GAPS, speed, "burst.inter_burst_gap")
    pause, gap = Duration(round(max(on_line, frame + between))), Duration(round(spaced))
    messages = Messages((PacketTrain(packets=packets, pause=pause, gap=gap),))
    return Timing(Limit(packets=bursts * packets or None), messages=messages)


def _time_ns(part: Message, defaults: Mapping[str, int | Fraction], speed: Bandwidth, what: str) -> int:
    choice = chosen(part, "bytes")
    value = _exact(given(part, choice, float(defaults[choice])))
    if value < 0:
        raise UnitError(f"{what}.{choice}: {float(value):g} is below 0")
    return round(_bytes_ns(value, speed) if choice == "bytes" else value * _UNITS_NS[choice])


def _bytes_ns(octets: Fraction | int, speed: Bandwidth) -> Fraction:
    return Fraction(octets) * 8 * 10**9 / speed.bps


def _exact(number: float) -> Fraction:
    """A number as people wrote it: the model has floats of 32 bits, in which 0.1 is 0.10000000149."""
    return Fraction(f"{number:.7g}") if isinstance(number, float) else Fraction(number)


def payload(message: Message) -> Payload:
    """The octets between headers and signature. UnitError for a pattern that is none."""
    if chosen(message, "fixed") == "increment_byte":
        return Payload(PayloadKind.COUNTING)
    pattern, repeat = given(message.fixed, "pattern", "00"), given(message.fixed, "repeat", True)
    try:
        octets = bytes.fromhex(pattern.removeprefix("0x").replace(" ", "").replace(":", ""))
    except ValueError:
        raise UnitError(f"fixed.pattern: {pattern[:40]!r} is no even number of hexadecimal digits") from None
    if not octets:
        raise UnitError("fixed.pattern: it is empty; give at least one byte")
    if not repeat:
        raise UnitError(
            "fixed.repeat: a pattern is repeated to the end of the payload; give true, or leave it out"
        )
    return Payload(PayloadKind.FILE, octets)
