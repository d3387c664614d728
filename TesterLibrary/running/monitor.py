# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches traffic while it runs: closes an interval, waits until its frames have arrived, reads it.

Every frame says by one bit in which of two versions of its stream's counters it belongs (norma §6.1). A flip
lets frames leave with the other one. A closed version is read when all of it has arrived, or when nothing of
it has arrived for a guard time that is longer than the device has been seen to take; and once more before it
is opened again, so that what came later still is counted in its own interval.

If more frames of a version arrived than were sent, the device writes over it: the interval cannot be read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..errors import PlanError
from ..measurement.counter import increase
from ..measurement.interval import (
    BY_VERSION,
    ON_THE_WAY,
    Interval,
    PortInterval,
    StreamInterval,
    may_be_copies,
    misattributed,
)
from ..measurement.snapshot import Snapshot, StreamCounters, without_signature
from ..measurement.versions import has_arrived, received_of, slowest_ns, sum_of_versions
from ..methodology.monitoring import Method, MonitoringResult
from ..model.units.units import Duration
from ..planning.reflection import reflections
from .arrived_frames import received, whole_or_not
from .tester import Tester
from .trial import StreamRun

_LEAST_GUARD_NS = 10_000_000  # how late a tester that waited for its CPU may read arrivals
_GUARD_FACTOR = 2  # a frame may take this many times as long as the slowest one so far
_PATIENCE_NS = 2 * 10**9  # waiting beyond the guard time for a device that has fallen silent
_FIRST_PATIENCE_NS = 10 * 10**9  # waiting for a device that has sent nothing yet
_POLL_S = 0.005


@dataclass(frozen=True)
class _Stretch:
    """The time from one flip to the next."""

    start_ns: int
    version: int
    before: Snapshot  # the version's counters before it was opened; until then they stood still


class Monitor:
    """Intervals of the streams of some runs that are sending."""

    def __init__(
        self,
        tester: Tester,
        runs: Sequence[StreamRun],
        interval: Duration,
        *,
        show: Callable[[Interval], None] = lambda _: None,
    ) -> None:
        """Begins the first interval. `show` is called with each interval that has ended."""
        self._tester = tester
        self._runs = tuple(runs)
        self._interval = interval
        self._show = show
        self._jobs = [run.name for run in runs]
        self._names = {s.id: s.name for run in runs for s in run.plan.streams if s.measured}
        if not self._names:
            raise PlanError("no stream is sending whose frames are known again where they arrive")
        watched = [s for run in runs for s in run.plan.streams if s.id in self._names]
        self._unsigned = {s.id for s in watched if not s.signature}
        self._ports = tuple(dict.fromkeys(port for s in watched for port in (s.tx_port, s.rx_port)))
        self._corrections = {s.id: tester.correction(s) for run in runs for s in run.plan.streams}
        self._intervals: list[Interval] = []
        self._rest: Interval | None = None  # where versions could not be told apart any more
        self._closed: _Stretch | None = None
        self._is_read = True  # whether the closed stretch was read
        self._last: Snapshot | None = None  # the last reading of the last interval
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
        """The intervals that have ended; frames of the last one may still be on their way."""
        return (*self._intervals, self._rest) if self._rest else tuple(self._intervals)

    def poll(self) -> float:
        """Ends the open interval if it is due. Returns the seconds until something is to be done again."""
        if self._reason:
            self._read_again()
            return self._interval.seconds
        self._begin()
        now = self._snapshot()
        left = self._open.start_ns + self._interval.ns - now.taken_at_ns
        if left <= 0:
            self._turn(now)
            return _POLL_S
        return max(_POLL_S, left / 1e9)

    def finish(self) -> MonitoringResult:
        """Ends the last interval. It lasts from when the device erased versions, if it did, to the end."""
        if self._reason:
            self._read_again()
        if not self._reason:
            self._begin()
            self._turn(self._snapshot())
        if not self._reason:  # an interval may have found one
            self._amend(self._snapshot())
        after = self._arrived() if self._reason else self._snapshot()
        self._rest = self._remainder(after) if self._reason else None
        return self._result(sending=any(s.sending for s in after.streams))

    def so_far(self) -> MonitoringResult:
        """The intervals that have ended, while the next one is open. This call changes nothing."""
        return self._result(sending=True)

    def cancel(self) -> None:
        """Ends the present reading at once; its interval is not used."""
        self._cancelled = True

    def _result(self, *, sending: bool) -> MonitoringResult:
        everything = self._tester.target.snapshot(self._jobs)
        evidence = [run.evidence(self._first, everything) for run in self._runs]
        objections = [o for e in evidence for o in e.objections(self._tester.rules.limits)]
        objections += [o for run in self._runs for o in reflections(run.plan.streams)]
        unsigned = (s for s in everything.streams if s.id in self._unsigned)
        objections += filter(None, (misattributed(self._names[s.id], self.intervals, s) for s in unsigned))
        if self._reason and sending:
            objections.append(f"{self._reason}, so it takes the end of the traffic to tell what is lost")
        return MonitoringResult(
            title=" + ".join(self.streams),
            trials=(),
            interval_ns=self._interval.ns,
            method=Method.QUIESCING if self._reason else Method.VERSION,
            reason=self._reason,
            intervals=self.intervals,
            objections=tuple(dict.fromkeys(objections)),
            unsigned=tuple(name for number, name in self._names.items() if number in self._unsigned),
        )

    def _snapshot(self) -> Snapshot:
        """Counters of the streams, read again if they cannot be: one reading accuses no device."""
        counters = self._read_counters()
        return self._read_counters() if _reason_against(counters, self._names) else counters

    def _read_counters(self) -> Snapshot:
        """Counters of the streams whose frames are recognized where they arrive."""
        found = self._tester.target.snapshot(self._jobs)
        known = (s for s in found.streams if s.id in self._names)
        streams = tuple(without_signature(s) if s.id in self._unsigned else s for s in known)
        return replace(found, streams=streams)

    def _flip(self, before: Snapshot) -> _Stretch:
        flipped = self._tester.target.flip(self._jobs)
        return _Stretch(flipped.at_ns, 1 - flipped.closed_version, before)

    def _begin(self) -> None:
        """Waits for frames that left before the first interval with the version of the second one."""
        if not self._begun:
            self._begun = True
            self._settled(1 - self._open.version)

    def _turn(self, before: Snapshot) -> None:
        """Closes the open interval, and reads it when all of it has arrived or nothing more will."""
        if self._objects_to(before):
            return
        self._amend(before)
        closed, self._open, self._is_read = self._open, self._flip(before), False
        self._closed = closed
        self._read_closed(closed)

    def _objects_to(self, snapshot: Snapshot) -> bool:
        """Whether the versions cannot be told apart by these counters, which `reason` says then."""
        reason = _reason_against(snapshot, self._names)
        since = f" from interval {len(self._intervals) + 1} on" if self._intervals else ""
        self._reason = reason + since if reason else ""
        return bool(reason)

    def _read_again(self) -> None:
        """Goes on with the interval that could not be read, if its counts are possible by now."""
        if self._begun and not self._objects_to(self._snapshot()) and self._closed and not self._is_read:
            self._read_closed(self._closed)

    def _read_closed(self, closed: _Stretch) -> None:
        after = self._settled(closed.version)
        if self._objects_to(after):
            return
        self._is_read, self._last = True, after
        interval = self._read(closed, after, len(self._intervals) + 1, ON_THE_WAY)
        if self._intervals and not interval.sent and not any(s.sending for s in after.streams):
            self._closed = None  # the traffic had ended before it began
            return
        self._intervals.append(interval)
        self._show(interval)

    def _amend(self, now: Snapshot) -> None:
        """Counts late arrivals in their own interval; later intervals wait as long as they took."""
        if self._closed is None or not self._is_read:
            return
        self._last = now
        again = self._read(self._closed, now, len(self._intervals))
        was, self._intervals[-1] = self._intervals[-1], again
        if again.received != was.received:
            self._guard_ns = max(self._guard_ns, again.guard_ns)
        if not was.settled:
            self._show(again)

    def _read(self, closed: _Stretch, after: Snapshot, number: int, arriving: str = "") -> Interval:
        """The interval of a stretch. `arriving`: why frames that are missing may still arrive."""
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
                    self._corrections[s.id],
                    again=increase(may_be_copies(closed.before.stream(s.id).order), may_be_copies(s.order)),
                    open=BY_VERSION if s.id in self._unsigned else _missing(s, closed, arriving),
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
        quiet_since, seen = latest.taken_at_ns, received_of(latest, version)
        follow = received_of(latest, 1 - version)
        for latest in self._tester.clock.readings(self._snapshot, every=_POLL_S):
            if self._cancelled or all(has_arrived(s, version) for s in latest.streams):
                break
            if (arrived := received_of(latest, version)) != seen:
                quiet_since, seen = latest.taken_at_ns, arrived
            following = all(
                a > b or not s.sending
                for a, b, s in zip(received_of(latest, 1 - version), follow, latest.streams, strict=True)
            )
            self._guard_ns = max(self._guard_ns, _GUARD_FACTOR * slowest_ns(latest))
            heard = any(s.rx_packets for s in latest.streams)
            patience = 0 if following else _PATIENCE_NS if heard else _FIRST_PATIENCE_NS
            if latest.taken_at_ns - quiet_since > self._guard_ns + patience:
                break
        return latest

    def _arrived(self) -> Snapshot:
        """The counters when no more frames will arrive of traffic that has ended."""
        quiet_since, seen, longest_ns = 0, [-1], self._guard_ns + _PATIENCE_NS

        def is_over(latest: Snapshot) -> bool:
            nonlocal quiet_since, seen
            if (arrived := received(latest)) != seen:
                quiet_since, seen = latest.taken_at_ns, arrived
            complete = all(s.sending or whole_or_not(s) >= s.tx_packets for s in latest.streams)
            return self._cancelled or complete or latest.taken_at_ns - quiet_since > longest_ns

        return self._tester.clock.reading(self._snapshot, is_over)

    def _remainder(self, after: Snapshot) -> Interval:
        """All traffic behind the intervals as one more, up to its last frame."""
        if not self._intervals or self._closed is None or self._last is None:
            return self._whole(after)
        unread, last = self._open if self._is_read else self._closed, self._last
        end_ns = max(*(s.last_tx_ns for s in after.streams), unread.start_ns) + 1
        streams = []
        for s in after.streams:
            before = last.stream(s.id)
            own = unread.before.stream(s.id).versions[unread.version]
            again = increase(may_be_copies(before.order), may_be_copies(s.order))
            streams.append(
                StreamInterval.between(
                    self._names[s.id],
                    sum_of_versions((own, before.versions[1 - unread.version])),
                    sum_of_versions(s.versions),
                    end_ns - unread.start_ns,
                    self._corrections[s.id],
                    again=again,
                    open=BY_VERSION if s.id in self._unsigned else "",
                )
            )
        return Interval(
            number=len(self._intervals) + 1,
            start_ns=unread.start_ns,
            end_ns=end_ns,
            guard_ns=after.taken_at_ns - end_ns,
            streams=tuple(streams),
        )

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
                StreamInterval.whole(self._names[s.id], s, end_ns - start_ns, self._corrections[s.id])
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
        """The intervals that have ended. Raises the error that ended the thread early, if any."""
        if self._error:
            raise self._error
        return self.monitor.so_far()

    def finish(self) -> MonitoringResult:
        """Ends the last interval. Raises the error that ended the thread early, such as a TargetError."""
        self._end()
        if self._error:
            raise self._error
        return self.monitor.finish()

    def cancel(self) -> None:
        """Ends the thread and drops its intervals."""
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


def _missing(stream: StreamCounters, closed: _Stretch, arriving: str) -> str:
    """`arriving`, if frames of a closed version are missing."""
    before, after = closed.before.stream(stream.id).versions[closed.version], stream.versions[closed.version]
    missing = after.tx_packets - before.tx_packets > after.rx_packets - before.rx_packets
    return arriving if missing else ""


def _reason_against(snapshot: Snapshot, names: dict[int, str]) -> str:
    """Why versions cannot be told apart; empty if they can."""
    for stream in snapshot.streams:
        if not stream.versions:
            return f"frames of {names[stream.id]!r} have no field for a version"
        more = [v.rx_packets - v.tx_packets for v in stream.versions]
        if stream.rx_version_rewritten or max(more) > (stream.order.duplicated or stream.order.behind or 0):
            return f"the device writes over the version of {names[stream.id]!r}"
    return ""
