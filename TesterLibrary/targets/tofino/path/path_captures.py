# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures of a switch that has paths: only traces of those paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ....errors import PlanError
from ....measurement.capture import StoppedCapture
from ....measurement.captured_frames import CapturedFrames
from ....model.capture import Capture
from ...rules.refusal import known_job
from ..session.repeated_call import Turn, in_turn
from ..session.session import SwitchSession
from .path_run import PathRun
from .path_traces import PathTraces

INSTEAD = "load the switch with the program `tofino`, or use a testerd"


class PathCaptures:
    """The traces of the paths of loaded jobs.

    Args:
        session: The session of the switch.
        now_ns: The driver's clock.
        runs: The loaded jobs, by name.
        turn: Runs one call at a time.
    """

    def __init__(
        self,
        session: SwitchSession,
        now_ns: Callable[[], int],
        runs: Mapping[str, PathRun],
        turn: Turn,
    ) -> None:
        self._session, self._runs, self._turn = session, runs, turn
        self._traces = PathTraces(session, now_ns)

    @in_turn
    def start(self, capture: Capture) -> None:
        """See `TargetCaptures`. Of a path only, to this machine: a trace."""
        if capture.traced is None:
            raise PlanError(
                f"capture {capture.name!r}: the program of paths copies the packets of a path: Start Trace; "
                f"for what its ports send and receive, {INSTEAD}"
            )
        run = known_job(capture.traced.job, self._runs)
        path = run.path(capture.traced.path)
        self._traces.check(capture, path)
        run.replace(path, self._traces.begin(capture, path), self._session)

    @in_turn
    def stop(self, name: str) -> StoppedCapture:
        """See `TargetCaptures`."""
        self._untrace(name)
        return self._traces.end(name)

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """See `TargetCaptures`."""
        return self._traces.read(name)

    @in_turn
    def forget(self, name: str) -> None:
        """See `TargetCaptures`."""
        self._untrace(name)
        self._traces.forget(name)

    def close(self) -> None:
        """Forgets all traces, and listens no more."""
        self._traces.close()

    def _untrace(self, name: str) -> None:
        """Has the path of a trace, if it is still traced, go on without."""
        traced = self._traces.path_of(name)
        for run in self._runs.values() if traced else ():
            for path in run.paths:
                if path == traced:
                    run.replace(path, path.traced_as(0), self._session)
