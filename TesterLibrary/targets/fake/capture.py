# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures that the fake tester replays: it reads a file as a whole, which an engine does not have to."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...errors import PlanError
from ...model.plan.law import Departures, Replay
from ...model.plan.plan import PlannedStream

_ETHERNET = 1  # link type of pcap
_SHORTEST = 60  # bytes without FCS; shorter frames are padded


@dataclass(frozen=True)
class Recorded:
    """The law of a replayed file: times in nanoseconds from the first frame; after a period they repeat."""

    times: tuple[Fraction, ...]
    period: Fraction
    repetitions: int  # 0: for ever

    @property
    def rate(self) -> Fraction:
        """See Law."""
        return len(self.times) / self.period

    @property
    def total(self) -> int | None:
        """See Law."""
        return self.repetitions * len(self.times) or None

    def due(self, number: int) -> Fraction:
        """See Law."""
        rounds, number = divmod(number, len(self.times))
        return rounds * self.period + self.times[number]

    def count(self, elapsed_ns: int) -> int:
        """See Law."""
        rounds, rest = divmod(max(0, elapsed_ns), self.period)
        frames = int(rounds) * len(self.times) + bisect_left(self.times, rest)
        return frames if self.total is None else min(frames, self.total)


def recorded(stream: PlannedStream) -> PlannedStream:
    """The stream with the frames and times of the file that it replays; other streams stay as they are.

    Raises:
        PlanError: a file that cannot be read, is cut short or empty, or is of another link type.
    """
    law = stream.departures.law
    if not isinstance(law, Replay):
        return stream
    try:
        frames, times = _read(law.path)
    except PlanError as problem:
        raise PlanError(f"stream {stream.name!r}: {law.path}: {problem}") from None
    if law.fixed:
        times = [number / law.fixed for number in range(len(frames))]
    else:
        times = [(time - times[0]) * Fraction(law.scale or 1) for time in times]
    gap = times[-1] / (len(times) - 1) if len(times) > 1 else Fraction(0)
    period = max(Fraction(1), times[-1] + gap)
    departures = Departures(Recorded(tuple(times), period, law.repetitions), stream.departures.offset_ns)
    return replace(stream, frames=tuple(frames), departures=departures)


def _read(path: str) -> tuple[list[bytes], list[Fraction]]:
    """Frames without FCS, and when each was captured, in nanoseconds."""
    from scapy.error import Scapy_Exception
    from scapy.utils import RawPcapReader

    frames: list[bytes] = []
    times: list[Fraction] = []
    try:
        with RawPcapReader(path) as reader:
            for octets, facts in reader:
                link, time = _described(reader, facts)
                if link != _ETHERNET:
                    raise PlanError(f"its link type is {link}; {_ETHERNET}, Ethernet, can be replayed")
                if len(octets) != facts.wirelen:
                    raise PlanError(f"frame {len(frames)} is cut: {len(octets)} of {facts.wirelen} bytes")
                frames.append(octets.ljust(_SHORTEST, b"\0"))
                times.append(time)
    except (OSError, EOFError, Scapy_Exception) as problem:
        raise PlanError(f"it cannot be read: {problem}") from None
    if not frames:
        raise PlanError("it has no frames")
    return frames, times


def _described(reader: Any, facts: Any) -> tuple[int, Fraction]:
    """The link type of a frame, and when it was captured, in nanoseconds; as pcap or pcapng say it."""
    if hasattr(facts, "tsresol"):
        return facts.linktype, Fraction((facts.tshigh << 32 | facts.tslow) * 10**9, facts.tsresol)
    return reader.linktype, Fraction(facts.sec * 10**9 + facts.usec * (1 if reader.nano else 1000))
