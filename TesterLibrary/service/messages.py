# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests to the service and its answers, as its OpenAPI describes them."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .job import Job, JobProgress
from .ledger import Caller
from .scheduler import Lease

_NAME = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
_TAG = Annotated[str, Field(min_length=1, max_length=64)]


class _Asked(BaseModel):
    """A request: an unknown key is refused, never ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Error(BaseModel):
    """A refusal: nothing has changed."""

    status: int
    error: str


class Me(BaseModel):
    """The caller, as the service knows him."""

    name: str
    role: str


class Health(BaseModel):
    """Whether the service can keep what it is asked for."""

    status: str
    problem: str


class Resource(BaseModel):
    """A port of a place."""

    name: str
    speed: str
    interface: str


class PlaceShown(BaseModel):
    """A place: a testbed that can be leased."""

    name: str
    testbed: str
    device: str
    tags: dict[str, str]
    resources: list[Resource]
    fit: bool
    problem: str = Field(description="why it is not given to anybody; empty: it is fit")
    looked_at: str = Field(description="when its tester was looked at; empty: not yet")
    lease: str = Field(description="the lease that has it; empty: it is free")
    owner: str


class PlaceUse(_Asked):
    """Takes a place out of use, or puts it into use again."""

    in_use: bool
    reason: str = Field("", max_length=300)


class LeaseWish(_Asked):
    """A wish for a place: by its name, or any place with these tags."""

    place: str = Field("", max_length=64)
    tags: dict[_TAG, _TAG] = Field(default_factory=dict, max_length=20)
    ttl_s: float = Field(
        60.0,
        ge=1,
        le=3600,
        allow_inf_nan=False,
        description="so long after the last heartbeat the lease and its traffic end",
    )
    force: bool = Field(False, description="takes the place from whoever has it; for admins")


class Allowed(_Asked):
    """A user who may use a lease, too."""

    user: str = Field(pattern=_NAME)


class LeaseShown(BaseModel):
    """A lease."""

    id: str
    state: str
    owner: str
    place: str
    tags: dict[str, str]
    position: int = Field(description="how many grants it takes until this one; 0: it does not wait")
    fence: int = Field(description="higher than that of every earlier lease; 0: it was not granted")
    ttl_s: float
    expires_in_s: float
    asked_at: str
    acquired_at: str
    ended_at: str
    reason: str = Field(description="why it is over")
    allowed: list[str]
    tester: str = Field(
        description="for the owner of an acquired lease: the value of TESTER_LEASE, with which a suite on "
        "another machine uses the tester; empty where each run starts a tester"
    )


class JobShown(BaseModel):
    """A job."""

    id: str
    state: str
    lease: str
    owner: str
    place: str
    kind: str
    title: str
    outcome: str
    status: int | None
    said: str
    tests: int | None = Field(
        description="that it runs; null: it has not begun, or an earlier service ran it"
    )
    outcomes: dict[str, int] = Field(description="how many of its tests have ended so")
    keeps_lease: bool
    submitted_at: str
    started_at: str
    ended_at: str


class Resumed(_Asked):
    """The lease under which a job goes on."""

    lease: str = Field(max_length=64)


class RecordPage(BaseModel):
    """Records of a run, in their order."""

    records: list[dict[str, object]]
    next: int = Field(description="give it as `after` for those that follow")


class FileShown(BaseModel):
    """A file of a run."""

    path: str
    bytes: int


class AuditShown(BaseModel):
    """Who did what, or was refused."""

    number: int
    at: str
    who: str
    role: str
    client: str
    did: str
    subject: str
    status: int
    said: str


def lease_shown(lease: Lease, *, position: int, now_s: float, tester: str) -> LeaseShown:
    """A lease for those who look at it; `tester` is for its owner alone."""
    return LeaseShown(
        id=lease.id,
        state=lease.state.value,
        owner=lease.owner,
        place=lease.place or lease.wish.place,
        tags=dict(lease.wish.tags),
        position=position,
        fence=lease.fence,
        ttl_s=lease.wish.ttl_s,
        expires_in_s=0.0 if lease.state.is_over else max(0.0, round(lease.deadline_s - now_s, 3)),
        asked_at=lease.asked_at,
        acquired_at=lease.acquired_at,
        ended_at=lease.ended_at,
        reason=lease.reason,
        allowed=list(lease.allowed),
        tester=tester,
    )


def job_shown(job: Job, progress: JobProgress) -> JobShown:
    """A job for those who look at it."""
    names = (
        field.name for field in fields(Job) if field.name in JobShown.model_fields and field.name != "state"
    )
    return JobShown(
        state=job.state.value,
        tests=progress.tests,
        outcomes=dict(progress.outcomes),
        **{name: getattr(job, name) for name in names},
    )


def me(caller: Caller) -> Me:
    """The caller."""
    return Me(name=caller.name, role=caller.role.value)
