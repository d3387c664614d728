# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of every fake tester. Equal arguments and calls give equal counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...errors import PlanError
from ...measurement.snapshot import ClockCounters, Snapshot, WorkerCounters
from ...model.plan.plan import Plan, PlannedStream
from ...model.units.units import Duration
from ..base import Flipped, SendingProgress, still_sending
from ..rules.ends import check_ends, refuse_triggers
from ..rules.refusal import check_end, check_plan, check_update, refuse_changing_fields, refuse_paths
from .bench import FakeBench
from .capture import recorded
from .mutual_exclusion import one_at_a_time

ROOM = (64, 1 << 20)  # for ends, and for flows of them at once
_PROGRESS_NS = 5 * 10**8


@one_at_a_time
class FakeCore:
    """The calls that a fake tester and a simulated one share. Its clock is its own."""

    kind = "a fake tester"

    def __init__(self, bench: FakeBench) -> None:
        self.bench = bench
        self._turn = bench.turn
        self.clock = self

    @property
    def now_ns(self) -> int:
        """Its time."""
        return self.bench.now_ns

    def advance(self, duration: Duration) -> None:
        """Lets time pass. TargetError if the tester dies in it."""
        self.bench.advance(duration)

    def set_link(self, port: str, *, up: bool) -> None:
        """Somebody pulls the cable of a port, or puts it back."""
        self.bench.past[port].add(link_downs=self.bench.links[port] and not up)
        self.bench.links[port] = up
        self.bench.set_pace()

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        self.bench.answer("load")
        refuse_paths(plan, self.kind)
        check_plan(plan, self.bench.plans.values(), self.bench.ports, self.bench.max_streams)
        refuse_triggers(plan, self.kind)
        refuse_changing_fields(plan)
        check_ends(plan, self.bench.plans.values(), self.bench.ports, *ROOM)
        plan = replace(plan, streams=tuple(map(recorded, plan.streams)))
        self.bench.plans[plan.job] = plan
        self.bench.records.load(plan.job)
        self.bench.jobs[plan.job] = {stream.id: self.bench.new_stream(stream) for stream in plan.streams}
        self.bench.wire.load(plan)
        self.bench.taps.know(plan.streams)

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`."""
        self.bench.answer("start")
        check_end(duration, packets)
        for stream in self.bench.streams(jobs):
            if stream.sending:
                raise PlanError(f"stream {stream.planned.name!r} is sending already; stop it first")
        self.bench.wire.check_start(jobs)
        stall_ns = self.bench.stall_ns()
        for job in jobs:
            self.bench.records.start(
                self.bench.plans[job],
                self.bench.now_ns,
                duration,
                packets,
                by=self.bench.who,
                stall_ns=stall_ns,
            )
            for stream_id, old in list(self.bench.jobs[job].items()):
                self.bench.retire(old)
                new = self.bench.jobs[job][stream_id] = self.bench.new_stream(old.planned)
                new.start(self.bench.now_ns, duration_ns=duration.ns if duration else None, packets=packets)
        self.bench.wire.start(jobs, self.bench.now_ns)
        self.bench.set_pace()

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`. No time passes: flows that wait for an answer before they end are ended, too."""
        self.bench.answer("stop")
        for job in jobs:
            sending = {stream_id: s for stream_id, s in self.bench.job(job).items() if s.sending}
            answering = any(end.answering for end in self.bench.wire.counters([job]))
            self.bench.records.stop(
                job, self.bench.now_ns, sorted(sending), answering=answering, by=self.bench.who
            )
            for stream in sending.values():
                stream.stop(self.bench.now_ns)
        self.bench.wire.stop(jobs, self.bench.now_ns, abandon=abandon)
        self.bench.set_pace()

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`."""
        self.bench.answer("update")
        streams = self.bench.job(job)
        if stream.id not in streams:
            raise PlanError(f"job {job!r} has no stream {stream.id}; it has {sorted(streams)}")
        check_update(streams[stream.id].planned, stream, self.bench.ports)
        streams[stream.id].planned = stream
        self.bench.records.update(job, by=self.bench.who)
        self.bench.set_pace()

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        self.stop(jobs, abandon=True)
        for job in dict.fromkeys(jobs):
            del self.bench.plans[job]
            self.bench.records.unload(job)
            if self.bench.who:
                self.bench.taken[job] = self.bench.who
            self.bench.wire.unload(job)
            for stream in self.bench.jobs.pop(job).values():
                self.bench.retire(stream)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        self.bench.answer("wait")
        streams = list(self.bench.streams(jobs))
        deadline = self.bench.now_ns + timeout.ns
        while any(stream.sending for stream in streams):
            if self.bench.now_ns >= deadline:
                raise still_sending(jobs, timeout)
            ends = [at for stream in self.bench.sending() if (at := stream.due_end_ns()) is not None]
            self.bench.advance(
                Duration(min([self.bench.now_ns + _PROGRESS_NS, deadline, *ends]) - self.bench.now_ns)
            )
            if on_progress:
                on_progress(SendingProgress.of([stream.counters(self.bench.now_ns) for stream in streams]))

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:  # noqa: ARG002
        """See `Target`."""
        self.bench.answer("snapshot")
        now = self.bench.now_ns
        streams = self.bench.streams(jobs or tuple(self.bench.jobs))
        arrived = {s.planned.id: s.arrived(now) for s in self.bench.streams(self.bench.jobs)}
        counters = [stream.counted(arrived[stream.planned.id]) for stream in streams]
        return Snapshot(
            taken_at_ns=now,
            ports=self.bench.port_counters(arrived),
            streams=tuple(sorted(counters, key=lambda c: c.id)),
            workers=(WorkerCounters(1),),
            clock=ClockCounters(0, 0, now, now),
            ends=self.bench.wire.counters(jobs or tuple(self.bench.jobs)),
            jobs=self.bench.records.counters(jobs or tuple(self.bench.jobs)),
            captures=self.bench.taps.counters(),
        )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        self.bench.answer("flip")
        streams = [stream for stream in self.bench.streams(jobs) if stream.planned.version]
        closed = {stream.version for stream in streams}
        if len(closed) != 1:
            why = "are in different versions" if closed else "carry no version"
            raise PlanError(f"streams of {', '.join(jobs)} {why}; they cannot be flipped together")
        for stream in streams:
            stream.flip(self.bench.now_ns)
        return Flipped(self.bench.now_ns, closed.pop())

    def close(self) -> None:
        """See `Target`."""
        self.bench.jobs.clear()
        self.bench.plans.clear()
        self.bench.taps.clear()
