# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign on its testers: each cell where it fits, and elsewhere if a tester fails."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from ...errors import TesterLibraryError
from ...reporting.merge.cells import (
    Attempt,
    PlannedCell,
    attempts,
    begin_attempt,
    cell_outcome,
    end_attempt,
    left,
    read_plan,
    records_of,
    unsettled,
    write_plan,
)
from ...reporting.record.agenda import Item, expected_s
from ...reporting.record.digests import digest_of
from ...reporting.record.record_place import EVIDENCE
from ...reporting.record.recorder import Recorder, read_run
from ..bed import Bed
from ..cell_pace import Pace
from ..certification import Certification, Placed
from ..end_signals import asked_to_end
from ..robot_process import await_end
from ..time_budget import OVERDUE, latest_end, record_not_run, spent
from .fleet import Fleet
from .leases import Leases
from .schedule import Cell, Schedule
from .task import ENDS_AT, Task, start_records
from .workers import Workers, at_once

_LOOK_S = 0.5  # between two looks at leases and testers
_ABSENT_S = 30.0  # so long a tester may be away before its cells are given up
_PATIENCE_S = 30.0  # for a cell to end that was told to, because of the time budget
_digest = cache(digest_of)  # the same suite is run by many tasks


def _digests(files: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of files by their paths, as they were when each was first asked for."""
    return {str(file): _digest(file) for file in files}


def _is_still(file: Path, digest: str) -> bool:
    """Whether a file that tests name is what it was: one that they write is none that they need."""
    return file.is_file() and digest_of(file) == digest


_UNSAFE = re.compile(r"[^\w.()-]+")


@dataclass(frozen=True)
class _Job:
    """A cell with what is needed to run it."""

    plan: PlannedCell
    bed: Bed
    suites: tuple[Path, ...]
    places: Mapping[str, frozenset[str]]
    named: Mapping[str, str]  # files that its suites name, as they were before its first test


class FleetRunner:
    """Runs one certification on the testers of a fleet. In a `with` block its testers can be used."""

    def __init__(self, fleet: Fleet, workers: Callable[[Collection[str]], Workers]) -> None:
        """`workers`: makes those who run tasks on testers."""
        self._fleet, self._make = fleet, workers
        self._open = ExitStack()
        self._jobs: dict[Path, tuple[_Job, ...]] = {}  # by the folder of the run

    def __enter__(self) -> FleetRunner:
        """TesterLibraryError if a tester, its service or the cluster is not there."""
        with ExitStack() as opened:
            self._leases = opened.enter_context(closing(Leases(self._fleet.testers)))
            names = [tester.name for tester in self._fleet.testers]
            self._workers = opened.enter_context(closing(self._make(names)))
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends all tasks, and releases all leases."""
        self._open.close()

    def jobs(self, run: Certification) -> tuple[_Job, ...]:
        """The cells of the certification, in the order of its file. Its suites are read once.

        Raises:
            TesterLibraryError: no tester can run one, or two have the same name.
        """
        if run.output not in self._jobs:
            cells: dict[tuple[str, str], list[Placed]] = {}
            for placed in run.placed():
                cells.setdefault((placed.bed.label, placed.item.suite), []).append(placed)
            jobs = (self._job(run, number, tests) for number, tests in enumerate(cells.values(), 1))
            self._jobs[run.output] = tuple(jobs)
        return self._jobs[run.output]

    def _job(self, run: Certification, number: int, tests: Sequence[Placed]) -> _Job:
        first = tests[0]
        suite = first.item.suite
        files = dict.fromkeys(test.suite for test in tests)
        if len(files) > 1:
            names = " and ".join(map(str, files))
            raise TesterLibraryError(
                f"{names} are both named {suite!r} in the reports, which could not tell them apart; "
                "rename one"
            )
        suites = (first.suite,) if first.suite in first.bed.suites else first.bed.suites
        return _Job(
            PlannedCell(
                f"{number:04}-{_UNSAFE.sub('-', suite)}", first.bed.label, tuple(test.item for test in tests)
            ),
            first.bed,
            suites,
            self._fleet.places(first.bed.name, first.suite),
            _digests(run.files(replace(first.bed, suites=suites)).named()),
        )

    def check(self, run: Certification) -> None:
        """TesterLibraryError if no tester can run a test, or two cells have the same name."""
        self.jobs(run)

    def check_services(self) -> None:
        """TesterLibraryError if a service is not reached, or has not the place of a tester."""
        Leases(self._fleet.testers).close()

    def begin(self, run: Certification) -> None:
        """Writes the cells of a certification into its folder."""
        write_plan(run.output, [job.plan for job in self.jobs(run)])

    def left(self, run: Certification) -> tuple[Item, ...]:
        """The tests that have no verdict yet.

        Raises:
            TesterLibraryError: its cells are others than those in its folder.
        """
        planned = read_plan(run.output)
        if planned != tuple(job.plan for job in self.jobs(run)):
            raise TesterLibraryError(
                f"the cells are no longer those of {run.output}; run it from its begin, without --resume"
            )
        for cell in planned:
            for attempt in attempts(run.output, cell):
                await_end(attempt.folder)
        return tuple(item for cell in planned for item in left(run.output, cell))

    def run(self, run: Certification) -> bool:
        """Runs the tests that are left. False if it was interrupted."""
        again = None if run.again is None else set(run.again)
        jobs, rest = self.jobs(run), {}
        for job in jobs:
            items = tuple(item for item in job.plan.items if again is None or item in again)
            if items:
                rest[job.plan.name] = items
        if not rest:
            return True
        with asked_to_end(_end_at_once) as stopped:
            left_jobs = {job.plan.name: job for job in jobs if job.plan.name in rest}
            campaign = _Campaign(run, self._fleet, left_jobs, rest, stopped)
            return campaign.run(self._workers, self._leases)


class _Campaign:
    """A campaign while it is run."""

    def __init__(
        self,
        run: Certification,
        fleet: Fleet,
        jobs: Mapping[str, _Job],
        items: dict[str, tuple[Item, ...]],
        stopped: Sequence[int],
    ) -> None:
        """`items`: the tests that are left of each cell."""
        self._run, self._fleet, self._stopped = run, fleet, stopped
        self._jobs, self._items = jobs, items
        self._id = str(read_run(run.output / EVIDENCE)["id"])
        self._schedule = Schedule([Cell(name, job.places) for name, job in self._jobs.items()])
        self._attempts: dict[str, Attempt] = {}
        self._faults: dict[str, str] = {}  # of cells that are being stopped
        self._pace = Pace({name: expected_s(items, run.suite_s) for name, items in self._items.items()})
        budget = run.time_budget_s
        self._ends_at = None if budget is None else time.monotonic() + budget
        self._latest_end = None if budget is None else latest_end(time.monotonic() + budget, budget)
        self._overdue: dict[str, float] = {}  # when cells that went on for too long were told to end
        self._absent: dict[str, float] = {}  # since when testers are away

    def run(self, workers: Workers, leases: Leases) -> bool:
        """Runs all cells. False if it was interrupted."""
        try:
            while not self._schedule.is_over and not self._stopped:
                self._watch(workers, leases)
                self._start(workers, leases)
                for ended in workers.wait(_LOOK_S):
                    self._ended(ended.cell, ended.fault, leases)
        finally:
            workers.end()
            for cell, attempt in list(self._attempts.items()):
                leases.give_back(attempt.tester)
                self._close(cell, "the campaign was stopped")
            leases.want(())
        for cell, reason in self._schedule.given_up.items():
            self._say(cell, f"given up: {reason}")
        return not self._stopped

    def _watch(self, workers: Workers, leases: Leases) -> None:
        """Looks for testers that are gone, and for leases that are lost."""
        here, now = workers.here(), time.monotonic()
        for tester in self._fleet.testers:
            if tester.name in here:
                self._absent.pop(tester.name, None)
            elif now - self._absent.setdefault(tester.name, now) > _ABSENT_S:
                self._schedule.leave(tester.name, "its machine has left the cluster")
        for name, reason in leases.unusable().items():
            self._schedule.leave(name, reason)
        lost = leases.lost()
        for cell, name in self._schedule.running.items():
            if name in lost and cell not in self._faults:
                self._faults[cell] = lost[name]
                workers.stop(cell)
        if self._latest_end is not None and now > self._latest_end:
            self._end_overdue(workers, now)

    def _end_overdue(self, workers: Workers, now: float) -> None:
        """Ends the cells that still run long after the time budget was spent; kills those that do not end."""
        for cell in self._schedule.running:
            if cell not in self._overdue:
                self._overdue[cell] = now
                self._faults.setdefault(cell, OVERDUE)
                workers.stop(cell)
            elif now - self._overdue[cell] > _PATIENCE_S:
                workers.kill(cell)

    def _start(self, workers: Workers, leases: Leases) -> None:
        """Starts the cells that can be, as long as there is time."""
        if self._is_spent():
            return
        leases.want(self._schedule.wanted())
        leased = leases.here()
        here = {name for name in workers.here() if name not in leases or name in leased}
        started = self._schedule.starts(here)
        begun = at_once(
            lambda each: begin_attempt(self._run.output, self._jobs[each[0]].plan, each[1]), started
        )
        tasks = []
        for (cell, tester), attempt in zip(started, begun, strict=True):
            self._attempts[cell] = attempt
            tasks.append(self._task(cell, attempt, leases.use(tester) if tester in leases else {}))
        workers.start(tasks)
        for task in tasks:
            self._pace.begin(task.cell)

    def _is_spent(self) -> bool:
        """Leaves out the cells for which no time is left, and says so of each test."""
        if self._ends_at is None:
            return False
        rest = self._ends_at - time.monotonic()
        for cell in self._schedule.waiting:
            reason = spent(rest, self._pace.expected(cell))
            if reason:
                self._leave_out(cell, reason)
        return rest <= 0

    def _leave_out(self, cell: str, reason: str) -> None:
        attempt = begin_attempt(self._run.output, self._jobs[cell].plan, "")
        start_records(attempt.folder, self._id, self._run.title, self._items[cell])
        recorder = Recorder(attempt.evidence, self._id)
        for item in self._items[cell]:
            record_not_run(recorder, item, reason)
        end_attempt(attempt)
        self._schedule.skip(cell)

    def _task(self, cell: str, attempt: Attempt, environment: Mapping[str, str]) -> Task:
        job, items = self._jobs[cell], self._items[cell]
        bed = replace(job.bed, testbed=self._fleet.tester(attempt.tester).files[job.bed.name])
        part = replace(self._run, output=attempt.folder, again=None, by=None)
        budget = None if self._ends_at is None else self._ends_at - time.monotonic()
        named = {name: digest for name, digest in job.named.items() if _is_still(Path(name), digest)}
        return Task(
            cell=cell,
            tester=attempt.tester,
            testbed=bed.testbed,
            folder=attempt.folder,
            title=self._run.title,
            run=self._id,
            items=items,
            arguments=tuple(
                part.robot_arguments(bed, items, job.suites, None if budget is None else ENDS_AT)
            ),
            budget_s=budget,
            environment=environment,
            files=_digests(part.files(replace(bed, suites=job.suites)).read()) | named,
            watched=_digests(part.files(replace(bed, suites=job.suites)).watched()),
        )

    def _ended(self, cell: str, fault: str, leases: Leases) -> None:
        """A task is over: its cell is, too, or what its tester has not done is run elsewhere."""
        attempt = self._attempts[cell]
        leases.give_back(attempt.tester)
        self._pace.end(cell)
        reason = self._close(cell, self._faults.pop(cell, "") or fault)
        if reason:
            self._schedule.fault(cell, reason)
            self._say(cell, f"{attempt.tester} has not finished it: {reason}")
        else:
            self._schedule.done(cell)
            outcome = cell_outcome(self._run.output, self._jobs[cell].plan)
            self._say(cell, f"{outcome} on {attempt.tester}, {self._pace.took(cell):.0f} s")

    def _close(self, cell: str, fault: str) -> str:
        """Ends an attempt. Returns why the rest is run elsewhere; empty if there is no rest."""
        attempt = self._attempts.pop(cell)
        rest, reason = unsettled(records_of(attempt), self._items[cell], interrupted=fault)
        end_attempt(attempt, reason)
        self._items[cell] = rest or self._items[cell]
        return reason

    def _say(self, cell: str, text: str) -> None:
        """One line on a cell, with how far the campaign is."""
        waiting, running = self._schedule.waiting, self._schedule.running
        done = len(self._jobs) - len(waiting) - len(running)
        eta = self._pace.left(waiting, running)
        counts = f"{done} of {len(self._jobs)} over, {len(running)} running, {len(waiting)} waiting"
        at = datetime.now().strftime("%H:%M:%S")
        suite = self._jobs[cell].plan.suite
        print(f"{at} {suite}: {text} ({counts}{f', about {eta} left' if eta else ''})", flush=True)


def _end_at_once(signals: Sequence[int]) -> None:
    """The first signal lets the tasks end; the second one waits for nobody."""
    if len(signals) > 1:
        raise KeyboardInterrupt
