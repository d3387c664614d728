# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A capture on a switch: what it keeps of the copies that come to this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ....measurement.capture import CapturedFrame, CapturePortCounters, CopiedCaptureCounters
from ....model.capture import Capture, Direction, Keep
from ...rules.packet_filter import Filter
from .copied_streams import CopiedStreams
from .copies import driver_times
from .copy_numbers import CopyNumbers
from .copy_record import CopyRecord


@dataclass(frozen=True)
class Tap:
    """A port in one direction, where captures look."""

    port: str
    transmitted: bool


@dataclass
class _Watched:
    """The copies of a tap, as far as a capture has to do with them."""

    numbers: CopyNumbers
    take: Callable[[int, bytes], None]
    matched: int = 0


@dataclass(frozen=True)
class _Kept:
    came_ns: int
    at: int
    tap: Tap
    stream_id: int
    sequence: int | None
    original_length: int
    octets: bytes


class CopiedCapture:
    """Filters, counts and keeps copies as they come, in the order in which the switch has sent them.

    Args:
        capture: What is wanted.
        ports: The names of all ports.
        streams: Tells of which stream a copy is.
        started_ns: The driver's clock.

    Raises:
        PlanError: what libpcap says of the filter.
    """

    def __init__(
        self, capture: Capture, ports: tuple[str, ...], streams: CopiedStreams, started_ns: int
    ) -> None:
        self.capture, self.started_ns, self._streams = capture, started_ns, streams
        self._filter = Filter(capture.filter, f"capture {capture.name!r}") if capture.filter else None
        self._ports = capture.ports or ports
        directions = {Direction.RECEIVED: (False,), Direction.TRANSMITTED: (True,)}
        self.taps = tuple(
            Tap(port, transmitted)
            for port in self._ports
            for transmitted in directions.get(capture.direction, (False, True))
        )
        self._watched: dict[Tap, _Watched] = {}
        self._kept: deque[_Kept] = deque(maxlen=capture.frames if capture.keep is Keep.LAST else None)
        self.complete = False
        self.came = 0
        self.known: dict[int, str] = {}  # streams that were loaded while it ran, by id

    def begin(self, firsts: Mapping[Tap, int]) -> None:
        """Begins with the copies of these numbers."""
        for tap, first in firsts.items():
            self._watched[tap] = _Watched(CopyNumbers(first), partial(self._take, tap))

    def taker(self, tap: Tap) -> Callable[[int, bytes], None]:
        """Takes the copies of a tap."""
        return self._watched[tap].take

    def missing(self, ends: Mapping[Tap, int]) -> int:
        """Copies below these numbers that have not come, and without which it is not complete."""
        return 0 if self.complete else sum(self._watched[s].numbers.missing(ends[s]) for s in self.taps)

    def settle(self, ends: Mapping[Tap, int]) -> None:
        """Takes those that are missing below these numbers for lost."""
        for tap in () if self.complete else self.taps:
            self._watched[tap].numbers.settle(ends[tap])

    def counters(self, *, running: bool) -> CopiedCaptureCounters:
        """Its counters. A lost copy may have been of a frame that matches, so it counts as dropped."""
        ports = []
        for port in self._ports:
            watched = [self._watched[tap] for tap in self.taps if tap.port == port]
            lost = sum(each.numbers.lost for each in watched)
            seen = sum(each.numbers.due for each in watched)
            matched = sum(each.matched for each in watched)
            ports.append(CapturePortCounters(port, seen, matched + lost, lost))
        return CopiedCaptureCounters(
            self.capture.name, running and not self.complete, len(self._kept), tuple(ports)
        )

    def frames(self) -> list[CapturedFrame]:
        """The frames that it has kept, by their times."""
        times = driver_times((kept.came_ns, kept.at) for kept in self._kept)
        frames = [
            CapturedFrame(
                time_ns=time_ns,
                port=kept.tap.port,
                transmitted=kept.tap.transmitted,
                stream_id=kept.stream_id,
                sequence=kept.sequence,
                original_length=kept.original_length,
                octets=kept.octets,
            )
            for time_ns, kept in zip(times, self._kept, strict=True)
        ]
        return sorted(frames, key=lambda frame: frame.time_ns)

    def _take(self, tap: Tap, came_ns: int, octets: bytes) -> None:
        if self.complete:
            return
        record, watched = CopyRecord.parse(octets), self._watched[tap]
        if not watched.numbers.came(record.number):
            return
        self.came += 1
        stream_id, sequence = self._streams.of(record)
        if not self._wants(stream_id, record.frame):
            return
        watched.matched += 1
        cut = record.frame[: self.capture.snap_length or None]
        self._kept.append(_Kept(came_ns, record.at, tap, stream_id, sequence, len(record.frame), cut))
        if self.capture.keep is Keep.FIRST and len(self._kept) == self.capture.frames:
            self.complete = True
            for each in self._watched.values():
                each.numbers.settle()

    def _wants(self, stream_id: int, frame: bytes) -> bool:
        if self.capture.streams and self._streams.names.get(stream_id) not in self.capture.streams:
            return False
        return self._filter is None or self._filter.matches(frame)
