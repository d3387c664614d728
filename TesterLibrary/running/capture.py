# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures that run until they are stopped, and the files they become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import PlanError, TesterLibraryError
from ..measurement.capture import CaptureCounters, CapturedFrame, StoppedCapture
from ..measurement.captured_frames import CapturedFrames, frames_of
from ..model.capture import Capture
from ..model.units.units import Duration
from ..reporting.captures.excerpts import MOST_EXCERPTS, Excerpt
from ..reporting.captures.frames import FOLDER, FrameFile, FrameRows, check_parquet
from ..reporting.captures.pcapng import free_path, not_written, write_capture
from ..reporting.record.durable import RecordError, make_directory
from ..targets.base import part_of
from .capture_losses import CaptureLosses
from .named import Named
from .tester import Tester


@dataclass(frozen=True)
class CaptureFile:
    """A capture that has been written down."""

    path: Path
    counters: CaptureCounters
    heads: tuple[CapturedFrames, ...] = ()  # all frames, cut short
    streams: Mapping[int, str] = field(default_factory=dict)  # names by id
    frames: tuple[FrameFile, ...] = ()  # Parquet, one file for each trial
    excerpt: Excerpt | None = None  # frames around losses
    waited: bool = False  # for a trigger, which never came

    def of_stream(self, name: str) -> list[CapturedFrame]:
        """The frames of a stream, cut short."""
        ids = [number for number, stream in self.streams.items() if stream == name]
        return list(frames_of(batch.of_streams(ids) for batch in self.heads))


_KEPT_LATE = Duration(400_000_000)  # a frame that has matched is kept by then
_HEAD = 512  # bytes of a frame in which its headers are looked for; whole words


class Captures:
    """The captures of one tester, by name."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._directory = tester.recorder.directory / "captures"
        self._running = Named[str, Capture]("running capture", "Start Capture")  # some may be complete
        self._parquet: set[str] = set()  # names of those whose frames become rows, too
        self._files = Named[str, CaptureFile]("stopped capture", "Start Capture and Stop Capture")
        self._started = 0

    def free_name(self) -> str:
        """A name for a capture that was given none."""
        self._started += 1
        return f"capture-{self._started}"

    def start(self, capture: Capture, *, parquet: bool = False) -> None:
        """Copies frames from now on; `parquet`: each becomes a row of a Parquet file, too.

        Raises:
            PlanError: one of that name is running, or the tester refuses, for instance the filter.
            TesterLibraryError: there is no pyarrow, or no room for its files.
        """
        if capture.name in self._running:
            raise PlanError(f"capture {capture.name!r} is running already; stop it first")
        if parquet:
            check_parquet()
        target = self._tester.target
        part_of(target, "captures").start(capture)
        if parquet:
            try:
                make_directory(self._rows_directory)
            except RecordError:
                part_of(target, "captures").forget(capture.name)
                raise
            self._parquet.add(capture.name)
        self._running.begin(capture.name, capture, self._tester.scopes, self._end_left)

    def stop(self, name: str | None = None) -> CaptureFile:
        """Ends a capture, or the only one, and writes its files, which no other one ever replaces.

        Raises:
            TesterLibraryError: a file could not be written. If it is the pcapng file, the tester keeps them.
        """
        name = self._running.only(name)
        capture = self._running[name]
        target = self._tester.target
        stopped = part_of(target, "captures").stop(name)
        rows = FrameRows(name, stopped.streams) if name in self._parquet else None
        heads: list[CapturedFrames] = []

        def noted(frames: Iterable[CapturedFrames]) -> Iterator[CapturedFrames]:
            for batch in frames:
                heads.append(batch.cut(_HEAD))
                if rows:
                    rows.add(batch)
                yield batch

        path = free_path(self._directory, name)
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            write_capture(path, capture, stopped, noted(part_of(target, "captures").read(name)), self._macs)
        except OSError as problem:
            raise not_written(problem, path, name, "Stop Capture") from None
        waited = capture.trigger is not None and not stopped.counters.triggered
        file = CaptureFile(path, stopped.counters, tuple(heads), stopped.streams, waited=waited)
        file, problems = self._with_rows_and_losses(file, capture, stopped, rows)
        part_of(target, "captures").forget(name)
        del self._running[name]
        self._parquet.discard(name)
        self._files[name] = file
        self._record(file)
        if problems:
            raise TesterLibraryError(f"{' '.join(problems)} All frames are in {path}")
        return file

    def _with_rows_and_losses(
        self, file: CaptureFile, capture: Capture, stopped: StoppedCapture, rows: FrameRows | None
    ) -> tuple[CaptureFile, list[str]]:
        """A capture with the files that are made of it beside its own, and what went wrong with them."""
        problems: list[str] = []
        recorder = self._tester.recorder
        parts = self._tester.evidence.parts.between(stopped.started_ns, stopped.stopped_ns, stopped.streams)
        losses = CaptureLosses(capture, stopped, parts, file.heads)
        if rows:
            try:
                sequences = losses.sequences
                written = rows.write(self._rows_directory, file.path.stem, recorder.place, sequences)
                file = replace(file, frames=written)
            except RecordError as problem:
                problems.append(f"{problem}.")
        if len(recorder.excerpts) < MOST_EXCERPTS:
            try:
                short = min(capture.snap_length or _HEAD, _HEAD)
                file = replace(file, excerpt=losses.excerpt(file.path, self._macs, snap_length=short))
            except OSError as problem:
                problems.append(f"{RecordError(self._directory, problem)}.")
        if file.excerpt:
            recorder.excerpts.append(file.excerpt)
        return file, problems

    def stopped(self, name: str | None = None) -> CaptureFile:
        """A capture that was stopped in this test, the last one if no name is given."""
        if name is None and self._files:
            name = tuple(self._files)[-1]
        return self._files[self._files.only(name)]

    def stop_all(self) -> None:
        """Ends all that are running, and writes their files."""
        for name in tuple(self._running):
            self.stop(name)

    def statistics(self, name: str | None = None) -> CaptureCounters:
        """Counters of a running capture, as they are now, or of one that was stopped.

        Frames that have matched are kept a moment later, which is waited for.
        """
        over = [key for key in self._files if key not in self._running and name in (key, None)]
        if over and (name or not self._running):
            return self._files[over[-1]].counters
        name = self._running.only(name)
        capture = self._running[name]

        def read() -> CaptureCounters:
            captures = self._tester.target.snapshot().captures
            return next(counters for counters in captures if counters.name == name)

        def is_complete(counters: CaptureCounters) -> bool:
            due = min(capture.frames, counters.least_matched - counters.dropped)
            return counters.captured >= due or capture.trigger is not None

        return self._tester.clock.reading(read, is_complete, within=_KEPT_LATE)

    def close(self) -> None:
        """Writes the files of those that nobody has stopped. Never raises: the events say what is missing."""
        for name in tuple(self._running):
            try:
                self.stop(name)
            except (TesterLibraryError, OSError) as problem:
                with suppress(RecordError):
                    self._tester.recorder.event("capture_not_written", capture=name, reason=str(problem))
        self._running.clear()
        self._parquet.clear()

    def _end_left(self, name: str) -> str:
        """Writes the file of a capture that still runs, and forgets it."""
        if name in self._running:
            self.stop(name)
        self._files.pop(name, None)
        return ""

    @property
    def _rows_directory(self) -> Path:
        return self._tester.recorder.directory / FOLDER

    @property
    def _macs(self) -> dict[str, bytes]:
        return {port.name: port.mac for port in self._tester.capabilities.ports}

    def _record(self, file: CaptureFile) -> None:
        """The files and what is missing in them, in the evidence of the run."""
        recorder = self._tester.recorder
        excerpt, frames = file.excerpt, file.frames
        recorder.event(
            "capture",
            capture=file.counters.name,
            file=str(file.path.relative_to(recorder.directory)),
            captured=file.counters.captured,
            matched=file.counters.matched,
            dropped=file.counters.dropped,
            **({"frames": [each.record(recorder.directory) for each in frames]} if frames else {}),
            **({"losses": str(excerpt.path.relative_to(recorder.directory))} if excerpt else {}),
        )
