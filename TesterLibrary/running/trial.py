# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams on a target: plan, load, learn, send, settle, count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.delays.sustained import DelayReading, Growth, growth
from ..measurement.delays.undelayed_frames import ArrivalReading, InTime
from ..measurement.evidence import Evidence, EvidenceLimits
from ..measurement.flows import FlowMeasure, FlowSummary
from ..measurement.foreign import Foreign, ForeignAt
from ..measurement.snapshot import Snapshot, StreamCounters
from ..measurement.trial import Trial
from ..model.plan.plan import Plan, PlannedStream
from ..model.stream import Stream
from ..model.units.units import Duration
from ..planning.reflection import reflections
from ..reporting.live.notes import WatchedStream
from ..reporting.record.machine import wall_clock
from ..targets.base import SendingProgress, part_of
from .arrived_frames import endless, once, received, settling_ns, whole_or_not
from .clock import POLL_S
from .held_frames import HeldFrames, await_sent
from .missing_frames import lost_tags, not_asked_for, sent_elsewhere
from .stream_results import (
    duration_of,
    limits_of_files,
    octet_objections,
    stamp_objections,
    stream_result,
)
from .tester import Tester


class StreamRun:
    """Streams from being loaded to being counted; what `Start Traffic` puts on the wire."""

    def __init__(
        self, tester: Tester, name: str, streams: Sequence[Stream], *, limits: EvidenceLimits | None = None
    ) -> None:
        """`limits`: of the evidence of its trial, in place of the tester's."""
        self._tester = tester
        self.name = name
        self.streams = tuple(streams)
        self.plan = tester.plan(name, streams)
        self.limits = limits_of_files(self.plan, limits or tester.rules.limits)
        tester.check_room(streams)
        _refuse_own_ports(self.plan)
        self.awaits_residual = True  # frames that are missing; a trial that only leads to others does not
        self.listens = Duration(0)  # so long after the last departure at least, whether one is missing or not
        self.listened_ns = 0  # from the last departure until it was counted
        self._started_at = ""
        self._begun: Snapshot | None = None  # the counters as they were before the start
        self._held = HeldFrames(tester, self.tx_ports, name)
        self._changed: set[int] = set()  # ids of streams that were changed while they were sending
        self._backlog_before = 0
        self._stale: dict[int, int] = {}  # frames by stream id that may be of earlier trials
        self._delays: dict[int, list[DelayReading]] = {}  # readings by stream id, while they were sent
        self._arrivals: dict[int, list[ArrivalReading]] = {}  # by stream id, also while the trial settled

    @contextmanager
    def loaded(self) -> Iterator[StreamRun]:
        """Loads, and unloads whatever happens, so that no half-run job stays behind."""
        self.load()
        try:
            yield self
        finally:
            self.unload()

    def load(self) -> None:
        """Loads the job and sends its learning frames."""
        target = self._tester.target
        self._tester.load(self.plan)
        self._tester.air.runs.append(self)
        try:
            if self.plan.learning:
                part_of(target, "frames").inject(self.plan.learning)
        except BaseException:
            self.unload()
            raise

    @property
    def is_started(self) -> bool:
        """Whether its streams have been started: they are sending, or have come to their end."""
        return self._begun is not None

    @property
    def _before(self) -> Snapshot:
        """The counters before its streams were started. TesterLibraryError if they were not."""
        if self._begun is None:
            raise TesterLibraryError(f"{self.name} was not started, so nothing is counted; start it first")
        return self._begun

    @property
    def unending(self) -> Sequence[Stream]:
        """Those of its streams that leave until they are stopped."""
        if not self.is_started:
            return []
        pairs = zip(self.streams, self.plan.streams, strict=True)
        return [stream for stream, planned in pairs if planned.departures.endless]

    @property
    def tx_ports(self) -> set[str]:
        """The ports on which its streams leave."""
        return {s.tx_port for s in self.plan.streams}

    @property
    def ids(self) -> Sequence[int]:
        """The ids of its streams, one after the other."""
        return [s.id for s in self.plan.streams]

    def __contains__(self, stream: str) -> bool:
        return any(s.name == stream for s in self.streams)

    def update(self, stream: Stream) -> None:
        """Changes how one of its streams leaves, while it is sending."""
        planned = next(s for s in self.plan.streams if s.name == stream.name)
        changed = self._tester.replan(planned.id, stream)
        self._tester.target.update(self.name, changed)
        self._changed.add(planned.id)
        streams = tuple(changed if s is planned else s for s in self.plan.streams)
        self.plan = replace(self.plan, streams=streams)
        self.streams = tuple(stream if s.name == stream.name else s for s in self.streams)

    def unload(self) -> None:
        """Unloads the job. If the tester is gone, so is the job; the next call to the tester raises."""
        if self in self._tester.air.runs:
            self._tester.air.runs.remove(self)
        with suppress(TargetError):
            self._tester.target.unload([self.name])

    def start(self, duration: Duration | None = None, packets: int | None = None) -> None:
        """Starts all streams together, for a time, for so many frames each, or until they are stopped."""
        start_together(self._tester, [self], duration, packets)

    def begin(self, before: Snapshot) -> None:
        """Notes the counters as they are before its streams start."""
        self._begun = before
        self._held.begin(before)
        self._backlog_before = self._tester.backlog_drops()
        self._started_at = wall_clock()
        self._delays, self._arrivals = {}, {}
        now_ns = before.taken_at_ns
        self._stale = {s.id: self._tester.air.undelivered.at(s.rx_port, now_ns) for s in self._unsigned}

    def report(self, progress: SendingProgress) -> None:
        """Reads its delays, and gives the trial so far to those who watch its streams."""
        snapshot = self._tester.target.snapshot([self.name])
        for s in snapshot.streams:
            reading = DelayReading(snapshot.taken_at_ns, s.latency.count, s.latency.sum_ns)
            self._delays.setdefault(s.id, []).append(reading)
        self._note_arrivals(snapshot)
        notes = self._tester.progress.notes
        if notes and progress.sending and notes.is_due:
            notes.counters(self.name, snapshot, tuple(self._watched()))
        watchers = [watch for s in self.streams for watch in self._tester.air.watchers.get(s.name, ())]
        if watchers and progress.sending:
            so_far = self._trial(snapshot, None)
            for watch in watchers:
                watch(so_far)

    def _note_arrivals(self, snapshot: Snapshot) -> None:
        for s in snapshot.streams:
            readings = self._arrivals.setdefault(s.id, [])
            reading = ArrivalReading.of(s)
            if readings[-1:] != [reading]:
                readings.append(reading)

    def _watched(self) -> Iterator[WatchedStream]:
        for s in self.plan.streams:
            yield WatchedStream(s.id, s.name, s.measured, self._tester.correction(s).offset_ns)

    def so_far(self) -> Trial:
        """The trial without waiting for what is on its way, so that it is lost."""
        return self._trial(self._tester.target.snapshot([self.name]), None)

    def finish(
        self,
        duration: Duration | None = None,
        *,
        members_change: bool = False,
        settled: Snapshot | None = None,
    ) -> Trial:
        """Waits until what was sent has arrived or is lost; returns the trial, not yet recorded.

        `members_change`: members of its groups join and leave meanwhile, so that frames are missing rightly.
        `settled`: the counters, for who has waited already.
        """
        after, found = settled, tuple[str, ...]()
        if after is None:
            ended_ns, after, found = self._settled()
            self.listened_ns = after.taken_at_ns - ended_ns
        self._note_missing(after)
        trial = replace(self._trial(after, duration), findings=found)
        tester = self._tester
        unjoined = not_asked_for(self.streams, trial, tester.air.joined)
        held = self._held.objections(self.limits.max_rate_error)
        objections = (
            *trial.objections,
            *(() if members_change else unjoined),
            *sent_elsewhere(tester, self.streams, trial),
            *lost_tags(tester, self.plan, trial),
            *held,
        )
        trial = replace(trial, objections=objections)
        flows = [self.flows(s) if s.flows else None for s in self.plan.streams]
        streams = zip(trial.streams, flows, strict=True)
        return replace(trial, streams=tuple(replace(s, flows=found) for s, found in streams))

    @property
    def _unsigned(self) -> Iterator[PlannedStream]:
        """Its streams whose frames are known by what they look like alone."""
        return (s for s in self.plan.streams if s.measured and not s.signature)

    def _note_missing(self, after: Snapshot) -> None:
        """Remembers frames that have not arrived: a later trial may count them."""
        for stream in self._unsigned:
            counted = after.stream(stream.id)
            self._tester.air.undelivered.note(
                stream.rx_port,
                began_ns=self._before.taken_at_ns,
                last_ns=counted.last_tx_ns,
                sent=counted.tx_packets,
                received=counted.rx_packets,
            )

    def flows(self, stream: PlannedStream, most: int = 10, by: FlowMeasure = FlowMeasure.LOSS) -> FlowSummary:
        """The flows of one of its streams as they are now, and so many of the worst."""
        return FlowSummary.of(part_of(self._tester.target, "flows").read(self.name, stream.id), most, by)

    def _trial(self, after: Snapshot, duration: Duration | None) -> Trial:
        evidence = self.evidence_at(after)
        counters = {s.id: after.stream(s.id) for s in self.plan.streams}
        job = after.job(self.name)
        duration_ns = duration.ns if duration else duration_of(self.plan.streams, counters, self._changed)
        if job and job.cut_short:
            duration_ns = min(duration_ns, max(1, job.stopped_at_ns - job.started_at_ns))
        corrections = [self._tester.correction(s) for s in self.plan.streams]
        streams = tuple(
            replace(
                stream_result(s, counters[s.id], duration_ns, self._changed),
                percentile_error=self._tester.capabilities.percentile_error,
                correction=correction,
                growth=(grown := self._growth(counters[s.id])),
                in_time=InTime.of(counters[s.id], self._arrivals.get(s.id, ()), grown),
                stale=self._stale.get(s.id, 0),
                copies=stream.copies,
            )
            for s, stream, correction in zip(self.plan.streams, self.streams, corrections, strict=True)
        )
        return Trial(
            load=self._tester.busiest(self.streams),
            duration_ns=duration_ns,
            streams=streams,
            evidence=evidence,
            foreign=Foreign.between(self._before, after, self._ports()),
            elsewhere=ForeignAt.between(self._before, after, self._ports()),
            objections=(*evidence.objections(self.limits), *octet_objections(streams)),
            delay_objections=(
                *self._tester.delay_objections(corrections),
                *stamp_objections(self.plan.streams, counters, self._tester.between_clocks(self.plan)),
                *reflections(self.plan.streams),
            ),
            order_objections=tuple(self._tester.order_objections(self.plan.streams)),
            started_at=self._started_at,
            max_rate_error=self._tester.rules.limits.max_rate_error,
        )

    def _growth(self, counted: StreamCounters) -> Growth | None:
        """How its delay grew; a stream that was changed meanwhile has no one load at which it could grow.

        Copies of old frames have long delays, which say nothing of a queue: where they may be all that grew,
        nobody knows whether it did.
        """
        if counted.id in self._changed:
            return None
        found = growth(self._delays.get(counted.id, ()), counted.first_tx_ns, counted.last_tx_ns)
        copies = (counted.order.duplicated or 0) + (counted.order.late or 0)
        # A delay that grows evenly is half of its growth above the first one on average.
        by_copies_ns = 2 * copies * counted.latency.max_ns / max(1, counted.latency.count)
        return found if found and by_copies_ns < max(1, found.last_ns - found.first_ns) else None

    def evidence_at(self, after: Snapshot) -> Evidence:
        """Evidence of the tester's work since the start."""
        return self.evidence(self._before, after)

    def evidence(self, before: Snapshot, after: Snapshot) -> Evidence:
        """Evidence of the tester's work for this run between two snapshots."""
        dropped = self._tester.backlog_drops() - self._backlog_before
        return Evidence.between(
            self.plan,
            before,
            after,
            changed=self._changed,
            backlog_dropped=dropped,
            clock_error_ns=self._tester.clock_error_ns(self.plan),
        )

    def _ports(self) -> set[str]:
        return {port for s in self.plan.streams for port in (s.tx_port, s.rx_port)}

    def _is_complete(self, snapshot: Snapshot) -> bool:
        """Whether every frame has arrived at each port where it is expected."""
        others = {s.id: len(given.copies) for s, given in zip(self.plan.streams, self.streams, strict=True)}
        return all(
            s.rx_packets - (s.order.duplicated or 0) >= s.tx_packets
            and (s.rx_misrouted or 0) >= others[s.id] * s.tx_packets
            for s in self._measured(snapshot)
        )

    def _residual_ns(self, snapshot: Snapshot) -> int:
        """How long after the last departure frames are waited for, if one is missing that is not damaged.

        Where nothing has arrived, they are waited for in every trial.
        """
        others = {s.id: len(given.copies) for s, given in zip(self.plan.streams, self.streams, strict=True)}
        is_missing = any(
            whole_or_not(s) - (s.order.duplicated or 0) < s.tx_packets
            or (s.rx_misrouted or 0) < others[s.id] * s.tx_packets
            for s in self._measured(snapshot)
        )
        waits = self.awaits_residual or not any(received(snapshot))
        return max(self.listens.ns, self._tester.rules.residual.ns if is_missing and waits else 0)

    def _measured(self, snapshot: Snapshot) -> list[StreamCounters]:
        """Counters of the streams whose frames are recognized where they arrive."""
        return [snapshot.stream(s.id) for s in self.plan.streams if s.measured]

    def _settled(self) -> tuple[int, Snapshot, tuple[str, ...]]:
        """When it ended, and the counters once nothing has arrived for the settling time, and what was found.

        They are those of the moment in which nothing is missing any more, unless the trial `listens` longer.

        What the tester's own ports hold still is waited for first: it is on its way to the device.

        A device that stood still may send later what it holds: where frames are missing, they are waited for
        until two seconds after the last departure (RFC 2544 §23), unless the trial only leads to others.

        A device that repeats frames has them arrive for ever. So waiting ends when for so long as the tester
        may be late no other frames arrive than those beyond what was sent. That is found of the device.
        """
        target, rules = self._tester.target, self._tester.rules
        snapshot = target.snapshot([self.name])
        if not self._is_complete(snapshot):
            snapshot = self._held.await_sent(snapshot)
        self._note_arrivals(snapshot)
        ended = quiet_since = new_since = snapshot.taken_at_ns
        self._tester.clock.sleep(POLL_S)  # copies may follow the last frame
        for latest in self._tester.clock.readings(lambda: target.snapshot([self.name])):
            self._note_arrivals(latest)
            if received(latest) != received(snapshot):
                quiet_since = latest.taken_at_ns
                if once(latest) > once(snapshot):
                    new_since = quiet_since
                after_ns = quiet_since - ended
                if quiet_since - new_since >= rules.grace.ns or after_ns >= rules.longest.ns:
                    return ended, latest, (endless(latest, after_ns),)
            elif self._is_complete(latest) and latest.taken_at_ns - ended >= self.listens.ns:
                break
            settled_ns = quiet_since + settling_ns(latest.streams, rules.settle)
            if latest.taken_at_ns >= max(settled_ns, ended + self._residual_ns(latest)):
                break
            snapshot = latest
        return ended, latest, ()


def start_together(
    tester: Tester,
    runs: Sequence[StreamRun],
    duration: Duration | None = None,
    packets: int | None = None,
) -> None:
    """Starts the streams of several runs together, as `StreamRun.start` does those of one."""
    names = [run.name for run in runs]
    ports = set().union(*(run.tx_ports for run in runs))
    before = await_sent(tester, tester.target.snapshot(names), ports, names)
    for run in runs:
        run.begin(before)
    tester.target.start(names, duration=duration, packets=packets)


def _refuse_own_ports(plan: Plan) -> None:
    """PlanError for a signed stream that is expected where it leaves: no device forwards it there."""
    for stream in plan.streams:
        if stream.signature and stream.tx_port == stream.rx_port:
            raise PlanError(
                f"stream {stream.name!r} leaves port {stream.tx_port!r} and is expected there; give it "
                "another rx, or signature=False for requests that something on that port answers"
            )
