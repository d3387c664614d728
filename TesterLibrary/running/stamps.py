# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps between two paths: they begin when both are loaded, and end before the first of them does."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path as File

from ..errors import PlanError, TargetError
from ..measurement.snapshot import Snapshot, StampFlowCounters, StampIntervalCounters
from ..measurement.stamps import in_flight
from ..methodology.stamps import StampResult
from ..model.heading import Heading
from ..model.job import Job
from ..model.plan.plan import Plan
from ..model.stamps import Stamps
from ..reporting.captures.stamp_files import FOLDER, write_flows, write_intervals
from ..reporting.record.durable import RecordError
from ..targets.base import part_of
from .named import Named
from .tester import Tester

_HEADINGS = {"forward": Heading.FORWARD, "backward": Heading.BACKWARD}


@dataclass
class _GroupState:
    """Stamps that were described; they may be given, or have been."""

    stamps: Stamps
    plan: Plan | None = None  # while packets are stamped
    last: StampResult | None = None  # once they are ended
    flows: dict[str, list[StampFlowCounters]] = field(default_factory=dict)  # of each direction, as well

    def is_on(self, path: str) -> bool:
        return path in {loaded.path for loaded in self.stamps.paths}


class StampGroups:
    """The stamps of one tester, by name."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._groups = Named[str, _GroupState]("group of stamps", "Stamp Traffic")

    def describe(self, stamps: Stamps) -> None:
        """Remembers stamps; they begin with their paths.

        Raises:
            PlanError: they can never be right, or one of their paths has some already.
        """
        for state in self._groups.values():
            for path in stamps.paths:
                if state.is_on(path.path) and (state.plan or state.stamps.name != stamps.name):
                    raise stamps.refused(
                        f"path {path.path!r} has the stamps {state.stamps.name!r} already; it can have one"
                    )
        self._planned(stamps)
        self._groups.begin(stamps.name, _GroupState(stamps), self._tester.scopes, self._end_left)

    def begin(self, jobs: Collection[str]) -> list[str]:
        """Stamps the packets of paths whose jobs are all loaded. Returns the names of those that begin.

        Raises:
            PlanError: the tester refuses; nothing has changed.
        """
        begun: list[str] = []
        target = self._tester.target
        try:
            for state in self._groups.values():
                if state.plan or not all(path.job in jobs for path in state.stamps.paths):
                    continue
                plan = self._planned(state.stamps)
                target.load(plan)
                state.plan, state.last = plan, None
                state.flows.clear()
                begun.append(state.stamps.name)
                target.start([plan.job])
        except BaseException:
            self.withdraw(begun)
            raise
        for name in begun:
            stamps = self._groups[name].stamps
            paths = [path.path for path in stamps.paths]
            self._tester.recorder.event("stamps_started", stamps=name, paths=paths, mode=stamps.mode.value)
        return begun

    def withdraw(self, names: Collection[str]) -> None:
        """As if they had never begun. Never raises."""
        for name in names:
            state = self._groups[name]
            if state.plan:
                with suppress(TargetError, PlanError):
                    self._tester.target.unload([state.plan.job])
                state.plan = None

    def end(self, paths: Collection[str]) -> list[StampResult]:
        """Stamps no more packets of these paths, waits for those that are under way, and writes the files."""
        return [
            self._end(state, state.plan)
            for state in self._groups.values()
            if state.plan and any(map(state.is_on, paths))
        ]

    def _end(self, state: _GroupState, plan: Plan) -> StampResult:
        target, job = self._tester.target, plan.job
        try:
            target.stop([job])
            state.last = self._read(state.stamps, plan, self._files(state, plan))
        finally:
            state.plan = None
            with suppress(TargetError, PlanError):
                target.unload([job])
        self._tester.recorder.event(
            "stamps_stopped", stamps=state.stamps.name, result=str(state.last), files=state.last.files
        )
        return state.last

    def result(self, name: str | None = None) -> StampResult:
        """The counters since the last start; the name may be left out where there is one.

        While packets are stamped it waits for those that are under way, as long as they may take.

        Raises:
            TesterLibraryError: there are none of that name, or they have not begun.
        """
        state = self._groups[self._groups.only(name)]
        if state.plan:
            return self._read(state.stamps, state.plan)
        return self._last(state)

    @staticmethod
    def _last(state: _GroupState) -> StampResult:
        """The counters when the stamps ended. PlanError where they have not begun."""
        if state.last is None:
            paths = " and ".join(path.path for path in state.stamps.paths)
            raise state.stamps.refused(f"no packet was stamped; start both paths, {paths}, first")
        return state.last

    def flows(self, name: str | None, heading: str) -> list[StampFlowCounters]:
        """The flows of one direction, as they are now or were when the stamps ended.

        Raises:
            PlanError: the stamps have not begun, or the tester counts no flows.
        """
        state = self._groups[self._groups.only(name)]
        if state.plan is None:
            self._last(state)
            if heading not in state.flows:
                raise state.stamps.refused(
                    f"no flows were counted in direction={heading}; give a direction that was stamped, "
                    "and a tester that counts flows: a testerd does, a switch does not"
                )
            return state.flows[heading]
        return [flow for flows, _ in self._records(state.stamps, state.plan, heading) for flow in flows]

    def _records(
        self, stamps: Stamps, plan: Plan, heading: str
    ) -> Iterator[tuple[tuple[StampFlowCounters, ...], tuple[StampIntervalCounters, ...]]]:
        return part_of(self._tester.target, "stamps").read(plan.job, stamps.name, _HEADINGS[heading])

    def _read(self, stamps: Stamps, plan: Plan, files: tuple[str, ...] = ()) -> StampResult:
        """Counters once nothing is under way, or the longest time for that is over."""
        job = plan.job
        target, timeout_ns = self._tester.target, stamps.timeout.ns
        ends_ns = target.snapshot([job]).taken_at_ns + timeout_ns

        def under_way_at(now: Snapshot) -> int:
            return in_flight(now.stamped(job, stamps.name), now.taken_at_ns, timeout_ns)

        now = self._tester.clock.reading(
            lambda: target.snapshot([job]), lambda now: not under_way_at(now) or now.taken_at_ns > ends_ns
        )
        counters, under_way = now.stamped(job, stamps.name), under_way_at(now)
        before, behind = (path.path for path in stamps.paths)
        return StampResult(
            title=f"{stamps.name} ({before} to {behind}, {stamps.mode.value})",
            trials=(),
            name=stamps.name,
            mode=stamps.mode,
            timeout_ns=timeout_ns,
            directions=counters.directions,
            under_way=under_way,
            files=files,
            percentile_error=self._tester.capabilities.percentile_error,
        )

    def _files(self, state: _GroupState, plan: Plan) -> tuple[str, ...]:
        """Writes flows and intervals of all directions, once nothing is under way; the names of the files.

        A tester that counts no flows has no intervals, either.
        """
        counted = [
            found.heading for found in self._read(state.stamps, plan).directions if found.flows is not None
        ]
        directory = self._tester.recorder.directory / FOLDER
        written: list[File] = []
        for heading in filter(counted.__contains__, _headings(state.stamps)):
            chunks = list(self._records(state.stamps, plan, heading))
            name = f"{state.stamps.name}-{heading}"
            flows, intervals = (_free(directory, f"{name}-{what}") for what in ("flows", "intervals"))
            try:
                state.flows[heading] = [flow for some, _ in chunks for flow in some]
                write_flows(flows, state.flows[heading])
                write_intervals(intervals, [interval for _, some in chunks for interval in some])
            except OSError as problem:
                raise RecordError(directory, problem) from None
            written += [flows, intervals]
        return tuple(file.name for file in written)

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self._groups.clear()

    def _end_left(self, name: str) -> str:
        state = self._groups.pop(name, None)
        if state and state.plan:
            self._end(state, state.plan)
        return ""

    def _planned(self, stamps: Stamps) -> Plan:
        job = Job(f"stamps {stamps.name}", stamps=(stamps,), seed=self._tester.seed)
        return self._tester.plans.of_job(job)


def _headings(stamps: Stamps) -> list[str]:
    return [name for name, heading in _HEADINGS.items() if stamps.heading in (heading, Heading.BOTH)]


def _free(directory: File, stem: str) -> File:
    """A CSV file of that name that does not exist yet: a number is added where it does."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in stem)[:100]
    names = (f"{plain}-{number}.csv" if number > 1 else f"{plain}.csv" for number in count(1))
    return next(directory / name for name in names if not (directory / name).exists())
