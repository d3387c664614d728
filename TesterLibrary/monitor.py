# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches traffic while it runs: closes an interval, waits until its frames have arrived, reads it.

Every frame says by one bit in which of two versions of its stream's counters it belongs (norma §6.1). A flip
lets frames leave with the other one. A closed version is read when all of it has arrived, or when nothing of
it has arrived for a guard time that is longer than the device has been seen to take; and once more before it
is opened again, so that what came later still is counted in its own interval.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .bench import Bench
from .errors import PlanError
from .measurement.counter import increase
from .measurement.interval import Interval, PortInterval, StreamInterval, may_be_copies
from .measurement.snapshot import Snapshot, StreamCounters
from .methodology.monitoring import Method, MonitoringResult
from .model.units import Duration
from .run import Run

_LEAST_GUARD_NS = 10_000_000  # a tester that had to wait for its CPU reads what has arrived so much later
_GUARD_FACTOR = 2  # a frame may take so many times as long as the slowest one so far
_PATIENCE_NS = 2 * 10**9  # with a device that has fallen silent, beyond the guard time
_FIRST_PATIENCE_NS = 10 * 10**9  # with one that nothing has come from yet
_POLL_S = 0.005


@dataclass(frozen=True)
class _Stretch:
    """From one flip to the next."""

    start_ns: int
    version: int
    before: Snapshot  # the version's counters, which stood still, before it was opened


class Monitor:
    """Intervals of the streams of some runs that are sending."""

    def __init__(
        self,
        bench: Bench,
        runs: Sequence[Run],
        interval: Duration,
        *,
        show: Callable[[Interval], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Begins the first interval. `show` is told each that has ended."""
        self._bench = bench
        self._runs = tuple(runs)
        self._interval = interval
        self._show = show
        self._sleep = sleep
        self._jobs = [run.name for run in runs]
        self._names = {s.id: s.name for run in runs for s in run.plan.streams if s.measured}
        if not self._names:
            raise PlanError("no stream is sending whose frames are known again where they arrive")
        own = [s for run in runs for s in run.plan.streams if s.id in self._names]
        self._ports = tuple(dict.fromkeys(port for s in own for port in (s.tx_port, s.rx_port)))
        self._offsets = {s.id: bench.correction(s).offset_ns for run in runs for s in run.plan.streams}
        self._intervals: list[Interval] = []
        self._closed: _Stretch | None = None
        self._guard_ns = _LEAST_GUARD_NS
        self._begun = self._cancelled = False
        self._first = self._snapshot()
        self._reason = _reason_against(self._first, self._names)
        if not self._reason:
            self._open = self._flip(self._first)

    @property
    def streams(self) -> tuple[str, ...]:
        """Names of the streams."""
        return tuple(self._names.values())

    @property
    def jobs(self) -> tuple[str, ...]:
        """Handles of the runs."""
        return tuple(self._jobs)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Those that have ended; the last one may still have frames on their way."""
        return tuple(self._intervals)

    def poll(self) -> float:
        """Ends the open interval if it is due. Returns the seconds until something is to be done again."""
        if self._reason:
            return self._interval.seconds
        self._begin()
        now = self._snapshot()
        left = self._open.start_ns + self._interval.ns - now.taken_at_ns
        if left <= 0:
            self._turn(now)
            return _POLL_S
        return max(_POLL_S, left / 1e9)

    def finish(self) -> MonitoringResult:
        """Ends the last interval. Where the device erases versions, there is one from start to end."""
        if not self._reason:
            self._begin()
            self._turn(self._snapshot())
        if not self._reason:  # a turn may find one
            self._amend(self._snapshot())
        after = self._snapshot()
        if self._reason:
            self._intervals = [self._whole(after)]
        return self._result(sending=any(s.sending for s in after.streams))

    def so_far(self) -> MonitoringResult:
        """The intervals that have ended, while the next one is open. It changes nothing."""
        return self._result(sending=True)

    def cancel(self) -> None:
        """Has the present reading end at once; its interval says nothing."""
        self._cancelled = True

    def _result(self, *, sending: bool) -> MonitoringResult:
        everything = self._bench.target.snapshot(self._jobs)
        evidence = [run.evidence(self._first, everything) for run in self._runs]
        objections = [o for e in evidence for o in e.objections(self._bench.rules.limits)]
        if self._reason and sending:
            objections.append(f"{self._reason}, so it takes the end of the traffic to tell what is lost")
        return MonitoringResult(
            title=" + ".join(self.streams),
            trials=(),
            interval_ns=self._interval.ns,
            method=Method.QUIESCING if self._reason else Method.VERSION,
            reason=self._reason,
            intervals=tuple(self._intervals),
            objections=tuple(dict.fromkeys(objections)),
        )

    def _snapshot(self) -> Snapshot:
        """Counters of the streams whose frames are known again where they arrive."""
        found = self._bench.target.snapshot(self._jobs)
        return replace(found, streams=tuple(s for s in found.streams if s.id in self._names))

    def _flip(self, before: Snapshot) -> _Stretch:
        flipped = self._bench.target.flip(self._jobs)
        return _Stretch(flipped.at_ns, 1 - flipped.closed_version, before)

    def _begin(self) -> None:
        """Waits for what left before the first interval, with the version that the second one will have."""
        if not self._begun:
            self._begun = True
            self._settled(1 - self._open.version)

    def _turn(self, before: Snapshot) -> None:
        """Closes the open interval, and reads it when all of it has arrived or nothing more will."""
        self._amend(before)
        self._closed, self._open = self._open, self._flip(before)
        after = self._settled(self._closed.version)
        self._reason = _reason_against(after, self._names)
        if self._reason:
            return
        interval = self._read(self._closed, after, len(self._intervals) + 1)
        if self._intervals and not interval.sent and not any(s.sending for s in after.streams):
            self._closed = None  # the traffic had ended before it began
            return
        self._intervals.append(interval)
        self._show(interval)

    def _amend(self, now: Snapshot) -> None:
        """Counts what came after all in its own interval; from now on we wait as long as that took."""
        if self._closed is None:
            return
        again = self._read(self._closed, now, len(self._intervals))
        if again.received != self._intervals[-1].received:
            self._intervals[-1] = again
            self._guard_ns = max(self._guard_ns, again.guard_ns)

    def _read(self, closed: _Stretch, after: Snapshot, number: int) -> Interval:
        end_ns = self._open.start_ns
        if not any(s.sending for s in after.streams):  # the traffic ended within it
            last_ns = max(s.last_tx_ns for s in after.streams)
            end_ns = min(end_ns, max(last_ns, closed.start_ns) + 1)
        return Interval(
            number=number,
            start_ns=closed.start_ns,
            end_ns=end_ns,
            guard_ns=after.taken_at_ns - end_ns,
            streams=tuple(
                StreamInterval.between(
                    self._names[s.id],
                    closed.before.stream(s.id).versions[closed.version],
                    s.versions[closed.version],
                    end_ns - closed.start_ns,
                    self._offsets[s.id],
                    again=increase(may_be_copies(closed.before.stream(s.id).order), may_be_copies(s.order)),
                )
                for s in after.streams
            ),
            ports=tuple(
                PortInterval.between(
                    name,
                    closed.before.port(name).versions[closed.version],
                    after.port(name).versions[closed.version],
                )
                for name in self._ports
            ),
        )

    def _settled(self, version: int) -> Snapshot:
        """The counters when no more of a closed version will arrive.

        A silent device may still hold frames. So the guard time runs from the last arrival of the closed
        version, and counts only where frames of the next one arrive: one that forwards those has none of the
        others left, unless it puts them out of order.
        """
        latest = self._snapshot()
        quiet_since, seen = latest.taken_at_ns, _arrived(latest, version)
        follow = _arrived(latest, 1 - version)
        while not (self._cancelled or all(_is_complete(s, version) for s in latest.streams)):
            self._sleep(_POLL_S)
            latest = self._snapshot()
            now, arrived = latest.taken_at_ns, _arrived(latest, version)
            if arrived != seen:
                quiet_since, seen = now, arrived
            following = all(
                a > b or not s.sending
                for a, b, s in zip(_arrived(latest, 1 - version), follow, latest.streams, strict=True)
            )
            self._guard_ns = max(self._guard_ns, _GUARD_FACTOR * _slowest_ns(latest))
            heard = any(s.rx_packets for s in latest.streams)
            patience = 0 if following else _PATIENCE_NS if heard else _FIRST_PATIENCE_NS
            if now - quiet_since > self._guard_ns + patience:
                break
        return latest

    def _whole(self, after: Snapshot) -> Interval:
        """All traffic as one interval, from its first frame to its last."""
        start_ns = min(s.first_tx_ns for s in after.streams)
        end_ns = max(s.last_tx_ns for s in after.streams) + 1
        return Interval(
            number=1,
            start_ns=start_ns,
            end_ns=end_ns,
            guard_ns=after.taken_at_ns - end_ns,
            streams=tuple(
                StreamInterval.whole(self._names[s.id], s, end_ns - start_ns, self._offsets[s.id])
                for s in after.streams
            ),
        )


class MonitorThread:
    """Polls a monitor until it is to finish."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._poll, name="monitor", daemon=True)
        self._thread.start()

    def so_far(self) -> MonitoringResult:
        """The intervals that have ended. Raises what has ended the thread before its time."""
        if self._error:
            raise self._error
        return self.monitor.so_far()

    def finish(self) -> MonitoringResult:
        """Ends the last interval. Raises what has ended the thread before its time, such as a TargetError."""
        self._end()
        if self._error:
            raise self._error
        return self.monitor.finish()

    def cancel(self) -> None:
        """Ends the thread; nothing is said of what it has seen."""
        self.monitor.cancel()
        self._end()

    def _end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _poll(self) -> None:
        try:
            while not self._ended.wait(self.monitor.poll()):
                pass
        except BaseException as error:
            self._error = error


def _arrived(snapshot: Snapshot, version: int) -> list[int]:
    return [s.versions[version].rx_packets for s in snapshot.streams]


def _is_complete(stream: StreamCounters, version: int) -> bool:
    counted = stream.versions[version]
    return counted.rx_packets >= counted.tx_packets


def _slowest_ns(snapshot: Snapshot) -> int:
    """What the slowest frame has taken, where frames tell; else the mean, which is all there is to know."""
    return max(_slowest_of(s) for s in snapshot.streams)


def _slowest_of(stream: StreamCounters) -> int:
    if stream.latency.count:
        return stream.latency.max_ns
    means = [
        v.rx_time_ns // v.rx_packets - v.tx_time_ns // v.tx_packets
        for v in stream.versions
        if v.rx_packets and v.tx_packets and v.rx_time_ns is not None and v.tx_time_ns is not None
    ]
    return 2 * max(means, default=0)


def _reason_against(snapshot: Snapshot, names: dict[int, str]) -> str:
    """Why versions cannot be told apart; empty if they can."""
    for stream in snapshot.streams:
        if not stream.versions:
            return f"frames of {names[stream.id]!r} have no field for a version"
        more = [v.rx_packets - v.tx_packets for v in stream.versions]
        if stream.rx_version_rewritten or max(more) > (stream.order.duplicated or stream.order.behind or 0):
            return f"the device writes over the version of {names[stream.id]!r}"
    return ""
