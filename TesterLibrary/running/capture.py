# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures that run until they are stopped, and the files they become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.capture import CaptureCounters, CapturedFrame
from ..model.capture import Capture
from ..reporting.pcapng import free_path, write_capture
from .tester import Tester


@dataclass(frozen=True)
class CaptureFile:
    """A capture that has been written down."""

    path: Path
    counters: CaptureCounters
    heads: tuple[tuple[str, CapturedFrame], ...] = ()  # each frame of a stream, cut short, with its name


_HEAD = 512  # bytes of a frame in which its headers are looked for


class Captures:
    """The captures of one tester, by name."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._directory = tester.recorder.directory / "captures"
        self._running: dict[str, Capture] = {}  # not stopped; some may be complete
        self._files: dict[str, CaptureFile] = {}
        self._started = 0

    def free_name(self) -> str:
        """A name for a capture that was given none."""
        self._started += 1
        return f"capture-{self._started}"

    def start(self, capture: Capture) -> None:
        """Copies frames from now on.

        Raises:
            PlanError: one of that name is running, or the tester refuses, for instance the filter.
        """
        if capture.name in self._running:
            raise PlanError(f"capture {capture.name!r} is running already; stop it first")
        self._tester.target.start_capture(capture)
        self._running[capture.name] = capture
        self._tester.scopes.at_end(lambda: self._left(capture.name))

    def stop(self, name: str | None = None) -> CaptureFile:
        """Ends a capture, or the only one, and writes its file, which no other one ever replaces."""
        name = name or self._only()
        capture = self._known(name)
        target = self._tester.target
        stopped = target.stop_capture(name)
        self._directory.mkdir(parents=True, exist_ok=True)
        path = free_path(self._directory, name)
        macs = {port.name: port.mac for port in self._tester.capabilities.ports}
        heads: list[tuple[str, CapturedFrame]] = []

        def noted(frames: Iterable[CapturedFrame]) -> Iterator[CapturedFrame]:
            for frame in frames:
                if frame.stream_id in stopped.streams:
                    cut = replace(frame, octets=frame.octets[:_HEAD])
                    heads.append((stopped.streams[frame.stream_id], cut))
                yield frame

        write_capture(path, capture, stopped, noted(target.read_capture(name)), macs)
        target.forget_capture(name)
        del self._running[name]
        self._files[name] = CaptureFile(path, stopped.counters, tuple(heads))
        self._record(name)
        return self._files[name]

    def stopped(self, name: str | None = None) -> CaptureFile:
        """A capture that was stopped in this test, the last one if no name is given."""
        if not self._files:
            raise TesterLibraryError(
                "no capture was stopped in this test; call Start Capture before what is measured, and "
                "Stop Capture after it"
            )
        if name is not None and name not in self._files:
            raise TesterLibraryError(
                f"no capture {name!r} was stopped in this test; {', '.join(self._files)} was"
            )
        return self._files[tuple(self._files)[-1] if name is None else name]

    def stop_all(self) -> None:
        """Ends all that are running, and writes their files."""
        for name in tuple(self._running):
            self.stop(name)

    def statistics(self, name: str | None = None) -> CaptureCounters:
        """Counters of a running capture, as they are now, or of one that was stopped."""
        name = name or self._only()
        if name not in self._running and name in self._files:
            return self._files[name].counters
        self._known(name)
        captures = self._tester.target.snapshot().captures
        return next(counters for counters in captures if counters.name == name)

    def close(self) -> None:
        """Writes the files of those that nobody has stopped. Never raises."""
        for name in tuple(self._running):
            with suppress(TargetError, PlanError, OSError):
                self.stop(name)
        self._running.clear()

    def _left(self, name: str) -> str:
        """Writes the file of a capture if nobody has, and forgets it."""
        if name in self._running:
            self.stop(name)
        self._files.pop(name, None)
        return ""

    def _only(self) -> str:
        names = tuple(self._running) or tuple(self._files)[-1:]
        if len(names) != 1:
            these = f"{', '.join(names)} are running" if names else "none was started"
            raise TesterLibraryError(f"which capture? {these}")
        return names[0]

    def _known(self, name: str) -> Capture:
        if name not in self._running:
            known = ", ".join(self._running) or "nothing"
            raise TesterLibraryError(f"there is no capture {name!r} to be stopped; {known} is running")
        return self._running[name]

    def _record(self, name: str) -> None:
        """The file and what is missing in it, in the evidence of the run."""
        file = self._files[name]
        self._tester.recorder.event(
            "capture",
            capture=name,
            file=str(file.path.relative_to(self._tester.recorder.directory)),
            captured=file.counters.captured,
            matched=file.counters.matched,
            dropped=file.counters.dropped,
        )
