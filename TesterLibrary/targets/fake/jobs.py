# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The history that a fake tester keeps of the starts of its jobs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...measurement.delays.histogram import index_of
from ...measurement.job_counters import JobCounters, PollGaps
from ...model.plan.plan import Plan
from ...model.units.units import Duration

_POLL_NS = 1000


class FakeJobs:
    """The jobs of a fake tester by name, from loading to unloading."""

    def __init__(self) -> None:
        self._jobs: dict[str, JobCounters] = {}

    def load(self, job: str) -> None:
        """Adds a job that was never started."""
        self._jobs[job] = JobCounters(job)

    def start(
        self,
        plan: Plan,
        now_ns: int,
        duration: Duration | None,
        packets: int | None,
        *,
        by: str,
        stall_ns: int,
    ) -> None:
        """Begins counters anew. `stall_ns`: how long a worker of its ports stands still, or 0."""
        ports = {port for stream in plan.streams for port in (stream.tx_port, stream.rx_port)}
        ports |= {end.port for end in plan.ends}
        late = {index_of(stall_ns): 1} if stall_ns else {}
        worst = max(stall_ns, _POLL_NS)
        self._jobs[plan.job] = JobCounters(
            plan.job,
            starts=self._jobs[plan.job].starts + 1,
            started_at_ns=now_ns,
            started_by=by,
            asked_duration_ns=duration.ns if duration else 0,
            asked_packets=packets or 0,
            polls=tuple(PollGaps(port, worst, len(late), late) for port in sorted(ports)),
        )

    def stop(self, job: str, now_ns: int, sending: Iterable[int], *, answering: bool, by: str) -> None:
        """Notes who stops a job, if it was running; `sending` are ids of streams."""
        ids = tuple(sending)
        if ids or answering:
            stopped = replace(self._jobs[job], stopped_at_ns=now_ns, stopped_by=by, stopped_streams=ids)
            self._jobs[job] = stopped

    def update(self, job: str, *, by: str) -> None:
        """Notes who has changed a stream of a job."""
        known = self._jobs[job]
        self._jobs[job] = replace(known, updates=known.updates + 1, updated_by=by)

    def unload(self, job: str) -> None:
        """Forgets a job."""
        del self._jobs[job]

    def counters(self, jobs: Iterable[str]) -> tuple[JobCounters, ...]:
        """The counters of these jobs, in this order."""
        return tuple(self._jobs[job] for job in jobs)
