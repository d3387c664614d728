# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths that forward from Start to Stop, and what they counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.inline import PathStatistics, statistics_of
from ..measurement.snapshot import Snapshot
from ..measurement.traces.trace import PathTrace
from ..methodology.stamps import StampResult
from ..model.impairment import Impairment
from ..model.inline import Event, Path
from ..model.job import Job
from ..model.plan.plan import Plan
from ..model.stamps import LoadedPath, Stamps
from ..verdict import Outcome, Verdict
from .hosts import Hosts
from .named import Named
from .stamps import StampGroups
from .tester import Tester
from .traces import Traces


@dataclass
class _PathState:
    """A path that was described; it may forward, or have forwarded."""

    path: Path
    plan: Plan | None = None  # while it forwards
    before: Snapshot | None = None  # its last start
    last: PathStatistics | None = None  # of its last start, once it is stopped


class Paths:
    """The paths of one tester, by name. They end with the test or the suite that described them."""

    def __init__(self, tester: Tester, hosts: Hosts) -> None:
        self._tester = tester
        self._hosts = hosts
        self._paths = Named[str, _PathState]("path", "Create Path")
        self.traces = Traces(tester)
        self.stamps = StampGroups(tester)

    def create(self, path: Path) -> None:
        """Describes a path; nothing is forwarded yet.

        Raises:
            PlanError: it can never be right, or one of that name forwards.
        """
        if path.name in self._paths and self._paths[path.name].plan:
            raise path.refused("it is forwarding; stop it first, or give another name")
        self._planned(path)
        self._paths.begin(path.name, _PathState(path), self._tester.scopes, self._end_left)

    def add(self, name: str, event: Event) -> str:
        """Gives a path one more event, which happens after those that it has. Returns the event's name.

        Raises:
            PlanError: it can never be right, or the path forwards; nothing has changed.
        """
        state = self._paths[name]
        if state.plan:
            raise state.path.refused("it is forwarding; give it its events before Start Path")
        path = state.path.with_event(event)
        plan = self._planned(path)
        state.path = path
        return plan.paths[0].events[-1].name

    def impair(self, name: str, impairment: Impairment) -> None:
        """Gives a direction of a path, or both, what happens to all of its packets.

        Raises:
            PlanError: it can never be right, or the path forwards; nothing has changed.
        """
        state = self._paths[name]
        if state.plan:
            raise state.path.refused("it is forwarding; impair it before Start Path")
        path = state.path.with_impairment(impairment)
        self._planned(path)
        state.path = path

    def start(self, names: Sequence[str]) -> tuple[str, ...]:
        """Has paths forward; all, if none is named. Stamps begin where both of their paths do by then.

        Returns what of their ports does not suit a path, a sentence each.

        Raises:
            PlanError: one forwards already, or the tester refuses it; then none of them has been started.
        """
        starting = [self._paths[name] for name in names or list(self._paths)]
        for state in starting:
            if state.plan:
                raise state.path.refused("it is forwarding already; stop it first")
        plans = [self._planned(state.path) for state in starting]
        started = [state.path.name for state in starting]
        self.traces.check_restart(started)
        before = self._forward(plans)
        self.traces.restarted(started)
        if any(map(self.traces.is_traced, started)):
            self._hosts.settle()
        for state, plan in zip(starting, plans, strict=True):
            state.plan, state.before, state.last = plan, before, None
            self._record_start(state.path, plan)
        return self._remarks([state.path for state in starting])

    def _forward(self, plans: Sequence[Plan]) -> Snapshot:
        """Loads and starts paths with their stamps and traces, all or none. Returns the counters before."""
        target = self._tester.target
        loaded: list[str] = []
        begun: list[str] = []
        try:
            for plan in plans:
                target.load(plan)
                loaded.append(plan.job)
            begun = self.stamps.begin({*loaded, *(k.plan.job for k in self._paths.values() if k.plan)})
            before = target.snapshot(loaded)
            self._hosts.mark()
            for plan in plans:
                self.traces.begin(plan.paths[0], plan.job, from_start=True)
            target.start(loaded)
        except BaseException:
            self.stamps.withdraw(begun)
            for plan in plans:
                self.traces.take_back(plan.paths[0].name)
            for job in loaded:
                with suppress(TargetError, PlanError):
                    target.unload([job])
            raise
        return before

    def _record_start(self, path: Path, plan: Plan) -> None:
        self._tester.recorder.event(
            "path_started",
            path=path.name,
            events=[event.name for event in plan.paths[0].events],
            impairments=[str(impairment) for impairment in path.impairments],
        )

    def _remarks(self, paths: Sequence[Path]) -> tuple[str, ...]:
        """Why ports of paths do not suit a path, a sentence each."""
        ports = [port for path in paths for port in (*path.between, *path.beside)]
        reasons = [(port, self._tester.capabilities.port(port).gets_unfinished) for port in ports]
        return tuple(f"port {port}: {reason}" for port, reason in reasons if reason)

    def trace(
        self,
        name: str,
        *,
        every: int,
        frames: int,
        snap_length: int,
        file: str | None,
        parquet: bool = False,
    ) -> None:
        """Records each packet of a path, or each `every`-th, until its trace is stopped.

        Raises:
            PlanError: it is traced already, or the tester refuses; nothing has changed.
            TesterLibraryError: there is no pyarrow to write Parquet with.
        """
        state = self._paths[name]
        self.traces.ask(name, every=every, frames=frames, snap_length=snap_length, file=file, parquet=parquet)
        if state.plan:
            try:
                self.traces.begin(state.plan.paths[0], state.plan.job, from_start=False)
            except BaseException:
                self.traces.withdraw(name)
                raise

    def stop_trace(self, path: str | None) -> PathTrace:
        """Ends a trace, or the only one. See `Traces.stop`."""
        path = path or self.traces.only()
        if self.traces.is_traced(path):
            self._hosts.trace_ends(path)
        return self.traces.stop(path)

    def stop(self, names: Sequence[str] = ()) -> list[StampResult]:
        """Has paths forward no more; all, if none is named. What is not forwarding stays as it is.

        Stamps on them end before, and what they have found is returned.
        """
        stopping = [self._paths[name] for name in names or list(self._paths)]
        found = self.stamps.end([state.path.name for state in stopping])
        for state in stopping:
            if state.plan is None:
                continue
            target, job = self._tester.target, state.plan.job
            if self.traces.is_traced(state.path.name):
                self._hosts.trace_ends(state.path.name)
            try:
                target.stop([job])
                state.last = self._read(state)
                self._record(state.last)
            finally:
                state.plan = None
                with suppress(TargetError, PlanError):
                    target.unload([job])
        return found

    def stamp(
        self, between: Sequence[str], describe: Callable[[tuple[LoadedPath, LoadedPath]], Stamps]
    ) -> None:
        """Has packets stamped around the device between two paths, from when both are started.

        Raises:
            PlanError: one forwards already, or the stamps can never be right; nothing has changed.
        """
        if len(between) != 2:
            given = ",".join(between) or "none"
            raise PlanError(
                f"between={given}; give the path before the device and the one behind it: north,south"
            )
        states = [self._paths[name] for name in between]
        for state in states:
            if state.plan:
                raise state.path.refused("it is forwarding; describe stamps before Start Path")
        first, second = (LoadedPath(_job_of(state.path), state.path.name) for state in states)
        self.stamps.describe(describe((first, second)))

    def counted(
        self,
        trace: PathTrace,
        host: str,
        source: str,
        counter: str,
        judge: Callable[[int | str, str], Verdict],
    ) -> Verdict:
        """A verdict on a counter of a host, which counts from the last start of a path, against its trace.

        Args:
            trace: The trace.
            host: The host.
            source: What the suite calls the source of the counter.
            counter: Its name.
            judge: Judges its value, or why nobody knows it, with a doubt.

        Raises:
            TesterLibraryError: the source was not read when counting began.
        """
        value = self._hosts.counter(host, source, counter)
        statistics = self.statistics(trace.path)
        later = statistics.received - trace.received
        unseen = [f"{later:,} packets have passed path {trace.path!r} after its trace"] if later else []
        if any(event.link_outages for event in statistics.events):
            unseen.append("links of the path were down, and what a host sent meanwhile is in no trace")
        doubt = self._hosts.moved(host, source, counter, value, trace.path)
        if not trace.from_start:
            doubt = f"the trace of path {trace.path!r} does not begin with the last start of the path"
        verdict = judge(value, doubt)
        return verdict.doubted(*unseen) if verdict.outcome is Outcome.FAIL else verdict

    def _record(self, statistics: PathStatistics) -> None:
        self._tester.recorder.event(
            "path_stopped",
            path=statistics.name,
            received=statistics.received,
            forwarded=statistics.forwarded,
            duplicated=statistics.duplicated,
            injected=statistics.injected,
            dropped=statistics.dropped,
            loss_drops=statistics.loss_drops,
            tail_drops=statistics.tail_drops,
            overflowed=statistics.overflowed,
            delayed=statistics.delayed,
            held=statistics.held,
            lost=statistics.lost,
            objections=list(statistics.objections),
            events=[
                {
                    "name": event.name,
                    "matched": event.matched,
                    "fired": event.fired,
                    "expired": event.expired,
                    "held_back": event.held_back,
                    "first_fired_ns": event.first_fired_ns,
                    "last_fired_ns": event.last_fired_ns,
                    "link_outages": event.link_outages,
                    "first_down_ns": event.first_down_ns,
                    "last_up_ns": event.last_up_ns,
                }
                for event in statistics.events
            ],
        )

    def statistics(self, name: str | None = None) -> PathStatistics:
        """The counters of a path since its last start; its name may be left out where there is one path.

        Raises:
            TesterLibraryError: there is no such path, or it was not started.
        """
        state = self._paths[self._paths.only(name)]
        if state.plan:
            return self._read(state)
        if state.last is None:
            raise state.path.refused("it has not been started; call Start Path first")
        return state.last

    def refuse_unstarted(self) -> None:
        """TesterLibraryError if there are paths and none of them was started."""
        if self._paths and not any(state.plan or state.last for state in self._paths.values()):
            names = " and ".join(self._paths)
            raise TesterLibraryError(f"path {names} was not started; call Start Path first")

    def started(self) -> list[PathStatistics]:
        """The statistics of all paths that were started."""
        return [self.statistics(name) for name, state in self._paths.items() if state.plan or state.last]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why nothing can be concluded of what was measured through the paths; empty if something can."""
        try:
            return tuple(filter(None, (statistics.doubt for statistics in self.started())))
        except TargetError as problem:
            why = str(problem).removeprefix("INCONCLUSIVE: ")
            return (f"nobody knows whether the events of the paths have fired: {why}",)

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self.traces.close()
        self.stamps.close()
        self._paths.clear()

    def _end_left(self, name: str) -> str:
        """Stops a path that still forwards, and forgets it."""
        if name in self._paths:
            try:
                self.stop([name])
            finally:
                del self._paths[name]
        return ""

    def _planned(self, path: Path) -> Plan:
        return self._tester.plans.of_job(Job(_job_of(path), paths=(path,), seed=self._tester.seed))

    def _read(self, state: _PathState) -> PathStatistics:
        if state.plan is None or state.before is None:
            raise state.path.refused("it is not forwarding; call Start Path first")
        job = state.plan.job
        now = self._tester.target.snapshot([job])
        limits = self._tester.rules.limits
        counted = now.path(job, state.path.name)
        path = state.path
        return statistics_of(state.before, now, job, counted, limits, path.impairments, path.beside)


def _job_of(path: Path) -> str:
    return f"path {path.name}"
