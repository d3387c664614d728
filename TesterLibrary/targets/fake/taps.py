# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""All captures of a fake tester, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import merge

from ...measurement.capture import CaptureCounters, CapturedFrame
from ...model.capture import Capture
from ...model.plan.plan import PlannedStream
from ...model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from ..base import PortInfo
from ..rules.captures import check_capture, known_capture
from .stream import FakeStream
from .tap import FakeTap


class FakeTaps:
    """Shows every capture the frames that pass ports."""

    def __init__(self, ports: Mapping[str, PortInfo], rate: int | None) -> None:
        """`rate`: frames/s that a capture has room for."""
        self._ports = ports
        self._rate = rate
        self._taps: dict[str, FakeTap] = {}
        self._shown_ns = 0  # captures have seen the frames of streams up to this time

    def __getitem__(self, name: str) -> FakeTap:
        """The capture of that name. PlanError if there is none."""
        return known_capture(name, self._taps)

    def add(self, capture: Capture, loaded: Iterable[PlannedStream], now_ns: int) -> None:
        """Adds a capture. Raises PlanError for those that an engine refuses, too."""
        check_capture(capture, self._ports, self._taps)
        tap = FakeTap(capture, self._ports, started_ns=now_ns, rate=self._rate)
        self._taps[capture.name] = tap
        self.know(loaded)

    def forget(self, name: str) -> None:
        """Forgets a capture. PlanError if there is none of that name."""
        self[name]
        del self._taps[name]

    def clear(self) -> None:
        """Forgets all captures."""
        self._taps.clear()

    def counters(self) -> tuple[CaptureCounters, ...]:
        """The counters of all captures as they are now."""
        return tuple(tap.counters() for tap in self._taps.values())

    def know(self, streams: Iterable[PlannedStream]) -> None:
        """Notes streams that are loaded."""
        for stream in streams:
            for tap in self._running():
                tap.know(stream.id, stream.name)

    def show(self, streams: Iterable[FakeStream], until_ns: int) -> None:
        """Shows captures the frames that have passed ports since the last time."""
        since_ns, self._shown_ns = self._shown_ns, until_ns
        self._show(*(stream.sightings(since_ns, until_ns) for stream in streams))

    def show_rest(self, stream: FakeStream, until_ns: int) -> None:
        """Shows the frames that are still on their way, of a stream that will be forgotten."""
        self._show(stream.sightings(self._shown_ns, until_ns))

    def show_alone(self, port: str, transmitted: bool, frame: bytes, now_ns: int) -> None:
        """Shows a frame that belongs to no stream."""
        octets = frame.ljust(MIN_FRAME_SIZE - FCS_LENGTH, b"\0")
        self._show([CapturedFrame(now_ns, port, transmitted, 0, None, len(octets), octets)])

    def _running(self) -> list[FakeTap]:
        return [tap for tap in self._taps.values() if tap.running]

    def _show(self, *sightings: Iterable[CapturedFrame]) -> None:
        taps = self._running()
        frames: Iterable[CapturedFrame] = merge(*sightings, key=lambda frame: frame.time_ns)
        if len(taps) > 1:  # a single capture stops reading frames when it is complete
            frames = list(frames)
        for tap in taps:
            tap.see(frames)
