# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester in a switch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from ....errors import PlanError
from ....measurement.snapshot import Snapshot
from ....model.plan.plan import Plan, PlannedStream
from ....model.plan.planned_query import Matcher
from ....model.units.units import Duration
from ....planning.switch.resources import FLOWS, TEMPLATES
from ...base import Capabilities, Flipped, SendingProgress, still_sending
from ...parts import TargetPlanner
from ...rules.ends import check_ends
from ...rules.refusal import (
    check_end,
    check_plan,
    check_update,
    known_job,
    refuse_expected_fields,
    refuse_paths,
)
from ..copies.captures import FORWARDS, SwitchCaptures
from ..entries.entry import TableEntry
from ..entries.latency import PERCENTILE_ERROR
from ..entries.meter_buckets import Buckets
from ..entries.queries import SwitchQueries
from ..entries.rate import held_entry
from ..neighbours.answers import NeighbourAnswers
from ..neighbours.single_frames import SwitchFrames
from ..reading.counting import Counting
from ..reading.flows import SwitchFlows
from ..reading.links import Links
from ..reading.port_totals import PortTotals
from ..reading.process_pauses import ProcessPauses
from ..reading.stream_readings import COUNTED, TIME_STEP_NS
from ..reading.stream_sums import together
from ..session.ports import port_infos
from ..session.program import Program
from ..session.repeated_call import reached
from ..session.session import SwitchSession
from .change import check_change
from .job import SwitchJob
from .loaded import LoadedStream, stepping
from .loading import Loading
from .run import SwitchRun, template_numbers
from .running_units import RunningUnits
from .shared_states import shared_states

_MOST_ENDS = 64
_POLL_S = 0.02
_PROGRESS_NS = 500_000_000


class TofinoTarget:
    """A `Target` in a switch, by a session on it.

    When the daemon of the switch was restarted, the next call opens the session again, loads the jobs as they
    were before their start, and raises TargetError.

    Threads may share it, such as a monitor's and the suite's: calls are carried out one after the other, and
    `wait` lets other calls in while it sleeps.

    Args:
        session: A session whose ports are up; the attribute `session` keeps it.
        program: The program that runs in the switch.
        now_ns: The driver's clock.
        sleep: Waits for so many seconds.
        details: A line for the report.
    """

    kind = "a switch"
    stamps = leases = clock = device = usage = instants = clocks = None

    def __init__(
        self,
        session: SwitchSession,
        program: Program,
        *,
        now_ns: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], object] = time.sleep,
        details: str = "",
    ) -> None:
        self.session, self._program, self._details = session, program, details
        self._now_ns, self._sleep = now_ns, sleep
        self._lock = threading.RLock()
        self._known = {port_info.name: port_info for port_info in port_infos(session)}
        self._runs: dict[str, SwitchRun] = {}
        self.queries = SwitchQueries(session, tuple(self._known), now_ns, self._reached)
        self.captures = SwitchCaptures(session, self._known, now_ns, self._capturing)
        self.flows = SwitchFlows(session, self._reached, self._stream, self._departed)
        self._neighbours = NeighbourAnswers(session, self._lock)
        self.frames = SwitchFrames(session, self._known, self._neighbours, sleep, self._reached)
        self._begin()

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        version = f"{self._program.profile}: {', '.join(self._program.protocols)}"
        ports = tuple(self._known.values())
        room = (TEMPLATES, _MOST_ENDS, FLOWS)
        with self._lock:
            counts = COUNTED | self._totals.counted | self.captures.counted
        return Capabilities(
            "tofino",
            version,
            ports,
            *room,
            self._details,
            counts,
            percentile_error=PERCENTILE_ERROR,
            time_step_ns=TIME_STEP_NS,
            matcher=Matcher.SWITCH,
            planner=self._program.chip.profile,
        )

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        with self._reached():
            job = self._job(plan, [run.job for run in self._runs.values()])
            self.queries.check(template_numbers([*self._runs.values(), SwitchRun(job)]))
            self._load(job)

    @property
    def planner(self) -> TargetPlanner:
        """See `Target`."""
        return self

    def check(self, plan: Plan) -> None:
        """See `TargetPlanner`."""
        with self._lock:
            self._job(plan, [])

    def _job(self, plan: Plan, others: Sequence[SwitchJob]) -> SwitchJob:
        """The job for a plan beside others. PlanError if a switch cannot have it."""
        plans = [job.plan for job in others]
        refuse_paths(plan, self.kind, FORWARDS)
        check_plan(plan, plans, self._known, TEMPLATES)
        refuse_expected_fields(plan, self.kind)
        check_ends(plan, plans, self._known, _MOST_ENDS, FLOWS)
        return self._loading.job(plan, others)

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`."""
        check_end(duration, packets)
        with self._reached():
            self._end_what_is_over()
            runs = self._of(jobs)
            for run in runs:
                self._check_start(run)
            fresh = [SwitchRun(run.job) for run in runs]
            self._departing(fresh, duration, packets)  # which may refuse
            self._retire(runs)
            others = [run.job for run in self._runs.values() if run not in runs]
            self._loading.begin([run.job for run in fresh], others)
            self._buckets.empty([paced.template for run in fresh for paced in run.job.paced])
            self.session.write([entry for run in fresh for entry in run.job.flipped(0)])
            self.session.write([entry for run in fresh for entry in run.job.preparing()])
            departing = self._departing(fresh, duration, packets)
            for run in fresh:
                self._counting.begin(run)
            self.session.write(departing)
            for run in fresh:
                run.begun(self._now_ns())
            self._runs |= {run.job.plan.job: run for run in fresh}
            self._hold_on_loss()

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:  # noqa: ARG002
        """See `Target`. Open flows are left: a switch opens none, and refuses rows for `stop`."""
        with self._reached():
            self._stop(self._of(jobs))

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`. Its frames are held back while it changes."""
        with self._reached():
            (run,) = self._of([job])
            known = {planned.id: planned for planned in run.job.plan.streams}
            if stream.id not in known:
                raise PlanError(f"job {job!r} has no stream {stream.id}; it has {sorted(known)}")
            check_update(known[stream.id], stream, self._known)
            self._update(run, stream)

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        with self._reached():
            runs = self._of(jobs)
            self._stop(runs)
            self._retire(runs)
            for run in runs:
                self._loading.unload(run.job)
                del self._runs[run.job.plan.job]
            self._follow()
            self._hold_on_loss()

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`."""
        deadline_ns, told_ns = self._now_ns() + timeout.ns, self._now_ns()
        while True:
            with self._reached():
                self._end_what_is_over()
                self._units.flip_in_time(self._of(jobs))
                counters = self._counting.passed(self._of(jobs))
            now_ns = self._now_ns()
            sending = any(counter.sending for counter in counters)
            if on_progress and (not sending or now_ns - told_ns >= _PROGRESS_NS):
                on_progress(SendingProgress.of(counters))
                told_ns = now_ns
            if not sending:
                return
            if now_ns >= deadline_ns:
                raise still_sending(jobs, timeout)
            self._sleep(min(_POLL_S, (deadline_ns - now_ns) / 10**9))

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:  # noqa: ARG002
        """See `Target`. The driver's clock is the tester's: a switch's has no beginning."""
        with self._reached():
            self._end_what_is_over()
            runs = self._of(jobs or tuple(self._runs))
            everything = list(self._runs.values())
            seen = self._totals.seen()
            counted = self._counting.streams(everything, misrouted=self._totals.misrouted(seen))
            counters = {stream.id: stream for stream in counted}
            loaded = {number: stream for run in runs for number, stream in run.job.streams.items()}
            now_ns = self._now_ns()
            return Snapshot(
                taken_at_ns=now_ns,
                ports=self._links.noted(self._totals.counters(seen, everything, counters)),
                streams=tuple(together([counters[n] for n in loaded], stepping(loaded.values()))),
                ends=tuple(read_end for run in runs for read_end in self._loading.read_ends(run.job)),
                captures=self.captures.counters(),
                queries=() if jobs else self.queries.counters(),
                jobs=self._pauses.counters({run.job.plan.job: run.job.tx_ports for run in runs}),
                mixed=shared_states([end for run in everything for end in run.job.ends]),
            )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`."""
        with self._reached():
            runs = [run for run in self._of(jobs) if run.has_versions]
            closed = {run.version for run in runs}
            if len(closed) != 1:
                why = "are in different versions" if closed else "carry no version"
                raise PlanError(f"streams of {', '.join(jobs)} {why}; they cannot be flipped together")
            for run in runs:
                run.flipped = True
            return self._units.flip(runs)

    def close(self) -> None:
        """See `Target`."""
        with self._lock:
            self._runs.clear()
            self.captures.close()
            self._neighbours.close()
            self.session.close()

    def _of(self, jobs: Iterable[str]) -> list[SwitchRun]:
        return [known_job(name, self._runs) for name in dict.fromkeys(jobs)]

    def _check_start(self, run: SwitchRun) -> None:
        streams = [stream for number, stream in run.job.streams.items() if number in run.stretches]
        for stream, sent in zip(streams, self._counting.departed(streams), strict=True):
            if run.sending(stream.planned.id, sent):
                raise PlanError(f"stream {stream.planned.name!r} is sending already; stop it first")
        if run.answering:
            raise PlanError(f"{run.job.ends[0].planned.name!r} is answering already; stop it first")

    def _load(self, job: SwitchJob) -> None:
        self._loading.load(job)
        self._buckets.fill(job.paced)
        self._runs[job.plan.job] = SwitchRun(job)
        self._follow()
        self._hold_on_loss()

    def _hold_on_loss(self) -> None:
        """Has jobs stopped if this driver is killed: units would begin anew after 2^32 packets."""
        runs = self._runs.values()
        held = [entry for run in runs for entry in run.job.stopping()]
        answering = [entry for run in runs if run.answering for entry in run.job.answering]
        self.session.on_loss(held, [*answering, *self.captures.entries])

    def _follow(self) -> None:
        """Has queries and captures know the streams that are loaded, and answers for their neighbours."""
        runs = self._runs.values()
        self.queries.follow(template_numbers(runs))
        self.captures.follow([run.job for run in runs])
        self._neighbours.follow([neighbour for run in runs for neighbour in run.job.plan.neighbours])

    def _departing(
        self, runs: Sequence[SwitchRun], duration: Duration | None, packets: int | None
    ) -> Sequence[TableEntry]:
        """The entries that let jobs depart from now on. What takes long to write was written before."""
        now_ns = self._now_ns()
        for run in runs:
            run.start(now_ns, duration, packets)
        return [entry for run in runs for entry in run.job.departing(run.limits)]

    def _end_what_is_over(self) -> None:
        """Stops jobs whose time is over; streams whose frames a unit counts end by themselves."""
        for run in self._runs.values():
            self._units.lead(run)
        now_ns = self._now_ns()
        self._stop([run for run in self._runs.values() if not run.stopped and run.needs_stop(now_ns)])

    def _stop(self, runs: Sequence[SwitchRun]) -> None:
        running = [run for run in runs if not run.stopped]
        asked_ns = self._now_ns()
        self.session.write([entry for run in running for entry in run.job.stopping()])
        done_ns = self._now_ns()
        for run in running:
            self._loading.end_ends(run.job)
            run.stop(asked_ns, done_ns)
        if any(run.job.answering for run in running):
            self._hold_on_loss()

    def _retire(self, runs: Sequence[SwitchRun]) -> None:
        """Keeps the counters of streams that begin anew, or are unloaded."""
        for run in runs:
            self._totals.retire(run, self._counting.passed([run]))

    def _update(self, run: SwitchRun, stream: PlannedStream) -> None:
        others = [other.job for other in self._runs.values() if other is not run]
        streams = tuple(stream if planned.id == stream.id else planned for planned in run.job.plan.streams)
        job = self._loading.job(replace(run.job.plan, streams=streams), others)
        before, after = run.job.parts(stream.id), job.parts(stream.id)
        templates = [{number: part.template for number, part in one.items()} for one in (before, after)]
        if templates[0] != templates[1]:
            raise PlanError(f"stream {stream.name!r}: its template would be another; load its job anew")
        started = stream.id in run.stretches
        if started:
            check_change(stream, before.values(), after.values())
        self.session.write([held_entry(part.template) for part in before.values()])
        sent = self._counting.at_rest(list(before.values())) if started else []
        self._loading.change(run.job, job)
        run.job = job
        if not started:
            return
        self.session.write(list(replace(job, streams=after, ends=()).preparing()))
        now_ns, going = self._now_ns(), {}
        for (number, part), frames in zip(after.items(), sent, strict=True):
            run.change(part.planned, frames, now_ns)
            if run.sending(number, frames):
                going[number] = part
        if going:
            self.session.write(list(replace(job, streams=going, ends=()).departing(run.limits)))
            run.begun(self._now_ns())

    def _begin(self) -> None:
        """Begins with a switch without jobs."""
        self._loading = Loading(self.session, self._program)
        self._buckets = Buckets(self.session, self._sleep)
        self._counting = Counting(self.session, self._now_ns)
        self._units = RunningUnits(self.session, self._counting, self._now_ns)
        self._totals = PortTotals(self.session)
        self._links, self._pauses = Links(self.session), ProcessPauses(self.session)

    def _reached(self) -> AbstractContextManager[None]:
        return reached(self._lock, self.session, self._load_anew)

    @contextmanager
    def _capturing(self) -> Iterator[None]:
        """A call to captures, after which the entries that end on loss may be others."""
        with self._reached():
            try:
                yield
            finally:
                self._hold_on_loss()

    def _stream(self, job: str, stream_id: int) -> LoadedStream | None:
        (run,) = self._of([job])
        return run.job.streams.get(stream_id)

    def _departed(self, stream: LoadedStream) -> int:
        (sent,) = self._counting.departed([stream])
        return sent

    def _load_anew(self) -> int:
        runs = list(self._runs.values())
        self.queries.lose()
        self._neighbours.lose()
        self.captures.close()
        self._begin()
        for run in runs:
            self._load(run.job)
        return len(runs)
