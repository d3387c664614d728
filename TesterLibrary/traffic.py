# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic that runs until it is stopped."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import PlanError, TesterLibraryError
from .measurement.trial import Trial
from .measurer import Bench, Run
from .model.stream import Stream


class Traffic:
    """What is on the wire of one tester, by handle."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._runs: dict[str, Run] = {}
        self._started = 0

    def start(self, streams: Sequence[Stream]) -> str:
        """Puts streams on the wire together. Returns the handle.

        Raises:
            PlanError: one of them is sending already, or the tester refuses; nothing has been started.
        """
        for stream in streams:
            self.refuse_if_sending(stream.name)
        self._started += 1
        handle = f"traffic-{self._started}"
        run = Run(self._bench, handle, streams)
        run.load()
        try:
            run.start()
        except BaseException:
            run.unload()
            raise
        self._runs[handle] = run
        return handle

    def stop(self, names: Sequence[str]) -> Trial | None:
        """Takes handles, or streams by name, off the wire; all, if none is named. Returns the last trial."""
        trial = None
        for handle in dict.fromkeys(map(self._handle, names)) if names else tuple(self._runs):
            run = self._runs.pop(handle)
            try:
                self._bench.target.stop([handle])
                trial = self._bench.record(run.finish())
            finally:
                run.unload()
        return trial

    def update(self, stream: Stream) -> None:
        """Changes how a stream leaves where it is sending, in a trial too."""
        for run in self._bench.on_air:
            if stream.name in run:
                run.update(stream)

    def refuse_if_sending(self, stream: str) -> None:
        """Raises PlanError if the stream is on the wire."""
        for handle, run in self._runs.items():
            if stream in run:
                raise PlanError(f"stream {stream!r} is sending as {handle!r}; call Stop Traffic first")

    def _handle(self, name: str) -> str:
        for handle, run in self._runs.items():
            if name == handle or name in run:
                return handle
        known = ", ".join(self._runs) or "nothing"
        raise TesterLibraryError(f"{name!r} is not sending; {known} is")
