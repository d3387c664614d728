# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs and leases that clients have left in a tester when they died."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from socket import gethostname

from ..errors import LeaseError, PlanError
from ..measurement.job_counters import JobCounters
from ..measurement.snapshot import Snapshot
from ..testbeds.processes import ProcessId
from .base import Target
from .parts import LeaseHolder, LeaseTerms, TargetLeases

# As `owner.client` makes it; a client of TLS has its certificate and its address behind it.
_CLIENT = re.compile(r"TesterLibrary \(.*@(.+), process (\d+)\)")
_HERE = ascii(gethostname())[1:-1]


def clear_up(target: Target) -> tuple[str, ...]:
    """Removes the jobs of clients that have died. Returns a sentence on each job, capture and query.

    Only a client of this machine can be known to have died, by its process. All other jobs stay: their
    clients may be measuring.

    Raises:
        TargetError: the tester is broken or gone.
    """
    return tuple(_cleared(target, target.snapshot()))


def take_from_dead(leases: TargetLeases, terms: LeaseTerms) -> str:
    """Acquires the lease that an earlier process of the same owner on this machine left when it was killed.

    Its traffic ends with it, before its time. A lease of anybody else is left alone, and so is that of a
    process that lives. A service goes on with leases after its process, under the names of its users.

    Returns:
        A sentence on it; empty if there is no such lease, or the tester lets the client use no force.
    """
    holder = leases.holder()
    if holder is None or holder.owner != terms.owner or (pid := process_of(holder)) is None:
        return ""
    if ProcessId.of(pid) is not None:
        return ""
    try:
        leases.acquire(replace(terms, force=True))
    except LeaseError:
        return ""
    return f"the tester was still leased to {holder}, which has ended; that lease was ended"


def process_of(holder: LeaseHolder) -> int | None:
    """The process of this machine that has a lease; None if it is of another machine or program."""
    return _process_here(holder.client)


def _cleared(target: Target, snapshot: Snapshot) -> Iterator[str]:
    for job in snapshot.jobs:
        whose, died = _client(job)
        text = f"the tester still had job {job.name!r}{_ports(job)} of {whose}"
        if not died:
            yield f"{text}; it was left as it is: if nobody needs it, end that client or restart the tester"
            continue
        with suppress(PlanError):  # somebody else has just unloaded it
            target.unload([job.name])
        yield f"{text}, which has ended; it was stopped and removed"
    running = [f"capture {capture.name!r}" for capture in snapshot.captures]
    running += [f"query {query.name!r}" for query in snapshot.queries]
    for name in running:
        yield f"the tester still had {name} of another client; it was left as it is"


def _client(job: JobCounters) -> tuple[str, bool]:
    """The client that started a job, and whether its process is known to have ended."""
    if not job.started_by:
        return "this process" if job.starts else "a client that has not started it", False
    pid = _process_here(job.started_by)
    return job.started_by, pid is not None and ProcessId.of(pid) is None


def _process_here(client: str) -> int | None:
    match = _CLIENT.match(client)
    return int(match[2]) if match and match[1] == _HERE else None


def _ports(job: JobCounters) -> str:
    names = sorted(polls.port for polls in job.polls)
    return f" on {'ports' if len(names) > 1 else 'port'} {', '.join(names)}" if names else ""
