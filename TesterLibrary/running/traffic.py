# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic that runs until it is stopped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from ..errors import PlanError, TesterLibraryError
from ..measurement.flows import FlowMeasure, FlowSummary
from ..measurement.interval import Interval
from ..measurement.trial import Trial
from ..methodology.monitoring import MonitoringResult
from ..model.stream import Stream
from ..model.units.units import Duration
from .monitor import Monitor, MonitorThread
from .named import Named
from .tester import Tester
from .trial import StreamRun


class Traffic:
    """The running traffic of one tester, by handle."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._runs = Named[str, StreamRun]("traffic", "Start Traffic")
        self._started = 0
        self._monitor: MonitorThread | None = None

    def start(self, streams: Sequence[Stream]) -> str:
        """Puts streams on the wire together, to the end of the test or suite that runs. Returns the handle.

        Raises:
            PlanError: one of them is sending already, or the tester refuses; nothing has been started.
        """
        for stream in streams:
            self.refuse_if_sending(stream.name)
        self._started += 1
        handle = f"traffic-{self._started}"
        run = StreamRun(self._tester, handle, streams)
        run.load()
        try:
            run.start()
        except BaseException:
            run.unload()
            raise
        self._runs.begin(handle, run, self._tester.scopes, self._end_left_traffic)
        return handle

    def stop(self, names: Sequence[str]) -> tuple[Trial, ...]:
        """Takes handles, or streams by name, off the wire; all, if none is named. Returns their trials.

        They are stopped together, and unloaded whatever happens.

        Raises:
            TesterLibraryError: one of them is not sending, or other streams would end with it; nothing ends.
        """
        handles = tuple(dict.fromkeys(map(self._handle, names)) if names else self._runs)
        self._refuse_others(names, handles)
        if not handles:
            return ()
        with ExitStack() as unloading:
            runs = [self._runs.pop(handle) for handle in handles]
            for run in runs:
                unloading.callback(run.unload)
            try:
                self._tester.target.stop(handles)
            finally:
                if self._monitor and not set(handles).isdisjoint(self._monitor.monitor.jobs):
                    self._end_monitoring(self._monitor)
            return tuple(self._tester.evidence.record(run.finish()) for run in runs)

    def close(self) -> None:
        """Ends watching, and forgets everything: the tester, which is closed next, ends the traffic."""
        watching, self._monitor = self._monitor, None
        if watching:
            watching.cancel()
        self._runs.clear()
        self._tester.air.runs.clear()

    def _end_left_traffic(self, handle: str) -> str:
        """Stops traffic at the end of its scope: its frames would disturb what follows."""
        run = self._runs.get(handle)
        if run is None:
            return ""
        names = ", ".join(stream.name for stream in run.streams)
        self.stop([handle])
        return f"traffic of {names} was still running and has been stopped; call Stop Traffic"

    def start_monitoring(self, interval: Duration) -> tuple[str, ...]:
        """Watches what is on the wire now, interval by interval. Returns the names of its streams.

        Raises:
            PlanError: nothing is sending, it is watched already, or the interval is not above 0.
        """
        if self._monitor:
            raise PlanError(
                f"{', '.join(self._monitor.monitor.streams)} is monitored already; call Stop Monitoring first"
            )
        if not self._runs:
            raise PlanError("nothing is sending that could be monitored; call Start Traffic first")
        if interval.ns <= 0:
            raise PlanError(f"an interval of {interval} is too short; it must be above 0")
        runs = tuple(self._runs.values())
        watching = MonitorThread(Monitor(self._tester, runs, interval, show=self._tester.progress.interval))
        self._monitor = watching
        self._tester.scopes.at_end(lambda: self._left_watched(watching))
        return watching.monitor.streams

    def watch(self, handle: str, duration: Duration, interval: Duration) -> MonitoringResult:
        """Watches one run for so long, interval by interval, in the time of the tester. It goes on then."""
        tester = self._tester
        monitor = Monitor(tester, [self._runs[handle]], interval, show=tester.progress.interval)
        end_ns = tester.target.snapshot([handle]).taken_at_ns + duration.ns
        while True:
            pause = monitor.poll()
            left_ns = end_ns - tester.target.snapshot([handle]).taken_at_ns
            if left_ns <= 0:
                return self._monitored(monitor.finish())
            tester.clock.sleep(min(pause, left_ns / 1e9))

    def stop_monitoring(self) -> MonitoringResult:
        """Ends the last interval, unless the end of its traffic has. PlanError if nothing was monitored."""
        if self._monitor:
            self._end_monitoring(self._monitor)
        return self.monitored()

    def monitored(self) -> MonitoringResult:
        """The intervals that have ended of what is monitored now, or the last monitoring of this test.

        Raises:
            PlanError: nothing is monitored, and nothing was.
            TargetError: the tester died while it was watched.
        """
        if self._monitor:
            return self._monitor.so_far()
        found = self._tester.scopes.current.monitored
        if found is None:
            raise PlanError("nothing was monitored in this test; call Start Monitoring while traffic runs")
        return found

    def flows(self, name: str, most: int, by: FlowMeasure) -> FlowSummary | None:
        """The flows of a stream as they are now; None if it is not sending.

        Raises:
            PlanError: its flows are not counted.
        """
        for run in self._runs.values():
            for stream in run.plan.streams:
                if stream.name == name:
                    return run.flows(stream, most, by)
        return None

    def intervals(self) -> tuple[Interval, ...]:
        """Intervals of the monitoring that runs, or of the last one in this test."""
        if self._monitor:
            return self._monitor.monitor.intervals
        found = self._tester.scopes.current.monitored
        return found.intervals if found else ()

    def _end_monitoring(self, watching: MonitorThread) -> None:
        self._monitor = None
        self._monitored(watching.finish())

    def _monitored(self, result: MonitoringResult) -> MonitoringResult:
        self._tester.scopes.current.monitored = result
        self._tester.recorder.result(result)
        self._tester.progress.end(str(result))
        return result

    def _left_watched(self, watching: MonitorThread) -> str:
        if self._monitor is watching:
            self._end_monitoring(watching)
        return ""

    def update(self, stream: Stream) -> None:
        """Changes how a stream leaves where it is sending, in a trial too."""
        for run in self._tester.air.runs:
            if stream.name in run:
                run.update(stream)

    def refuse_if_sending(self, stream: str) -> None:
        """Raises PlanError if the stream is on the wire."""
        for handle, run in self._runs.items():
            if stream in run:
                raise PlanError(f"stream {stream!r} is sending as {handle!r}; call Stop Traffic first")

    def _refuse_others(self, names: Sequence[str], handles: Sequence[str]) -> None:
        """Raises TesterLibraryError if streams that nobody named would end with those that are named."""
        for handle in handles if names else ():
            streams = [stream.name for stream in self._runs[handle].streams]
            others = [name for name in streams if name not in names]
            if handle not in names and others:
                named = ", ".join(name for name in streams if name in names)
                raise TesterLibraryError(
                    f"to stop {named} would end {', '.join(others)}, too, as they were started together; "
                    f"stop all of {handle}, or start them one by one"
                )

    def _handle(self, name: str) -> str:
        for handle, run in self._runs.items():
            if name == handle or name in run:
                return handle
        streams = {handle: ", ".join(s.name for s in run.streams) for handle, run in self._runs.items()}
        raise self._runs.refusal(name, [f"{handle} ({names})" for handle, names in streams.items()])
