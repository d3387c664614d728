# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A target that is made of targets. Each call goes to all of them at once; plans are split by port."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from ...errors import PlanError, TargetError, TesterLibraryError
from ...measurement.snapshot import Snapshot
from ...model.plan.plan import Plan, PlannedStream
from ...model.units.units import Duration
from ..base import Capabilities, Flipped, SendingProgress, Target
from ..parts import InstantPassed
from ..rules.refusal import check_end, known_job
from .capabilities import check_versions, joined_capabilities
from .common_time import common_time
from .joined_clocks import JoinedClocks
from .leftover_jobs import LeftoverJobs
from .loaded_job import LoadedJob
from .members import Member, Members
from .merge import MemberSnapshot, StreamPlaces, merged
from .parts import JoinedCaptures, JoinedFlows, JoinedFrames, JoinedPlanner, JoinedQueries, JoinedStamps
from .split import ends_of, split_plan, split_stream
from .waiting import wait_for_all

_ORDERS = 3  # to start, until one comes in time


class JoinedTarget:
    """A `Target` of several testers. Closing it closes them."""

    kind = "a joined tester"
    leases = usage = instants = None  # of each tester by itself

    def __init__(self, targets: Mapping[str, Target]) -> None:
        """Joins testers that are open, by their names.

        Raises:
            TestbedError: two testers have a port of one name, or no common time.
            TargetError: a tester does not answer, or has another version.
        """
        self._members = Members.of(targets)
        check_versions(self._members)
        self._leftovers = LeftoverJobs(self._members)
        self._time = common_time(self._members)
        self._jobs: dict[str, LoadedJob] = {}
        self._started: set[str] = set()  # jobs that may still be running
        first = self._members.members[0].target
        self.clock, self.device = first.clock, first.device
        self.captures = JoinedCaptures.of(self._members)
        self.queries = JoinedQueries.of(self._members)
        self.flows = JoinedFlows.of(self._members, self._jobs)
        self.stamps = JoinedStamps.of(self._members, self._jobs)
        self.frames = JoinedFrames.of(self._members)
        self.planner = JoinedPlanner(self._members)
        self.clocks = JoinedClocks(self._time, self._jobs)

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        return self._capabilities

    @cached_property
    def _capabilities(self) -> Capabilities:
        return joined_capabilities({m.name: m.target.capabilities() for m in self._members})

    def load(self, plan: Plan) -> None:
        """See `Target`. A plan that one tester refuses stays loaded at none."""
        if plan.job in self._jobs:
            raise PlanError(f"a job {plan.job!r} is loaded already; unload it first")
        self._leftovers.clear()
        self._time.refresh()
        parts = split_plan(plan, self._members, self._time.ahead, self._paths)
        members = [member for member in self._members if member.name in parts]
        refused: set[str] = set()  # names of testers

        def load(member: Member) -> None:
            try:
                member.target.load(parts[member.name])
            except PlanError:
                refused.add(member.name)
                raise

        try:
            self._members.each(load, members)
        except TesterLibraryError:
            # A tester that did not answer may have loaded its part.
            self._leftovers.add({member.name: [plan.job] for member in members if member.name not in refused})
            with suppress(TesterLibraryError):
                self._leftovers.clear()
            raise
        self._jobs[plan.job] = LoadedJob(plan, parts, {s.id: ends_of(s, self._members) for s in plan.streams})

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`. If one tester does not start, the others are stopped.

        An order that comes too late is repeated with a later instant.
        """
        check_end(duration, packets)
        self._refuse_running(jobs)
        self._time.refresh()
        for orders in reversed(range(_ORDERS)):
            try:
                self._start_together(jobs, duration, packets)
                break
            except TesterLibraryError as error:
                self._stop_quietly(jobs)
                self._time.postpone()
                if not (orders and isinstance(error, InstantPassed)):
                    raise
        self._started.update(jobs)
        self._time.pass_instant()

    def _start_together(self, jobs: Sequence[str], duration: Duration | None, packets: int | None) -> None:
        members = self._having(jobs)
        instants = self._time.instants([member for member in members if member.target.instants])

        def start(member: Member) -> None:
            asked = self._of(member, jobs)
            if member.target.instants:
                at_ns = instants[member.name]
                member.target.instants.start(asked, at_ns=at_ns, duration=duration, packets=packets)
            else:
                member.target.start(asked, duration=duration, packets=packets)

        self._members.each(start, members)

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:
        """See `Target`."""
        self._members.each(lambda m: m.target.stop(self._of(m, jobs), abandon=abandon), self._having(jobs))
        self._started.difference_update(jobs)

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`. Testers that receive the stream learn it before its sender does."""
        loaded = known_job(job, self._jobs)
        if stream.id not in loaded.ends:
            raise PlanError(f"job {job!r} has no stream {stream.id}; it has {sorted(loaded.ends)}")
        ends = ends_of(stream, self._members)
        sender = loaded.ends[stream.id].sender
        for member in sorted(self._having([job]), key=lambda member: member is sender):
            if part := split_stream(stream, ends, member, self._time.ahead):
                self._members.each(lambda m: m.target.update(job, part), [member])
        self._jobs[job] = loaded.updated(stream)

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`. A tester that does not answer unloads its part before the next plan is loaded."""
        names = {member.name: self._of(member, jobs) for member in self._having(jobs)}
        for job in jobs:
            self._jobs.pop(job, None)
        self._started.difference_update(jobs)
        self._leftovers.unload(names)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`. If one tester does not answer any more, the others are stopped."""
        names = {member.name: self._of(member, jobs) for member in self._having(jobs)}
        try:
            wait_for_all(self._members, names, timeout, on_progress)
        except TargetError:
            self._raise_if_broken(jobs)
            raise

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        """See `Target`. Received frames are read before sent ones, also of different testers."""
        for job in jobs:
            known_job(job, self._jobs)
        parts = self._read(jobs, self._members.members, buckets=buckets)
        places = {
            number: StreamPlaces(ends.sender.name, ends.receiver.name)
            for job in self._jobs.values()
            for number, ends in job.ends.items()
        }
        ports = [port.name for port in self._capabilities.ports]
        snapshot = merged(parts, places, ports)
        senders = self._sending_elsewhere(snapshot)
        if not senders:
            return snapshot
        later = {part.name: part for part in self._read(jobs, senders, buckets=buckets)}
        return merged(
            [part.with_departures(later[part.name]) if part.name in later else part for part in parts],
            places,
            ports,
        )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`. Testers flip one after the other; each frame tells its version itself."""
        members = [m for m in self._having(jobs) if self._has_version(m, jobs)] or self._having(jobs)
        flips = self._members.each(lambda member: member.target.flip(self._of(member, jobs)), members)
        versions = {flipped.closed_version for flipped in flips}
        if len(versions) != 1:
            raise PlanError(
                f"streams of {', '.join(jobs)} are in different versions; they cannot be flipped together"
            )
        pairs = zip(members, flips, strict=True)
        return Flipped(max(f.at_ns - self._ahead_ns(m) for m, f in pairs), versions.pop())

    def close(self) -> None:
        """See `Target`. A tester that does not answer does not keep the others open."""
        try:
            self._members.each(lambda member: member.target.close())
        finally:
            self._members.close()

    @property
    def _paths(self) -> dict[tuple[str, str], Member]:
        by_name = {member.name: member for member in self._members}
        return {
            (job, path.name): by_name[name]
            for job, loaded in self._jobs.items()
            for name, part in loaded.parts.items()
            for path in part.paths
        }

    def _having(self, jobs: Sequence[str]) -> list[Member]:
        """The testers that have one of these jobs, which have to be loaded."""
        loaded = [known_job(job, self._jobs) for job in jobs]
        return [member for member in self._members if any(member.name in job.parts for job in loaded)]

    def _of(self, member: Member, jobs: Sequence[str]) -> list[str]:
        return [job for job in jobs if member.name in self._jobs[job].parts]

    def _has_version(self, member: Member, jobs: Sequence[str]) -> bool:
        parts = (self._jobs[job].parts[member.name] for job in self._of(member, jobs))
        return any(stream.version for part in parts for stream in part.streams)

    def _refuse_running(self, jobs: Sequence[str]) -> None:
        """PlanError for a job that runs: a tester that only receives its streams would start anew."""
        asked = [job for job in jobs if job in self._started]
        counters = self.snapshot(asked, buckets=False) if asked else Snapshot(0)
        sending = {stream.id for stream in counters.streams if stream.sending}
        answering = {end.job for end in counters.ends if end.answering}
        forwarding = {path.job for path in counters.paths if path.forwarding}
        for job in asked:
            if job in answering | forwarding or not sending.isdisjoint(self._jobs[job].ends):
                raise PlanError(f"job {job!r} is sending already; stop it first")

    def _raise_if_broken(self, jobs: Sequence[str]) -> None:
        """TargetError for a tester that does not answer; then jobs are stopped at all others."""
        try:
            self.snapshot(jobs, buckets=False)
        except TargetError:
            self._stop_quietly(jobs)
            raise

    def _stop_quietly(self, jobs: Sequence[str]) -> None:
        """Stops jobs at every tester that still answers."""

        def stop(member: Member) -> None:
            with suppress(TesterLibraryError):
                member.target.stop(self._of(member, jobs), abandon=True)

        self._members.each(stop, self._having(jobs))

    def _ahead_ns(self, member: Member) -> int:
        """By how much the clock of a tester is ahead of that of the first one."""
        first = self._members.members[0]
        return 0 if member is first else self._time.ahead(member, first).ahead_ns

    def _read(self, jobs: Sequence[str], members: Sequence[Member], *, buckets: bool) -> list[MemberSnapshot]:
        def read(member: Member) -> Snapshot:
            return member.target.snapshot(self._of(member, jobs), buckets=buckets)

        snapshots = self._members.each(read, members)
        return [
            MemberSnapshot(member.name, snapshot, -self._ahead_ns(member))
            for member, snapshot in zip(members, snapshots, strict=True)
        ]

    def _sending_elsewhere(self, snapshot: Snapshot) -> list[Member]:
        """The testers that are still sending a stream to another one."""
        sending = {stream.id for stream in snapshot.streams if stream.sending}
        senders = {
            ends.sender.name
            for job in self._jobs.values()
            for number, ends in job.ends.items()
            if number in sending and ends.is_between_testers
        }
        return [member for member in self._members if member.name in senders]
