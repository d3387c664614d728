# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs that an engine still has when a session opens it, because their client died or works beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from socket import gethostname

from ...errors import LeaseError, PlanError, TesterLibraryError
from ...measurement.job_counters import JobCounters
from ...measurement.snapshot import Snapshot
from ...model.units.units import Duration
from ...testbeds.processes import ProcessId
from ...testbeds.testbed import CertificateFiles
from ..base import LeaseTerms
from .client import EngineTarget
from .owner import OWNER

# As `owner.client` makes it; a client of TLS has its certificate and its address behind it.
_CLIENT = re.compile(r"TesterLibrary \(.*@(.+), process (\d+)\)")
_HERE = ascii(gethostname())[1:-1]
_SHORTEST = Duration(10**9)


def clear_up(target: EngineTarget) -> tuple[str, ...]:
    """Removes the jobs of clients that have died. Says of each job, capture or query found what became of it.

    Only a client of this machine can be known to have died, by its process. The jobs of all others are left
    as they are: one that lives may be measuring.

    Raises:
        TargetError: the engine is broken or gone.
    """
    return tuple(_cleared(target, target.snapshot()))


def take_from_dead(target: EngineTarget, terms: LeaseTerms) -> str:
    """Acquires the lease that an earlier process of the same owner on this machine left when it was killed.

    Its traffic ends with it, before its time. A lease of anybody else is left alone, and so is that of a
    process that lives. A service goes on with leases after its process, under the names of its users.

    Returns:
        A sentence on it; empty where there is no such lease, or the tester lets the client use no force.
    """
    holder = target.lease_holder()
    found = holder and _CLIENT.match(holder.client)
    if not (holder and found and holder.owner == terms.owner and found[1] == _HERE):
        return ""
    if ProcessId.of(int(found[2])) is not None:
        return ""
    try:
        target.lease(replace(terms, force=True))
    except LeaseError:
        return ""
    return f"the tester was still leased to {holder}, which has ended; that lease was ended"


def end_lease_of(process: int, address: str, certificates: CertificateFiles | None) -> None:
    """Ends the lease of a process of this machine that was killed, and its traffic, before its time.

    A lease of anybody else is left alone, and so is a tester that does not answer.
    """
    with (
        suppress(TesterLibraryError),
        closing(EngineTarget.connect(address, certificates=certificates)) as target,
    ):
        holder = target.lease_holder()
        found = holder and _CLIENT.match(holder.client)
        if found and found[1] == _HERE and int(found[2]) == process:
            target.lease(LeaseTerms(OWNER, _SHORTEST, force=True))


def _cleared(target: EngineTarget, snapshot: Snapshot) -> Iterator[str]:
    for job in snapshot.jobs:
        whose, died = _client(job)
        text = f"the tester still had job {job.name!r}{_ports(job)} of {whose}"
        if not died:
            yield f"{text}; it was left as it is: if nobody needs it, end that client or restart the tester"
            continue
        with suppress(PlanError):  # somebody else has just unloaded it
            target.unload([job.name])
        yield f"{text}, which has ended; it was stopped and removed"
    left = [f"capture {capture.name!r}" for capture in snapshot.captures]
    left += [f"query {query.name!r}" for query in snapshot.queries]
    for what in left:
        yield f"the tester still had {what} of another client; it was left as it is"


def _client(job: JobCounters) -> tuple[str, bool]:
    """Who has started a job, and whether that client is known to live no more."""
    if not job.started_by:
        return "this process" if job.starts else "a client that has not started it", False
    found = _CLIENT.match(job.started_by)
    here = found is not None and found[1] == _HERE
    died = found is not None and here and ProcessId.of(int(found[2])) is None
    return job.started_by, died


def _ports(job: JobCounters) -> str:
    names = sorted(polls.port for polls in job.polls)
    return f" on {'ports' if len(names) > 1 else 'port'} {', '.join(names)}" if names else ""
