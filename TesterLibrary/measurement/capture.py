# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What was captured. Mirrors `capture.proto`, where each is defined. Times are nanoseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CapturePortCounters:
    """Frames of one port since a capture was started."""

    port: str
    seen: int = 0  # in the directions that are captured
    matched: int = 0  # of these, by stream and filter
    dropped: int = 0  # of those, for want of room


@dataclass(frozen=True)
class CaptureCounters:
    """A capture at one instant."""

    name: str
    running: bool = False
    captured: int = 0  # kept
    ports: tuple[CapturePortCounters, ...] = ()

    @property
    def seen(self) -> int:
        """Frames that went by."""
        return sum(port.seen for port in self.ports)

    @property
    def matched(self) -> int:
        """Of these those that were asked for."""
        return sum(port.matched for port in self.ports)

    @property
    def dropped(self) -> int:
        """Of those those that the tester had no room for; counters of streams and ports have them."""
        return sum(port.dropped for port in self.ports)

    def __str__(self) -> str:
        text = f"{self.captured:,} frames captured of {self.matched:,} that matched, {self.seen:,} seen"
        return f"{text}, {self.dropped:,} DROPPED" if self.dropped else text


@dataclass(frozen=True)
class StoppedCapture:
    """A capture that copies no more."""

    counters: CaptureCounters
    clock_zero_unix_ns: int  # time since 1970 when the tester's clock was 0
    started_ns: int
    stopped_ns: int
    streams: Mapping[int, str] = field(default_factory=dict)  # names by id


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
