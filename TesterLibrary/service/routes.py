# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The routes of the service over HTTP: places, leases, jobs, and the runs that jobs have left."""

from __future__ import annotations

import mimetypes
from collections import Counter
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.security import HTTPBearer

from ..reporting.record.record_place import EVIDENCE
from . import front, runs
from .job import Job
from .json_body import JsonRoute
from .lab import Lab
from .ledger import Caller, Ledger
from .live import PARTS, REPORT_POLICY, LivePages, headers, part
from .messages import (
    Allowed,
    AuditShown,
    Error,
    FileShown,
    Health,
    JobShown,
    LeaseShown,
    LeaseWish,
    Me,
    PlaceShown,
    PlaceUse,
    RecordPage,
    Resource,
    Resumed,
    job_shown,
    lease_shown,
    me,
)
from .metrics import KIND, metrics
from .refusal import NotAllowed, Unknown, Wrong
from .runner import LOG, RUN
from .scheduler import Lease, State, Wish
from .user import Role
from .web.table import file_response

_LONGEST_WAIT_S = 60.0
_SANDBOX = "; form-action 'none'; sandbox allow-scripts allow-popups"
_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": Error, "description": text}
    for status, text in (
        (400, "what was sent is no HTTP that can be read"),
        (401, "nobody knows the caller, or his token is over"),
        (403, "the caller's role, or the owner of the lease or job, forbids it"),
        (404, "there is no such thing"),
        (408, "the body did not come in time"),
        (409, "the state of the lease, place or job forbids it"),
        (410, "the lease or job is over"),
        (413, "the body is too large"),
        (421, "the request was meant for another host"),
        (422, "what was sent is wrong"),
        (429, "too many at a time"),
        (500, "the service has failed; its log says where"),
        (503, "the database cannot be written, or there are too many requests at once"),
    )
}
_PLAIN = "text/plain; charset=utf-8"
_YAML = {
    "requestBody": {
        "required": True,
        "description": "the YAML of a campaign, or of a job file of streams",
        "content": {"application/yaml": {"schema": {"type": "string"}}},
    }
}


def _links(path: str, parameter: str, *calls: tuple[str, str]) -> dict[int | str, dict[str, Any]]:
    """The calls that take what was created, in the OpenAPI: each a method and what is behind its path."""
    found = {
        f"{method} {path}{rest}": {
            "operationRef": f"#/paths/{_pointer(f'{path}{rest}')}/{method}",
            "parameters": {parameter: "$response.body#/id"},
        }
        for method, rest in calls
    }
    return {int(HTTPStatus.CREATED): {"links": found}}


def _pointer(path: str) -> str:
    """A key of a JSON document as a part of a pointer into it (RFC 6901 §3)."""
    return path.replace("~", "~0").replace("/", "~1")


def _text(kind: str) -> dict[int | str, dict[str, Any]]:
    """A text as what is answered, in the OpenAPI."""
    return {200: {"content": {kind.partition(";")[0]: {"schema": {"type": "string"}}}}}


_OF_A_LEASE = _links(
    "/v1/leases/{lease}",
    "lease",
    *(("get", ""), ("post", "/heartbeat"), ("post", "/allow"), ("post", "/jobs"), ("delete", "")),
)
_OF_A_JOB = _links(
    "/v1/jobs/{job}",
    "job",
    *(("get", ""), ("delete", ""), ("post", "/resume"), ("get", "/log"), ("get", "/records/{kind}")),
    *(("get", "/reports"), ("get", "/reports/{path}")),
)


def _caller(request: Request) -> Caller:
    caller: Caller = request.scope["state"]["caller"]
    return caller


def _nothing_ignored(request: Request) -> None:
    """Wrong if the query names a parameter twice, or one that the route does not take."""
    route = request.scope["route"]
    if not route.include_in_schema:
        return
    known = [parameter.alias for parameter in route.dependant.query_params]
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            taken = f"allowed are {', '.join(known)}" if known else "none is allowed"
            raise Wrong(f"?{name[:100]}: {route.path} has no such parameter; {taken}")
        if times > 1:
            raise Wrong(f"?{name}: is given {times} times; give it once")


def _of(role: Role) -> Any:
    def check(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
        if not caller.role.may(role):
            raise NotAllowed(f"{caller.name} is a {caller.role.value}; this needs the role {role.value}")
        return caller

    return Depends(check)


Reader = Annotated[Caller, _of(Role.READER)]
User = Annotated[Caller, _of(Role.USER)]
Admin = Annotated[Caller, _of(Role.ADMIN)]
Wait = Annotated[
    float,
    Query(ge=0, le=_LONGEST_WAIT_S, allow_inf_nan=False, description="seconds to wait for news, at most"),
]
After = Annotated[int, Query(ge=0, le=2**53, description="only those behind this number")]
Limit = Annotated[int, Query(ge=1, le=1000, description="so many, at most")]


def routes(lab: Lab, ledger: Ledger, pages: LivePages) -> APIRouter:
    """All that is served."""
    api = APIRouter(
        route_class=JsonRoute,
        responses=_REFUSED,
        dependencies=[
            Depends(HTTPBearer(auto_error=False)),
            _of(Role.READER),
            Depends(_nothing_ignored),
        ],
    )
    _look(api, lab, ledger)
    _places(api, lab)
    _leases(api, lab)
    _jobs(api, lab)
    _runs(api, lab)
    _live(api, lab, pages)
    return api


def health_route(ledger: Ledger) -> APIRouter:
    """The one page for which nobody has to say who he is."""
    api = APIRouter()

    @api.get(
        "/v1/health", responses={503: {"model": Health, "description": "the database cannot be written"}}
    )
    async def health(response: Response) -> Health:
        """Whether the service works; needs no token."""
        if ledger.problem:
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        return Health(status="failed" if ledger.problem else "ok", problem=ledger.problem)

    return api


def _look(api: APIRouter, lab: Lab, ledger: Ledger) -> None:
    @api.get("/", include_in_schema=False)
    async def page(caller: Reader) -> Response:
        """The page for people who come with a browser."""
        headers = {"Content-Security-Policy": front.POLICY, "Cache-Control": "no-store"}
        return HTMLResponse(front.front(lab, caller), headers=headers)

    @api.get("/v1/me")
    async def who_am_i(caller: Reader) -> Me:
        """The caller's name and role."""
        return me(caller)

    @api.get("/v1/audit", dependencies=[_of(Role.ADMIN)])
    async def audit(after: After | None = None, limit: Limit = 100) -> list[AuditShown]:
        """Who did what, or was refused, the newest first; for admins.

        `after`: those behind this number, the oldest first, to follow what comes.
        """
        lines = await ledger.ask(lambda store: store.audit(after, limit))
        return [AuditShown(**asdict(line)) for line in lines]

    @api.get("/metrics", response_class=Response, responses=_text(KIND))
    async def openmetrics() -> Response:
        """The service in numbers, for Prometheus."""
        return Response(metrics(lab), media_type=KIND)


def _places(api: APIRouter, lab: Lab) -> None:
    def shown(name: str) -> PlaceShown:
        place, holder = lab.place(name), lab.scheduler.holder(name)
        problem = lab.scheduler.unfit.get(name, "")
        return PlaceShown(
            name=name,
            testbed=place.testbed.name,
            device=place.testbed.dut.name,
            tags=dict(place.place.tags),
            resources=[
                Resource(name=port.name, speed=str(port.speed), interface=port.interface)
                for port in place.testbed.ports
            ],
            fit=not problem,
            problem=problem,
            looked_at=lab.testers.looked_at.get(name, ""),
            lease=holder.id if holder else "",
            owner=holder.owner if holder else "",
        )

    @api.get("/v1/places")
    async def places() -> list[PlaceShown]:
        """The testbeds that can be leased, with what they can do, their health, and who has them."""
        return [shown(name) for name in lab.places]

    @api.get("/v1/places/{name}")
    async def place(name: str) -> PlaceShown:
        """One place."""
        return shown(name)

    @api.put("/v1/places/{name}/use")
    async def use_place(caller: Admin, name: str, use: PlaceUse) -> PlaceShown:
        """Takes a place out of use, or puts it into use again; for admins."""
        await lab.set_use(
            caller, name, "" if use.in_use else use.reason or f"{caller.name} took it out of use"
        )
        return shown(name)


def _leases(api: APIRouter, lab: Lab) -> None:
    def shown(lease: Lease, caller: Caller) -> LeaseShown:
        keeper = lab.testers.keeper(lease.id) if lease.is_for(caller.name) else None
        acquired = lease.state is State.ACQUIRED
        return lease_shown(
            lease,
            position=lab.scheduler.position(lease.id),
            now_s=lab.now().s,
            tester=keeper.variable[1] if keeper and acquired else "",
        )

    @api.post("/v1/leases", status_code=HTTPStatus.CREATED, responses=_OF_A_LEASE)
    async def ask(caller: User, wish: LeaseWish) -> LeaseShown:
        """Asks for a tester: the lease is acquired at once, or waits in the queue."""
        asked = Wish(caller.name, wish.ttl_s, wish.place, wish.tags)
        return shown(await lab.ask(caller, asked, force=wish.force), caller)

    @api.get("/v1/leases")
    async def leases(caller: Reader) -> list[LeaseShown]:
        """The leases that are not over."""
        return [shown(lease, caller) for lease in lab.scheduler.leases()]

    @api.get("/v1/leases/{lease}")
    async def lease(caller: Reader, lease: str, wait: Wait = 0) -> LeaseShown:
        """A lease; with `wait`, once it no longer waits. Either is a heartbeat, too, if its owner asks."""
        return shown(await lab.wait_for(caller, lease, wait), caller)

    @api.post("/v1/leases/{lease}/heartbeat")
    async def heartbeat(caller: User, lease: str) -> LeaseShown:
        """The owner of a lease is there: it ends `ttl_s` after the last heartbeat."""
        return shown(await lab.renew(caller, lease), caller)

    @api.post("/v1/leases/{lease}/allow")
    async def allow(caller: User, lease: str, allowed: Allowed) -> LeaseShown:
        """Lets another user use the lease, too."""
        return shown(await lab.allow(caller, lease, allowed.user), caller)

    @api.delete("/v1/leases/{lease}")
    async def release(caller: User, lease: str, force: bool = False) -> LeaseShown:
        """Ends a lease, with its jobs and its traffic. `force`: that of somebody else; for admins."""
        return shown(await lab.end(caller, lease, force=force), caller)


def _jobs(api: APIRouter, lab: Lab) -> None:
    def shown(job: Job) -> JobShown:
        return job_shown(job, lab.jobs.progress(job.id))

    @api.post(
        "/v1/leases/{lease}/jobs",
        status_code=HTTPStatus.CREATED,
        openapi_extra=_YAML,
        responses=_OF_A_JOB,
    )
    async def submit(request: Request, caller: User, lease: str, keeps_lease: bool = False) -> JobShown:
        """Runs a campaign, or a job file of streams, under a lease. `keeps_lease`: without heartbeats."""
        lab.usable(caller, lease)  # before the body is read
        text = await request.body()
        return shown(await lab.jobs.submit(caller, lease, text, keeps_lease=keeps_lease))

    @api.get("/v1/jobs")
    async def jobs(after: After = 0, limit: Limit = 100) -> list[JobShown]:
        """The jobs, the newest first; `after`: so many of the newest are left out."""
        return [shown(job) for job in list(lab.jobs.all())[::-1][after : after + limit]]

    @api.get("/v1/jobs/{job}")
    async def job(job: str, wait: Wait = 0) -> JobShown:
        """A job; with `wait`, once it is over."""
        return shown(await lab.jobs.wait_for(job, wait))

    @api.delete("/v1/jobs/{job}")
    async def cancel(caller: User, job: str) -> JobShown:
        """Ends a job, and its traffic."""
        return shown(await lab.jobs.cancel(caller, job))

    @api.post("/v1/jobs/{job}/resume")
    async def resume(caller: User, job: str, under: Resumed) -> JobShown:
        """Goes on with a job that was stopped, under a lease of the same place."""
        return shown(await lab.jobs.resume(caller, job, under.lease))


def _runs(api: APIRouter, lab: Lab) -> None:
    @api.get("/v1/jobs/{job}/log", response_class=Response, responses=_text(_PLAIN))
    def log(job: str, offset: After = 0) -> Response:
        """The output of the job, from a byte on."""
        text = runs.log(lab.jobs.folder_of(lab.jobs.job(job)), LOG, offset)
        return Response(text, media_type=_PLAIN)

    @api.get("/v1/jobs/{job}/records/{kind}")
    def records(job: str, kind: str, after: After = 0, limit: Limit = 100) -> RecordPage:
        """Records of the run: trials, results, verdicts, tests, events or withdrawals."""
        run = lab.jobs.folder_of(lab.jobs.job(job)) / RUN
        found, number = runs.records(run, kind, after, limit)
        return RecordPage(records=found, next=max(number, after))

    @api.get("/v1/jobs/{job}/reports")
    def reports(job: str) -> list[FileShown]:
        """The files of the run: reports, records, captures."""
        run = lab.jobs.folder_of(lab.jobs.job(job)) / RUN
        return [FileShown(path=path, bytes=length) for path, length in runs.files(run)]

    @api.get("/v1/jobs/{job}/reports/{path:path}", response_class=Response)
    def report(job: str, path: str) -> Response:
        """A file of the run."""
        folder = lab.jobs.folder_of(lab.jobs.job(job)) / RUN
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return file_response(folder, path, kind, headers(REPORT_POLICY + _SANDBOX))


def _live(api: APIRouter, lab: Lab, pages: LivePages) -> None:
    @api.get("/v1/jobs/{job}/live", include_in_schema=False)
    async def live(job: str) -> Response:
        """Leads to the live page."""
        return RedirectResponse(f"/v1/jobs/{lab.jobs.job(job).id}/live/")

    @api.get("/v1/jobs/{job}/live/events", include_in_schema=False)
    async def events(request: Request, caller: Reader, job: str) -> Response:
        """The messages to the live page."""
        run = lab.jobs.folder_of(lab.jobs.job(job)) / RUN
        return pages.events(run, run / EVIDENCE, request.headers.get("last-event-id", ""), caller.name)

    @api.get("/v1/jobs/{job}/live/{path:path}", include_in_schema=False)
    def page(job: str, path: str) -> Response:
        """The live page of a job, as `tester watch` serves it; or a report that it leads to."""
        known = lab.jobs.job(job)
        if f"/{path}" in PARTS:
            return part(f"/{path}")
        if "/" in path or not path:
            raise Unknown(f"the live page has no {path[:100]!r}")
        return RedirectResponse(f"/v1/jobs/{known.id}/reports/{path}")
