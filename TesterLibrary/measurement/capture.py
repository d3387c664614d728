# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures and their frames. `capture.proto` defines what is counted. Times are nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from .._generated.tester.v1 import counters
from .._generated.tester.v1.counters import CapturePortCounters
from ..verdict import Between

__all__ = [
    "CaptureCounters",
    "CapturePortCounters",
    "CapturedFrame",
    "CopiedCaptureCounters",
    "Fate",
    "StoppedCapture",
    "TracedFrame",
]


@dataclass(frozen=True)
class CaptureCounters(counters.CaptureCounters):
    """A capture at one instant, with the sums over its ports."""

    @property
    def seen(self) -> int:
        """Frames that went by."""
        return sum(port.seen for port in self.ports)

    @property
    def matched(self) -> int:
        """Frames that were seen and match what was asked for."""
        return sum(port.matched for port in self.ports)

    @property
    def least_matched(self) -> int:
        """Frames that are known to match."""
        return self.matched

    @property
    def dropped(self) -> int:
        """Matching frames that the tester had no room for; they are in the counters of streams and ports."""
        return sum(port.dropped for port in self.ports)

    def __str__(self) -> str:
        text = f"{self.captured:,} frames captured of {self.matched:,} that matched, {self.seen:,} seen"
        return f"{text}, {self.dropped:,} DROPPED" if self.dropped else text

    def bounds(self, statistic: str) -> Between | None:
        """The bounds of a counter that dropped frames leave open; None if it is exact."""
        if self.dropped and statistic == "captured":
            return Between(self.captured, self.captured + self.dropped)
        if self.dropped and statistic == "matched" and self.least_matched < self.matched:
            return Between(self.least_matched, self.matched)
        return None

    @property
    def triggered(self) -> bool:
        """Whether a frame has arrived for which its trigger waited."""
        return self.triggered_ns > 0


@dataclass(frozen=True)
class CopiedCaptureCounters(CaptureCounters):
    """A capture by copies of frames. A lost copy may have been of one that matches, and counts as dropped."""

    @property
    def least_matched(self) -> int:
        """See above."""
        return self.matched - self.dropped


@dataclass(frozen=True)
class StoppedCapture:
    """A capture that copies no more."""

    counters: CaptureCounters
    clock_zero_unix_ns: int  # time since 1970 when the tester's clock was 0
    started_ns: int
    stopped_ns: int
    streams: Mapping[int, str] = field(default_factory=dict)  # names by id


class Fate(Enum):
    """The treatment of a frame by a path, beside its events."""

    NONE = "none"
    HELD = "held"  # `left_ns` is when it was due to leave; None: it waited for later frames
    LOST = "lost at random"
    TAIL_DROP = "found the queue full"
    OVERFLOW = "dropped for want of memory"
    UNTIMED = "has left, nobody knows when"  # of a switch, which tells when a frame arrived


@dataclass(frozen=True)
class TracedFrame:
    """The fate of a frame of a path."""

    left_ns: int | None  # of the tester's clock; None: it has not left, unless its fate says so
    events: tuple[int, ...] = ()  # that happened to it, by their places in the path's plan
    fate: Fate = Fate.NONE


@dataclass(frozen=True)
class CapturedFrame:
    """A frame as it left, or arrived."""

    time_ns: int  # of the tester's clock
    port: str
    transmitted: bool
    stream_id: int  # 0: of no stream
    sequence: int | None  # its number in the stream; None where nobody knows
    original_length: int  # bytes, without FCS
    octets: bytes  # the first of them
    fires: bool = False  # it has triggered the capture
    traced: TracedFrame | None = None  # of a trace, whose `sequence` is the number on the path
