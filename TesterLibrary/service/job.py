# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job of the service: a campaign, or a job file of streams, that is run under a lease."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum


class JobState(Enum):
    """The states of a job."""

    WAITING = "waiting"  # behind another job of its lease
    RUNNING = "running"
    ENDED = "ended"  # by itself; the outcome says how
    CANCELLED = "cancelled"
    LEASE_ENDED = "lease ended"  # before the job did, which was stopped
    INTERRUPTED = "interrupted"  # with the service

    @property
    def is_over(self) -> bool:
        """Whether nothing of it runs any more."""
        return self not in (JobState.WAITING, JobState.RUNNING)


@dataclass
class JobProgress:
    """How far a job is, as its status says."""

    tests: int | None = None  # that it runs
    outcomes: Counter[str] = field(default_factory=Counter)  # of those that have ended
    error: str = ""  # that ended it


@dataclass(frozen=True)
class Job:
    """A job from when it was submitted; its files are in a folder that has its id."""

    id: str
    number: int  # higher than that of every earlier job
    lease: str
    owner: str
    place: str
    kind: str  # campaign, or streams
    title: str
    state: JobState
    submitted_at: str
    keeps_lease: bool = False  # while it runs, its lease does not expire
    started_at: str = ""
    ended_at: str = ""
    status: int | None = None  # with which `tester run` ended
    outcome: str = ""  # PASS, FAIL, INCONCLUSIVE, ERROR or NOT JUDGED
    said: str = ""  # why it was stopped
