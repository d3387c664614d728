# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs under leases: each is a `tester run` of its own, one at a time for each lease."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from ..campaign.child_status import Event
from ..errors import TesterLibraryError
from ..reporting.record.machine import wall_clock
from ..reporting.record.outcome import ERROR, EXIT_STATUS
from .account import close
from .config import JOBS, Config, ServedPlace
from .job import Job, JobProgress, JobState
from .ledger import SERVICE, Caller, Ledger, Work
from .refusal import Ended, Misfit, NotAllowed, Unknown, Unready, Wrong
from .runner import LOG, RUN, Running, kill_all
from .scheduler import Lease
from .store import keep_job
from .submission import FILE, STREAMS, Submission, prepare, without_folders
from .testers import Testers
from .user import Role

_OUTCOMES = {status: outcome for outcome, status in EXIT_STATUS.items()}
_MOST_OF_A_LEASE = 100
_CHECK_S = 90.0  # for a file to be read, on a machine that is busy
_PROBLEM = 2000  # characters of what a check says


class Leases(Protocol):
    """The part of a lab that jobs need."""

    @property
    def config(self) -> Config:
        """The file of the service."""

    @property
    def testers(self) -> Testers:
        """Those of all places."""

    def usable(self, caller: Caller, lease_id: str, *, acquired: bool = False) -> Lease:
        """A lease that the caller may use now."""

    def place(self, name: str) -> ServedPlace:
        """A place by its name."""


class Jobs:
    """The jobs of a lab, with their folders."""

    def __init__(self, lab: Leases, ledger: Ledger) -> None:
        self._lab, self._ledger = lab, ledger
        self._folder = lab.config.folder.absolute() / JOBS
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stops: dict[str, tuple[JobState, str]] = {}  # how a job that is being ended will have ended
        self._running: dict[str, Running] = {}
        self._progress: dict[str, JobProgress] = {}  # of those that this process has run
        self._resumes: set[str] = set()
        self._submitting: Counter[str] = Counter()  # requests by lease
        self._checks: dict[str, asyncio.Lock] = {}  # of leases under which somebody submits: one at a time
        self.counts: Counter[str] = Counter()

    # What users ask for.

    async def submit(self, caller: Caller, lease_id: str, text: bytes, *, keeps_lease: bool) -> Job:
        """A new job under a lease: it runs, or waits for those before it.

        Raises:
            Refusal: the lease is not the caller's, is not acquired or is over, or the file is wrong. Then
                nothing is kept of it.
        """
        self._ledger.check()
        lease = self._acquired(caller, lease_id)
        job_id = uuid4().hex[:16]
        folder = self._folder / job_id
        try:
            folder.mkdir(parents=True, mode=0o700)
            async with self._turn(lease_id):
                lease = self._lab.usable(caller, lease_id, acquired=True)  # it may be over meanwhile
                submission = await self._checked(text, folder, lease)
            lease = self._acquired(caller, lease_id)
            job = Job(
                id=job_id,
                number=max((job.number for job in self._jobs.values()), default=0) + 1,
                lease=lease.id,
                owner=caller.name,
                place=lease.place,
                kind=submission.kind,
                title=submission.title,
                state=JobState.WAITING,
                submitted_at=wall_clock(),
                keeps_lease=keeps_lease,
            )
            self._jobs[job.id] = job
            work = Work(
                [keep_job(job)], [caller.line("submit a job", job.id, 201, f"{job.kind}, {job.place}")]
            )
            await self._ledger.keep(work)
        except OSError as problem:
            shutil.rmtree(folder, ignore_errors=True)
            raise Unready(f"the job cannot be kept: {problem.strerror}; nothing was changed") from None
        except BaseException:
            self._jobs.pop(job_id, None)
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._run_next(lease.id)
        return self._jobs[job.id]

    @asynccontextmanager
    async def _turn(self, lease_id: str) -> AsyncIterator[None]:
        """One after the other of a lease: each check is a process, on the machine of the testers."""
        self._submitting[lease_id] += 1
        try:
            async with self._checks.setdefault(lease_id, asyncio.Lock()):
                yield
        finally:
            self._submitting[lease_id] -= 1
            if not self._submitting[lease_id]:
                del self._submitting[lease_id], self._checks[lease_id]

    def _acquired(self, caller: Caller, lease_id: str) -> Lease:
        lease = self._lab.usable(caller, lease_id, acquired=True)
        waiting = sum(job.lease == lease_id and not job.state.is_over for job in self._jobs.values())
        waiting += self._submitting[lease_id]
        if waiting >= _MOST_OF_A_LEASE:
            raise Misfit(
                f"lease {lease_id} has {waiting} jobs that are not over; wait for them, or cancel some"
            )
        return lease

    async def _checked(self, text: bytes, folder: Path, lease: Lease) -> Submission:
        """The submission, read as `tester run` will read it, in a process and a folder of its own.

        That reads suites and runs nothing of them, so it needs no other user.
        """
        place = self._lab.place(lease.place)
        submission = await asyncio.to_thread(prepare, text, folder, place, self._lab.config.suites)
        arguments = self._arguments(submission.kind, place.file)
        problems: list[str] = []
        checking = await Running.start(
            folder.name,
            folder,
            [*arguments, "--check"],
            {},
            heard=lambda event: problems.append(event.get("text", "")),
        )
        try:
            status = await asyncio.wait_for(checking.wait(), _CHECK_S)
        except asyncio.TimeoutError:
            await checking.end()
            raise Wrong(
                f"it could not be read within {_CHECK_S:.0f} s; the machine may be too busy"
            ) from None
        (folder / LOG).unlink()
        if status:
            problem = "".join(problems) or f"it could not be read: its check ended with status {status}"
            raise Wrong(without_folders(problem, folder, self._lab.config.suites).strip()[:_PROBLEM])
        return submission

    @staticmethod
    def _arguments(kind: str, testbed: str) -> list[str]:
        return ["run", FILE, "--output", RUN, *(["--testbed", testbed] if kind == STREAMS else [])]

    async def cancel(self, caller: Caller, job_id: str) -> Job:
        """Ends a job, and its traffic. Ended if it is over."""
        self._ledger.check()
        job = self.job(job_id)
        self._check_owner(caller, job)
        if job.state.is_over:
            raise Ended(f"job {job.id} is over: {job.state.value}")
        await self._stop(job, JobState.CANCELLED, f"{caller.name} cancelled it", caller)
        return self.job(job_id)

    async def resume(self, caller: Caller, job_id: str, lease_id: str) -> Job:
        """Goes on with a job that was stopped, under a lease of the same place. Verdicts there are kept."""
        self._ledger.check()
        job = self.job(job_id)
        self._check_owner(caller, job)
        if not job.state.is_over:
            raise Misfit(f"job {job.id} is {job.state.value}; only a job that was stopped is resumed")
        if job.state is JobState.ENDED and job.outcome != ERROR:
            raise Misfit(f"job {job.id} has come to its end, {job.outcome}; submit it again instead")
        lease = self._acquired(caller, lease_id)
        if lease.place != job.place:
            raise Misfit(f"job {job.id} is for {job.place}, and lease {lease.id} is of {lease.place}")
        again = replace(
            job, lease=lease.id, state=JobState.WAITING, status=None, outcome="", said="", ended_at=""
        )
        self._jobs[job.id] = again  # at once: nobody else resumes it
        try:
            line = caller.line("resume a job", job.id, 200, lease.id)
            await self._ledger.keep(Work([keep_job(again)], [line]))
        except Unready:
            self._jobs[job.id] = job
            raise
        self._resumes.add(job.id)
        self._run_next(lease.id)
        return self.job(job_id)

    async def wait_for(self, job_id: str, timeout_s: float) -> Job:
        """A job once it is over, or as it is after so long."""
        until = time.monotonic() + timeout_s
        while True:
            job = self.job(job_id)
            left = until - time.monotonic()
            if job.state.is_over or left <= 0:
                return job
            await self._ledger.news_of(job_id, left)

    def job(self, job_id: str) -> Job:
        """A job by its id. Unknown if there is none."""
        if job_id not in self._jobs:
            raise Unknown(f"there is no job {job_id!r}; GET /v1/jobs has all of them")
        return self._jobs[job_id]

    def progress(self, job_id: str) -> JobProgress:
        """How far a job is."""
        return self._progress.get(job_id) or JobProgress()

    def all(self) -> Iterable[Job]:
        """All jobs, the oldest first."""
        return self._jobs.values()

    def folder_of(self, job: Job) -> Path:
        """The folder of a job's log and run."""
        return self._folder / job.id

    def keeps(self, lease_id: str) -> bool:
        """Whether a lease is kept although its owner is not heard of: he submits a job, or one says so."""
        if self._submitting[lease_id]:
            return True
        return any(j.lease == lease_id and j.keeps_lease and not j.state.is_over for j in self._jobs.values())

    def _check_owner(self, caller: Caller, job: Job) -> None:
        if job.owner != caller.name and not caller.role.may(Role.ADMIN):
            raise NotAllowed(f"job {job.id} is that of {job.owner}; ask {job.owner}, or an admin")

    # What happens to jobs.

    def _run_next(self, lease_id: str) -> None:
        """Runs the next job of a lease, unless one runs."""
        mine = [job for job in self._jobs.values() if job.lease == lease_id and not job.state.is_over]
        if mine and not any(job.id in self._tasks for job in mine):
            job = min(mine, key=lambda job: job.number)
            task = self._tasks[job.id] = asyncio.create_task(self._run(job))
            task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    async def _run(self, job: Job) -> None:
        status, said = None, ""
        place, keeper = self._lab.place(job.place), self._lab.testers.keeper(job.lease)
        arguments = self._arguments(job.kind, place.file)
        if job.id in self._resumes:
            self._resumes.discard(job.id)
            arguments.append("--resume")
        self._jobs[job.id] = replace(job, state=JobState.RUNNING, started_at=wall_clock())
        with suppress(Unready):
            await self._ledger.keep(Work([keep_job(self._jobs[job.id])], told=[job.id]))
        try:
            if job.id not in self._stops:
                more = dict([keeper.variable]) if keeper else {}
                folder, account = self.folder_of(job), place.runner
                if account:
                    account.open_folder(folder, RUN, FILE)
                heard = partial(_hear, self._progress.setdefault(job.id, JobProgress()))
                running = await Running.start(job.id, folder, arguments, more, account, heard)
                self._running[job.id] = running
                status = await running.wait()
                await asyncio.to_thread(kill_all, job.id)  # what the run has left, if it was killed
        except OSError as problem:
            said = f"it could not be run: {problem.strerror}"
        finally:
            self._running.pop(job.id, None)
            if place.runner:
                await asyncio.to_thread(place.runner.close_folder, self.folder_of(job))
        if keeper and job.id not in self._stops:
            with suppress(TesterLibraryError):
                await self._lab.testers.in_thread(keeper.clear_up)
        self._tasks.pop(job.id, None)
        await self._over(job.id, status, said)
        self._run_next(job.lease)

    async def _over(self, job_id: str, status: int | None, said: str) -> None:
        stopped = self._stops.pop(job_id, None)
        state, said = stopped or (JobState.ENDED, said)
        outcome = "" if stopped else _OUTCOMES.get(-1 if status is None else status, ERROR)
        if outcome == ERROR and job_id in self._progress:
            said = said or self._progress[job_id].error
        if not stopped and status is not None and status < 0:
            said = f"it was killed by signal {-status}"
        job = replace(
            self._jobs[job_id], state=state, ended_at=wall_clock(), status=status, outcome=outcome, said=said
        )
        self._jobs[job_id] = job
        self.counts[outcome or state.value] += 1
        line = SERVICE.line(
            "end a job", job.id, 200, f"{job.owner}, {job.place}: {outcome or state.value}. {said}"
        )
        with suppress(Unready):  # it is written when the database can be used again
            await self._ledger.keep(Work([keep_job(job)], [line], [job.id]))

    async def _stop(self, job: Job, state: JobState, said: str, caller: Caller) -> None:
        self._stops[job.id] = (state, said)
        with suppress(Unready):
            await self._ledger.keep(Work(lines=[caller.line("stop a job", job.id, 200, said)]))
        if running := self._running.get(job.id):
            await running.end()
        task = self._tasks.get(job.id)
        if task:
            await asyncio.wait([task])
        elif not self.job(job.id).state.is_over:  # it was waiting
            await self._over(job.id, None, said)

    async def end_all(self, lease_id: str | None, state: JobState, said: str) -> None:
        """Ends the jobs of a lease, or all, the waiting ones first. When it returns none runs."""
        going = [
            job for job in self._jobs.values() if not job.state.is_over and lease_id in (None, job.lease)
        ]
        for job in going:  # first, so that none of them begins
            self._stops[job.id] = (state, said)
        waiting = [job for job in going if job.id not in self._tasks]
        for job in [*waiting, *(job for job in going if job not in waiting)]:
            await self._stop(job, state, said, SERVICE)

    # What was left by an earlier process, or by a database that had failed.

    def restore(self, jobs: Sequence[Job]) -> None:
        """Takes up the jobs of an earlier process. What it left of submissions that it did not keep goes."""
        self._jobs = {job.id: job for job in jobs}
        for folder in self._folder.glob("*"):
            if folder.name not in self._jobs and not (folder / RUN).exists():
                shutil.rmtree(folder, ignore_errors=True)

    def mark_interrupted(self, work: Work) -> None:
        """The jobs that an earlier process ran ended with it; what is left of their processes is killed."""
        said = "the service ended while it ran, or waited; resume it under a new lease"
        for job in list(self._jobs.values()):
            if job.state.is_over:
                continue
            kill_all(job.id)
            close(self.folder_of(job))
            over = replace(job, state=JobState.INTERRUPTED, ended_at=wall_clock(), said=said)
            self._jobs[job.id] = over
            work.changes.append(keep_job(over))
            work.lines.append(SERVICE.line("end a job", job.id, 200, f"{job.owner}, {job.place}: {said}"))

    async def recover(self, held: Collection[str], work: Work) -> None:
        """After a failure of the database: writes what it has missed; jobs without a lease are ended."""
        for lease_id in {job.lease for job in self._jobs.values() if not job.state.is_over} - set(held):
            await self.end_all(lease_id, JobState.LEASE_ENDED, "its lease is over")
        work.changes += [keep_job(job) for job in self._jobs.values()]


def _hear(progress: JobProgress, event: Event) -> None:
    """Takes an event of a job's status."""
    if event["event"] == "begun":
        progress.tests = event["tests"]
        progress.outcomes.clear()
    elif event["event"] == "test" and event["outcome"] in EXIT_STATUS:
        progress.outcomes[event["outcome"]] += 1
    elif event["event"] == "error":
        progress.error = event["text"]
