# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The traces of paths in a switch, which sends a copy of each packet to this machine (Lumina, §3.4).

Copies have numbers, which the switch gives before any of them can be lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ...errors import PlanError, TargetError
from ...measurement.capture import (
    CaptureCounters,
    CapturedFrame,
    CapturePortCounters,
    Fate,
    StoppedCapture,
    TracedFrame,
)
from ...measurement.captured_frames import CapturedFrames
from ...model.capture import Capture
from ...model.inline import Drop
from ...planning.switch.chip import pipe_of
from .cabling import TracePort
from .entry import TableEntry, Value
from .path_entries import CARRIERS, DUE, MIRROR, TRACED, LoadedPath
from .path_readings import packets_at
from .session import SwitchSession
from .trace_receiver import TraceReceiver
from .trace_record import TraceRecord

_TRACES = range(1, 256)
_AT_ONCE = 10_000  # frames that are handed on together
_TIME, _HALF_TIME = 1 << 48, 1 << 47
_WAITS = 25  # times that nothing came, before the rest is taken for lost
_WAIT_S = 0.02
_SOURCE_MAC = 0x020000000001  # of copies; nobody answers them
_Records = Sequence[tuple[int, TraceRecord]]  # each with the time at which it came


@dataclass
class _Trace:
    """A trace of a path."""

    capture: Capture
    number: int
    path: LoadedPath
    started_ns: int
    due: tuple[int, int]  # by port, before it began
    stopped: StoppedCapture | None = None
    frames: list[CapturedFrame] = field(default_factory=list)

    @property
    def every(self) -> int:
        assert self.capture.traced is not None
        return self.capture.traced.every


class PathTraces:
    """The traces of the paths of a switch, by the names of their captures.

    Args:
        session: The session of the switch, with a port that leads traces away.
        now_ns: The driver's clock.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        session: SwitchSession,
        now_ns: Callable[[], int],
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._session, self._now_ns, self._sleep = session, now_ns, sleep
        self._traces: dict[str, _Trace] = {}
        self._receiver: TraceReceiver | None = None

    def check(self, capture: Capture, path: LoadedPath) -> None:
        """PlanError for a trace that the switch cannot have."""
        name, traced = capture.name, capture.traced
        assert traced is not None
        if name in self._traces:
            raise PlanError(f"there is a capture {name!r} already; forget it first")
        for other in self._traces.values():
            if other.stopped is None and other.path.ports == path.ports:
                raise PlanError(f"path {traced.path!r} is traced by {other.capture.name!r}; stop that first")
        if traced.every < 1:
            raise PlanError(f"{name}: every {traced.every} frames; at least 1")
        if capture.ports:
            raise PlanError(f"{name}: ports beside a path; a trace has the frames of the path")
        if self._session.cabling.trace is None:
            raise PlanError(
                f"{name}: the testbed has no trace port; a switch sends traces to this machine: give "
                "tester.switch.trace its port, and the address of the interface that it leads to"
            )
        pipes = {pipe_of(port) for port in path.ports}
        if len(pipes) > 1:
            raise PlanError(
                f"{name}: the ports of the path belong to pipelines {' and '.join(map(str, sorted(pipes)))} "
                "of the switch, and each numbers packets for itself; take two ports of one"
            )

    def begin(self, capture: Capture, path: LoadedPath) -> LoadedPath:
        """The path as it is traced from now on, with numbers from 0; its entries are still to be written."""
        taken = {trace.number for trace in self._traces.values()}
        number = next((free for free in _TRACES if free not in taken), None)
        if number is None:
            raise PlanError(f"{capture.name}: {len(_TRACES)} paths are traced already; stop a trace first")
        if self._receiver is None:
            self._receiver = self._open()
        self._session.write([_numbers(number)])
        due = packets_at(self._session, DUE, path.ports)
        self._receiver.begin(number)
        traced = path.traced_as(number)
        self._traces[capture.name] = _Trace(capture, number, traced, self._now_ns(), due)
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
            self._check_that_some_came(trace.stopped.counters)
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
        if trace.stopped is None and self._receiver is not None:
            self._receiver.end(trace.number)
        del self._traces[name]

    def close(self) -> None:
        """Forgets all of them, and listens no more."""
        self._traces.clear()
        if self._receiver is not None:
            self._receiver.close()
            self._receiver = None

    def _open(self) -> TraceReceiver:
        """Listens, and has the switch send copies to where it listens."""
        session, port = self._session, self._session.cabling.trace
        assert port is not None
        receiver = TraceReceiver(port.host.ip, self._now_ns)
        try:
            session.write([_carrier(port, session.trace_port, receiver.port)])
            session.set_mirror(MIRROR)
        except BaseException:
            receiver.close()
            raise
        return receiver

    def _check_that_some_came(self, counters: CaptureCounters) -> None:
        if counters.matched and counters.dropped == counters.matched:
            port = self._session.cabling.trace
            assert port is not None
            raise TargetError(
                f"{counters.name}: none of the {counters.matched:,} copies that are due has come to "
                f"{port.host.ip}; look whether that interface is up, at the other end of port {port.front}, "
                "and whether a firewall drops UDP to it"
            )

    def _trace(self, name: str) -> _Trace:
        if name not in self._traces:
            raise PlanError(f"there is no capture {name!r}; it was forgotten, or never started")
        return self._traces[name]

    def _end(self, trace: _Trace) -> StoppedCapture:
        receiver = self._receiver
        assert receiver is not None
        stopped_ns = self._now_ns()
        now = packets_at(self._session, DUE, trace.path.ports)
        due = [after - before for before, after in zip(trace.due, now, strict=True)]
        waits = 0
        while (came := receiver.count(trace.number)) < sum(due) and waits < _WAITS:
            self._sleep(_WAIT_S)
            waits = 0 if receiver.count(trace.number) > came else waits + 1
        records = sorted(receiver.end(trace.number), key=lambda record: record[1].number)
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
    """The frames of a trace, by their numbers; their times are moved from the switch's clock to the driver's.

    What came the soonest after it had arrived says how far the two clocks are apart.
    """
    planned = trace.path.path.planned
    ports = planned.first_port, planned.second_port
    times: list[int] = []
    for _, record in records:
        before = times[-1] if times else record.arrived
        times.append(before + (record.arrived - before + _HALF_TIME) % _TIME - _HALF_TIME)
    apart_ns = min((came_ns - at for (came_ns, _), at in zip(records, times, strict=True)), default=0)
    for at, (_, record) in zip(times, records, strict=True):
        events = (record.event - 1,) if record.event else ()
        dropped = any(isinstance(planned.events[event].action, Drop) for event in events)
        yield CapturedFrame(
            time_ns=at + apart_ns,
            port=ports[record.heading],
            transmitted=False,
            stream_id=0,
            sequence=record.number,
            original_length=len(record.frame),
            octets=record.frame[: trace.capture.snap_length or None],
            traced=TracedFrame(None, events, Fate.NONE if dropped else Fate.UNTIMED),
        )


def _numbers(trace: int) -> TableEntry:
    """The register that numbers the packets of a trace, from 0."""
    return TableEntry(TRACED, {"$REGISTER_INDEX": trace}, data={f"{TRACED.partition('.')[2]}.f1": 0})


def _carrier(port: TracePort, device_port: int, udp_port: int) -> TableEntry:
    """The entry that puts copies into datagrams to this machine."""
    data: Mapping[str, Value] = {
        "dst_mac": int.from_bytes(port.mac, "big"),
        "src_mac": _SOURCE_MAC,
        "dst": int(port.host.ip),
        "src": int(port.source),
        "dport": udp_port,
    }
    return TableEntry(CARRIERS, {"egress_port": device_port}, "PathEgress.carrier.carry", data)
