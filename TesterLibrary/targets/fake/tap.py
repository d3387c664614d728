# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A capture of the fake tester, which sees every frame that passes a port, in order of time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ...errors import PlanError
from ...measurement.capture import CaptureCounters, CapturedFrame, CapturePortCounters, StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...model.capture import Capture, Direction, Keep
from ..base import PortInfo
from ..rules.packet_filter import Filter
from .trigger import FakeTrigger

_CLOCK_ZERO_UNIX_NS = 1_700_000_000 * 10**9  # equal calls give equal files


class FakeTap:
    """Copies the frames of a capture, at most `rate` each second."""

    def __init__(
        self, capture: Capture, ports: Mapping[str, PortInfo], *, started_ns: int, rate: int | None
    ) -> None:
        """Raises PlanError for a filter that is none."""
        self._capture = capture
        self._filter = Filter(capture.filter, f"capture {capture.name!r}") if capture.filter else None
        self._ports = capture.ports or tuple(ports)
        self._started_ns = started_ns
        self._rate = rate
        self._streams: dict[int, str] = {}
        self._counts: dict[str, Counter[str]] = {port: Counter() for port in self._ports}
        self._trigger = FakeTrigger(capture.trigger, f"capture {capture.name!r}") if capture.trigger else None
        most = capture.frames if capture.keep is Keep.LAST and not capture.trigger else None
        self._frames: deque[CapturedFrame] = deque(maxlen=most)
        self._stopped: StoppedCapture | None = None

    @property
    def running(self) -> bool:
        """Whether it is neither stopped nor complete."""
        if self._trigger:
            complete = self._trigger.complete
        else:
            complete = self._capture.keep is Keep.FIRST and len(self._frames) == self._capture.frames
        return self._stopped is None and not complete

    def know(self, stream_id: int, name: str) -> None:
        """Notes a stream that is loaded while the capture runs."""
        self._streams[stream_id] = name

    def see(self, frames: Iterable[CapturedFrame]) -> None:
        """Looks at frames that pass ports, until it is complete."""
        for frame in frames:
            if not self.running:
                return
            if frame.port in self._counts and self._wants_direction(frame.transmitted):
                self._see(frame)

    def _see(self, frame: CapturedFrame) -> None:
        counts = self._counts[frame.port]
        counts["seen"] += 1
        if not self._wants(frame):
            return
        counts["matched"] += 1
        if self._rate is not None and self._copied * 10**9 >= self._rate * (frame.time_ns - self._started_ns):
            counts["dropped"] += 1
            return
        kept = replace(frame, octets=frame.octets[: self._capture.snap_length or None])
        if self._trigger:
            kept = replace(kept, fires=self._trigger.fires(frame))
        self._frames.append(kept)
        if self._trigger:
            self._trigger.trim(self._frames)

    @property
    def _copied(self) -> int:
        return sum(c["matched"] - c["dropped"] for c in self._counts.values()) - 1  # without this frame

    def _wants_direction(self, transmitted: bool) -> bool:
        other = Direction.RECEIVED if transmitted else Direction.TRANSMITTED
        return self._capture.direction is not other

    def _wants(self, frame: CapturedFrame) -> bool:
        if self._capture.streams and self._streams.get(frame.stream_id) not in self._capture.streams:
            return False
        return self._filter is None or self._filter.matches(frame.octets)

    def counters(self) -> CaptureCounters:
        """Its counters as they are now."""
        ports = tuple(CapturePortCounters(port, **self._counts[port]) for port in self._ports)
        triggered_ns = self._trigger.fired_ns if self._trigger else 0
        return CaptureCounters(self._capture.name, self.running, len(self._frames), ports, triggered_ns)

    def stop(self, now_ns: int) -> StoppedCapture:
        """Stops copying."""
        if self._stopped is None:
            counters = replace(self.counters(), running=False)
            self._stopped = StoppedCapture(
                counters, _CLOCK_ZERO_UNIX_NS, self._started_ns, now_ns, dict(self._streams)
            )
        return self._stopped

    def frames(self) -> Iterator[CapturedFrames]:
        """The frames that were copied. PlanError unless it is stopped."""
        if self._stopped is None:
            raise PlanError(f"capture {self._capture.name!r} is not stopped; stop it first")
        return iter((CapturedFrames.of(self._frames),) if self._frames else ())
