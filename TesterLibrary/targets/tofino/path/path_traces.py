# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The traces of paths in a switch, which sends a copy of each packet to this machine (Lumina, §3.4).

Copies have numbers, which the switch gives before any of them can be lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ....errors import PlanError
from ....measurement.capture import (
    CaptureCounters,
    CapturedFrame,
    CapturePortCounters,
    Fate,
    StoppedCapture,
    TracedFrame,
)
from ....measurement.captured_frames import CapturedFrames
from ....model.capture import Capture
from ....model.inline import Drop
from ....planning.switch.chip import pipe_of
from ..copies.copies import Copies, driver_times, free_series, from_zero
from ..copies.copy_record import CopyRecord
from ..session.session import SwitchSession
from .path_entries import DUE, EGRESS, NUMBERS, LoadedPath
from .path_readings import packets_at

_AT_ONCE = 10_000  # frames that are handed on together
_Records = Sequence[tuple[int, CopyRecord]]  # each with the time at which it came


@dataclass
class _Trace:
    """A trace of a path."""

    capture: Capture
    series: int
    path: LoadedPath
    started_ns: int
    due: tuple[int, int]  # by port, before it began
    came: list[tuple[int, bytes]] = field(default_factory=list)  # each with the time at which it came
    stopped: StoppedCapture | None = None
    frames: list[CapturedFrame] = field(default_factory=list)

    def take(self, came_ns: int, octets: bytes) -> None:
        """Keeps a copy."""
        self.came.append((came_ns, octets))

    @property
    def every(self) -> int:
        return self.capture.traced.every if self.capture.traced else 1


class PathTraces:
    """The traces of the paths of a switch, by the names of their captures.

    Args:
        session: The session of the switch.
        now_ns: The driver's clock.
    """

    def __init__(self, session: SwitchSession, now_ns: Callable[[], int]) -> None:
        self._session, self._now_ns = session, now_ns
        self._traces: dict[str, _Trace] = {}
        self._copies = Copies(session, EGRESS, now_ns)

    def check(self, capture: Capture, path: LoadedPath) -> None:
        """PlanError for a trace that the switch cannot have."""
        name, traced = capture.name, capture.traced
        if traced is None:
            raise PlanError(f"capture {name!r} is of no path; give it a path to trace")
        if name in self._traces:
            raise PlanError(f"there is a capture {name!r} already; forget it first")
        for other in self._traces.values():
            if other.stopped is None and other.path.ports == path.ports:
                raise PlanError(f"path {traced.path!r} is traced by {other.capture.name!r}; stop that first")
        if traced.every < 1:
            raise PlanError(f"{name}: every {traced.every} frames; at least 1")
        if capture.ports:
            raise PlanError(f"{name}: ports beside a path; a trace has the frames of the path")
        self._copies.check(name)
        pipes = {pipe_of(port) for port in path.ports}
        if len(pipes) > 1:
            raise PlanError(
                f"{name}: the ports of the path belong to pipelines {' and '.join(map(str, sorted(pipes)))} "
                "of the switch, and each numbers packets for itself; take two ports of one"
            )

    def begin(self, capture: Capture, path: LoadedPath) -> LoadedPath:
        """The path as it is traced from now on, with numbers from 0; its entries are still to be written."""
        series = free_series([trace.series for trace in self._traces.values()])
        if series is None:
            raise PlanError(f"{capture.name}: {len(self._traces)} paths are traced already; forget a trace")
        self._copies.open()
        self._session.write([from_zero(NUMBERS, series)])
        due = packets_at(self._session, DUE, path.ports)
        traced = path.traced_as(series)
        trace = self._traces[capture.name] = _Trace(capture, series, traced, self._now_ns(), due)
        self._copies.follow(series, trace.take)
        return traced

    def path_of(self, name: str) -> LoadedPath | None:
        """The path that is traced; None: its trace was stopped."""
        trace = self._trace(name)
        return None if trace.stopped else trace.path

    def end(self, name: str) -> StoppedCapture:
        """Waits for the last records of a trace, whose path is traced no more, and puts them in order.

        Raises:
            TargetError: none has come of those that are due; asked again, it returns the empty trace.
        """
        trace = self._trace(name)
        if trace.stopped is None:
            trace.stopped = self._end(trace)
            due, came = trace.stopped.counters.seen, len(trace.came)
            trace.came.clear()
            self._copies.check_that_some_came(name, due=due, came=came)
        return trace.stopped

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """The frames of a trace that was stopped."""
        trace = self._trace(name)
        if trace.stopped is None:
            raise PlanError(f"capture {name!r} is running; stop it first")
        rest = iter(trace.frames)
        while part := tuple(islice(rest, _AT_ONCE)):
            yield CapturedFrames.of(part)

    def forget(self, name: str) -> None:
        """Deletes a trace."""
        trace = self._trace(name)
        if trace.stopped is None:
            self._copies.leave(trace.series, trace.take)
        del self._traces[name]

    def close(self) -> None:
        """Forgets all of them, and listens no more."""
        self._traces.clear()
        self._copies.close()

    def _trace(self, name: str) -> _Trace:
        if name not in self._traces:
            raise PlanError(f"there is no capture {name!r}; it was forgotten, or never started")
        return self._traces[name]

    def _end(self, trace: _Trace) -> StoppedCapture:
        stopped_ns = self._now_ns()
        now = packets_at(self._session, DUE, trace.path.ports)
        due = [after - before for before, after in zip(trace.due, now, strict=True)]
        self._copies.wait(lambda: max(0, sum(due) - len(trace.came)))
        self._copies.leave(trace.series, trace.take)
        parsed = [(came_ns, CopyRecord.parse(octets)) for came_ns, octets in trace.came]
        records = sorted(parsed, key=lambda record: record[1].number)
        sample = [(came_ns, record) for came_ns, record in records if record.number % trace.every == 0]
        kept = sample[: trace.capture.frames]
        trace.frames = list(_frames(trace, kept))
        counters = CaptureCounters(
            trace.capture.name, captured=len(trace.frames), ports=tuple(_ports(trace, due, kept))
        )
        return StoppedCapture(counters, time.time_ns() - self._now_ns(), trace.started_ns, stopped_ns)


def _ports(trace: _Trace, due: Sequence[int], kept: _Records) -> Iterator[CapturePortCounters]:
    """The counters of both ports. What a trace of each n-th packet misses is counted at the first."""
    planned = trace.path.path.planned
    came = [sum(record.heading == heading for _, record in kept) for heading in (0, 1)]
    missing = -(-sum(due) // trace.every) - sum(came)
    lost = [due[0] - came[0], due[1] - came[1]] if trace.every == 1 else [missing, 0]
    for heading, port in enumerate((planned.first_port, planned.second_port)):
        yield CapturePortCounters(port, due[heading], came[heading] + lost[heading], lost[heading])


def _frames(trace: _Trace, records: _Records) -> Iterator[CapturedFrame]:
    """The frames of a trace, by their numbers."""
    planned = trace.path.path.planned
    ports = planned.first_port, planned.second_port
    times = driver_times((came_ns, record.at) for came_ns, record in records)
    for time_ns, (_, record) in zip(times, records, strict=True):
        events = (record.event - 1,) if record.event else ()
        dropped = any(isinstance(planned.events[event].action, Drop) for event in events)
        yield CapturedFrame(
            time_ns=time_ns,
            port=ports[record.heading],
            transmitted=False,
            stream_id=0,
            sequence=record.number,
            original_length=len(record.frame),
            octets=record.frame[: trace.capture.snap_length or None],
            traced=TracedFrame(None, events, Fate.NONE if dropped else Fate.UNTIMED),
        )
