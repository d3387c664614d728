# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces of paths that run until they are stopped, and the files they become."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path as File

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.capture import CapturedFrame, Fate, StoppedCapture
from ..measurement.captured_frames import CapturedFrames
from ..measurement.traces.trace import Change, PathTrace, TracedPacket
from ..model.capture import Capture, TracedPath
from ..model.heading import Heading
from ..model.inline import ChecksumPolicy, Corrupt, Mark, Truncate
from ..model.plan.planned_path import PlannedAction, PlannedPath, PlannedRewrite
from ..model.units.units import FCS_LENGTH
from ..reporting.captures.frame_comments import Comments
from ..reporting.captures.frames import FOLDER, FrameFile, FrameRows, check_parquet
from ..reporting.captures.pcapng import free_path, not_written, write_capture
from ..reporting.record.durable import RecordError
from ..targets.base import part_of
from .named import Named
from .tester import Tester

_DIRECTIONS = (Heading.FORWARD, Heading.BACKWARD)
_CHANGES: Mapping[tuple[type, ...], Change] = {
    (Mark,): Change.MARKED,
    (Corrupt, Truncate): Change.DAMAGED,
    (PlannedRewrite,): Change.REWRITTEN,
}


@dataclass
class _Tracing:
    """A trace that was asked for."""

    every: int
    frames: int
    snap_length: int
    file: str
    parquet: bool
    planned: PlannedPath | None = None  # once it runs
    from_start: bool = False

    def capture(self, path: str, job: str = "") -> Capture:
        """The request to the tester."""
        return Capture(
            f"trace of {path}",
            frames=self.frames,
            snap_length=self.snap_length,
            traced=TracedPath(job, path, self.every),
        )


class Traces:
    """The traces of the paths of one tester, by the names of the paths."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._directory = tester.recorder.directory / "captures"
        self._tracing = Named[str, _Tracing]("running trace of path", "Start Trace")
        self._traces = Named[str, PathTrace]("stopped trace of path", "Start Trace and Stop Trace")

    def ask(
        self,
        path: str,
        *,
        every: int,
        frames: int,
        snap_length: int,
        file: str | None,
        parquet: bool = False,
    ) -> None:
        """Has a path traced from its next start on, or from `begin` on.

        Raises:
            PlanError: it is traced already, or what is asked for can never be right.
            TesterLibraryError: there is no pyarrow to write Parquet with.
        """
        if path in self._tracing:
            raise PlanError(f"path {path!r} is traced already; call Stop Trace first")
        for what, number in (("every", every), ("frames", frames), ("snap_length", snap_length)):
            if number < 1:
                raise PlanError(f"trace of path {path!r}: {what}={number}; give 1 or more")
        name = file or f"trace-{path}.pcapng"
        if File(name).name != name or not name.endswith(".pcapng"):
            raise PlanError(
                f"trace of path {path!r}: file={name}; give the name of a pcapng file, such as wan.pcapng"
            )
        if parquet:
            check_parquet()
        tracing = _Tracing(every, frames, snap_length, name, parquet)
        self._tracing.begin(path, tracing, self._tester.scopes, self._end_left)
        self._traces.pop(path, None)

    def withdraw(self, path: str) -> None:
        """Forgets what was asked for."""
        self._tracing.pop(path, None)

    def check_restart(self, paths: Collection[str]) -> None:
        """TesterLibraryError if a path is traced since an earlier start: the next one would not be in it."""
        for path in paths:
            if path in self._tracing and self._tracing[path].planned:
                raise TesterLibraryError(
                    f"path {path!r} is traced since an earlier start, and packets of a new one would be "
                    "missing in that trace; call Stop Trace first"
                )

    def restarted(self, paths: Collection[str]) -> None:
        """Paths were started: traces that had been stopped are of an earlier start."""
        for path in paths:
            if path in self._traces:
                self._traces[path] = replace(self._traces[path], from_start=False)

    def is_traced(self, path: str) -> bool:
        """Whether its trace is asked for, or runs."""
        return path in self._tracing

    def begin(self, path: PlannedPath, job: str, *, from_start: bool) -> None:
        """Begins the trace of a path that is loaded, if one was asked for and has not begun.

        Raises:
            PlanError: the tester refuses.
        """
        tracing = self._tracing.get(path.name)
        if tracing is None or tracing.planned is not None:
            return
        part_of(self._tester.target, "captures").start(tracing.capture(path.name, job))
        tracing.planned, tracing.from_start = path, from_start

    def take_back(self, path: str) -> None:
        """Its path was not started after all: the trace begins with the next start. Never raises."""
        tracing = self._tracing.get(path)
        if tracing is None or not tracing.planned:
            return
        tracing.planned = None
        name = tracing.capture(path).name
        captures = part_of(self._tester.target, "captures")
        for end in (captures.stop, captures.forget):
            with suppress(TargetError, PlanError):
                end(name)

    def stop(self, path: str | None = None) -> PathTrace:
        """Ends a trace, or the only one, and writes its files, which no other one ever replaces.

        Raises:
            TesterLibraryError: a file could not be written. If it is the pcapng file, the tester keeps them.
        """
        path = self._tracing.only(path)
        tracing = self._tracing[path]
        if tracing.planned is None:
            raise TesterLibraryError(f"path {path!r} was not started, so there is no trace of it")
        capture, target = tracing.capture(path), self._tester.target
        stopped = part_of(target, "captures").stop(capture.name)
        macs = {port.name: port.mac for port in self._tester.capabilities.ports}
        packets: list[TracedPacket] = []

        def noted(frames: CapturedFrames) -> Comments:
            these = [_packet(frame, tracing.planned) for frame in frames]
            packets.extend(these)
            return Comments.of(map(_comment, these))

        file = free_path(self._directory, File(tracing.file).stem)
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            write_capture(file, capture, stopped, part_of(target, "captures").read(capture.name), macs, noted)
        except OSError as problem:
            raise not_written(problem, file, capture.name, "Stop Trace") from None
        rows: tuple[FrameFile, ...] = ()
        refused = ""
        try:
            if tracing.parquet:
                rows = self._rows(path, tracing.planned, packets, file.stem)
        except RecordError as problem:
            refused = f"{problem}. All packets are in {file}"
        part_of(target, "captures").forget(capture.name)
        del self._tracing[path]
        self._traces[path] = self._found(path, stopped, tracing, packets, file, rows)
        if refused:
            raise TesterLibraryError(refused)
        return self._traces[path]

    def _rows(
        self, path: str, planned: PlannedPath, packets: Sequence[TracedPacket], stem: str
    ) -> tuple[FrameFile, ...]:
        """Writes the packets as rows. Raises RecordError."""
        rows, recorder = FrameRows(path), self._tester.recorder
        ports = (planned.first_port, planned.second_port)
        rows.add_packets(packets, dict(zip(_DIRECTIONS, ports, strict=True)))
        return rows.write(recorder.directory / FOLDER, stem, recorder.place)

    def stopped(self, paths: Sequence[str] = ()) -> list[PathTrace]:
        """Traces that were stopped in this test; all, if no path is named.

        Raises:
            TesterLibraryError: there is none of such a path.
        """
        for path in paths or (() if self._traces else tuple(self._tracing)):
            if path in self._tracing:
                raise TesterLibraryError(
                    f"the trace of path {path!r} is still being taken; call Stop Trace first"
                )
        return [self._traces[path] for path in paths or self._traces]

    def close(self) -> None:
        """Writes the files of those that nobody has stopped. Never raises: the events say what is missing."""
        for path, tracing in tuple(self._tracing.items()):
            try:
                if tracing.planned:
                    self.stop(path)
            except (TesterLibraryError, OSError) as problem:
                with suppress(RecordError):
                    self._tester.recorder.event("trace_not_written", path=path, reason=str(problem))
        self._tracing.clear()

    def _found(
        self,
        path: str,
        stopped: StoppedCapture,
        tracing: _Tracing,
        packets: list[TracedPacket],
        file: File,
        rows: Sequence[FrameFile],
    ) -> PathTrace:
        counters = stopped.counters
        trace = PathTrace(
            path,
            tuple(packets),
            received=counters.seen,
            due=counters.matched,
            dropped=counters.dropped,
            every=tracing.every,
            file=str(file),
            from_start=tracing.from_start,
            beside=tracing.planned.beside if tracing.planned else (),
        )
        self._tester.recorder.event(
            "trace",
            path=path,
            file=str(file.relative_to(self._tester.recorder.directory)),
            packets=len(packets),
            received=counters.seen,
            due=counters.matched,
            dropped=counters.dropped,
            every=tracing.every,
            conditions=[str(condition) for condition in trace.conditions],
            **({"frames": [each.record(self._tester.recorder.directory) for each in rows]} if rows else {}),
        )
        return trace

    def _end_left(self, path: str) -> str:
        """Writes the file of a trace that is still taken, and forgets it."""
        tracing = self._tracing.get(path)
        try:
            if tracing and tracing.planned:
                self.stop(path)
        finally:
            self._tracing.pop(path, None)
            self._traces.pop(path, None)
        return ""

    def one(self, path: str | None) -> PathTrace:
        """The trace of a path that was stopped; its name may be left out where there is one.

        Raises:
            TesterLibraryError: there is none, or several.
        """
        self.stopped([path] if path else ())
        return self._traces[self._traces.only(path)]

    def only(self) -> str:
        """The only path that is traced. TesterLibraryError if there is none, or several."""
        return self._tracing.only()


def _packet(frame: CapturedFrame, path: PlannedPath | None) -> TracedPacket:
    if path is None or frame.traced is None or frame.sequence is None:
        raise TargetError("the tester gave a traced packet without its path or number; trace it again")
    events = [path.events[index] for index in frame.traced.events]
    return TracedPacket(
        number=frame.sequence,
        direction=_DIRECTIONS[frame.port == path.second_port],
        arrived_ns=frame.time_ns,
        left_ns=frame.traced.left_ns,
        events=tuple(event.name for event in events),
        iteration=next((event.iteration for event in events if event.iteration), None),
        length=frame.original_length + FCS_LENGTH,
        octets=frame.octets,
        fate=frame.traced.fate,
        changes=frozenset(change for event in events for change in _changes(event.action)),
    )


def _changes(action: PlannedAction) -> Iterator[Change]:
    if isinstance(action, Corrupt) and action.checksum is ChecksumPolicy.REPAIR:
        yield Change.REPAIRED
        return
    yield from (change for kinds, change in _CHANGES.items() if isinstance(action, kinds))


def _comment(packet: TracedPacket) -> str:
    parts = [f"packet {packet.number}", packet.direction.name.lower()]
    parts += [f"event {name!r}" for name in packet.events]
    parts += [f"transmission {packet.iteration}"] if packet.iteration else []
    if packet.fate is Fate.HELD:
        until = "later packets have passed" if packet.held_ns is None else f"{packet.held_ns} ns later"
        parts.append(f"held until {until}")
    elif packet.fate is not Fate.NONE:
        parts.append(packet.fate.value)
    else:
        parts.append("has not left" if packet.held_ns is None else f"left after {packet.held_ns} ns")
    return ", ".join(parts)
