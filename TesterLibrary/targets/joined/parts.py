# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the joined testers: each call goes to the tester whose ports or jobs it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from ...errors import PlanError
from ...measurement.capture import StoppedCapture
from ...measurement.captured_frames import CapturedFrames
from ...measurement.query import QuerySummary, RawRow
from ...measurement.snapshot import FlowCounters
from ...model.capture import Capture
from ...model.heading import Heading
from ...model.plan.plan import LearningFrame, Plan, SenderClock
from ...model.plan.planned_query import PlannedQuery
from ...model.ports import Address
from ..base import part_of
from ..parts import StampRecords
from .loaded_job import LoadedJob
from .members import Member, Members
from .split import split_plan


class _Named:
    """Things with names, each of one tester."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._owners: dict[str, Member] = {}

    def _owner(self, name: str) -> Member:
        if name not in self._owners:
            known = ", ".join(self._owners) or "none"
            raise PlanError(f"no tester has {name!r}; there are: {known}")
        return self._owners[name]

    def _of_ports(self, what: str, ports: Iterable[str]) -> Member:
        """The one tester of these ports. PlanError names those of several."""
        owners = {port: self._members.owner(port) for port in ports}
        names = dict.fromkeys(owner.name for owner in owners.values())
        if len(names) != 1:
            raise PlanError(
                f"{what} takes ports of one tester, since each tester has its own clock; the testers "
                f"{' and '.join(map(repr, names or [m.name for m in self._members]))} have "
                f"{', '.join(owners) or 'all ports'}: name ports of one of them"
            )
        return next(iter(owners.values()))


class JoinedCaptures(_Named):
    """Captures of the testers."""

    @classmethod
    def of(cls, members: Members) -> JoinedCaptures | None:
        """None if no tester captures frames."""
        return cls(members) if any(member.target.captures for member in members) else None

    def start(self, capture: Capture) -> None:
        """See `TargetCaptures`."""
        owner = self._of_ports(f"capture {capture.name!r}", capture.ports)
        part_of(owner.target, "captures").start(capture)
        self._owners[capture.name] = owner

    def stop(self, name: str) -> StoppedCapture:
        """See `TargetCaptures`."""
        return part_of(self._owner(name).target, "captures").stop(name)

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """See `TargetCaptures`."""
        return part_of(self._owner(name).target, "captures").read(name)

    def forget(self, name: str) -> None:
        """See `TargetCaptures`."""
        part_of(self._owner(name).target, "captures").forget(name)
        del self._owners[name]


class JoinedQueries(_Named):
    """Queries of the testers."""

    @classmethod
    def of(cls, members: Members) -> JoinedQueries | None:
        """None if no tester counts packets by keys."""
        return cls(members) if any(member.target.queries for member in members) else None

    def start(self, query: PlannedQuery) -> None:
        """See `TargetQueries`."""
        owner = self._of_ports(f"query {query.query.name!r}", query.ports)
        part_of(owner.target, "queries").start(query)
        self._owners[query.query.name] = owner

    def stop(self, name: str) -> None:
        """See `TargetQueries`."""
        part_of(self._owner(name).target, "queries").stop(name)

    def read(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        """See `TargetQueries`."""
        return part_of(self._owner(name).target, "queries").read(name, top=top, keys=keys)

    def forget(self, name: str) -> None:
        """See `TargetQueries`."""
        part_of(self._owner(name).target, "queries").forget(name)
        del self._owners[name]


class JoinedFlows:
    """Flows of streams: sent frames are counted by the sender, the rest by the receiver."""

    def __init__(self, jobs: Mapping[str, LoadedJob]) -> None:
        self._jobs = jobs

    @classmethod
    def of(cls, members: Members, jobs: Mapping[str, LoadedJob]) -> JoinedFlows | None:
        """None if not every tester counts flows."""
        return cls(jobs) if all(member.target.flows for member in members) else None

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `TargetFlows`."""
        if job not in self._jobs or stream_id not in self._jobs[job].ends:
            raise PlanError(f"no stream {stream_id} of job {job!r} is loaded")
        ends = self._jobs[job].ends[stream_id]
        received = part_of(ends.receiver.target, "flows").read(job, stream_id)
        if not ends.is_between_testers:
            yield from received
            return
        received = iter(list(received))  # before those that were sent: they are among them
        sent = part_of(ends.sender.target, "flows").read(job, stream_id)
        for arrivals, departures in zip(received, sent, strict=True):
            yield replace(arrivals, tx_packets=departures.tx_packets)


class JoinedStamps:
    """Stamps of the testers."""

    def __init__(self, members: Members, jobs: Mapping[str, LoadedJob]) -> None:
        self._members = members
        self._jobs = jobs

    @classmethod
    def of(cls, members: Members, jobs: Mapping[str, LoadedJob]) -> JoinedStamps | None:
        """None if no tester counts stamped packets."""
        return cls(members, jobs) if any(member.target.stamps for member in members) else None

    def read(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:
        """See `TargetStamps`."""
        parts = self._jobs[job].parts if job in self._jobs else {}
        for member in self._members:
            if any(
                stamps.name == name for part in (parts.get(member.name),) if part for stamps in part.stamps
            ):
                return part_of(member.target, "stamps").read(job, name, heading)
        raise PlanError(f"no stamps {name!r} of job {job!r} are loaded")


class JoinedFrames:
    """Single frames of the testers."""

    def __init__(self, members: Members) -> None:
        self._members = members

    @classmethod
    def of(cls, members: Members) -> JoinedFrames | None:
        """None if no tester sends single frames."""
        return cls(members) if any(member.target.frames for member in members) else None

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `TargetFrames`."""
        for owner, group in groupby(frames, key=lambda frame: self._members.owner(frame.port)):
            part_of(owner.target, "frames").inject(list(group))

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `TargetFrames`."""
        frames = part_of(self._members.owner(port).target, "frames")
        return frames.resolve(port, address, source=source, source_mac=source_mac)


class JoinedPlanner:
    """Asks the planner of each tester for its part of a plan."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def check(self, plan: Plan) -> None:
        """See `TargetPlanner`. Streams that two testers cannot share are refused, too."""
        parts = split_plan(plan, self._members, lambda *_: SenderClock(0, 0), {})
        for member in self._members:
            if member.name in parts and (planner := member.target.planner):
                planner.check(parts[member.name])
