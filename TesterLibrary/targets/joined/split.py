# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Splits a plan by port into the plans of the joined testers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ...errors import PlanError
from ...model.plan.law import Replay
from ...model.plan.plan import Plan, PlannedStream, SenderClock
from ...model.plan.planned_end import PlannedEnd
from ...model.plan.planned_path import PlannedPath
from ...model.plan.planned_stamps import PlannedStamps
from .members import Member, Members

ClockBetween = Callable[[Member, Member], SenderClock]


@dataclass(frozen=True)
class StreamEnds:
    """The testers between which a stream is sent."""

    sender: Member
    receiver: Member

    @property
    def is_between_testers(self) -> bool:
        """Whether the two are different ones."""
        return self.sender is not self.receiver


def ends_of(stream: PlannedStream, members: Members) -> StreamEnds:
    """The testers of a stream. PlanError if they cannot have one stream together."""
    ends = StreamEnds(members.owner(stream.tx_port), members.owner(stream.rx_port))
    if not ends.is_between_testers:
        return ends
    where = f"stream {stream.name!r} is sent by tester {ends.sender.name!r} to {ends.receiver.name!r}"
    for member in (ends.sender, ends.receiver):
        if member.target.instants is None:
            raise PlanError(
                f"{where}; {member.target.kind} ({member.name!r}) does not share streams with other testers: "
                "give the stream two ports of one tester, or use testerds"
            )
    if stream.measured and isinstance(stream.departures.law, Replay):
        raise PlanError(
            f"{where}; only the sender reads the file that it replays: give it two ports of one tester"
        )
    return ends


def split_stream(
    stream: PlannedStream, ends: StreamEnds, member: Member, clock: ClockBetween
) -> PlannedStream | None:
    """The stream as one of the testers loads it; None if it has no part in it."""
    if member is ends.sender:
        return replace(stream, rx_port=stream.rx_port if member is ends.receiver else "")
    known = member.target.instants is not None and stream.measured
    if not known or isinstance(stream.departures.law, Replay):
        return None
    is_receiver = member is ends.receiver
    if not is_receiver and not stream.signature:
        return None
    return replace(
        stream,
        tx_port="",
        rx_port=stream.rx_port if is_receiver else "",
        sender_clock=clock(ends.sender, member) if stream.signature else None,
    )


def split_plan(
    plan: Plan, members: Members, clock: ClockBetween, paths: Mapping[tuple[str, str], Member]
) -> dict[str, Plan]:
    """The plans by the names of the testers that take part.

    A tester that can start at agreed instants gets every signed stream, so that it knows frames which go
    astray. Others get what lies on their own ports.

    Args:
        plan: The plan of the job.
        members: The testers.
        clock: The clock of a sender, as another tester sees it.
        paths: The testers of loaded paths, by job and name.

    Raises:
        PlanError: something of the plan needs two testers and cannot be shared.
    """
    ends = [ends_of(stream, members) for stream in plan.streams]
    owners = {path.name: _only(members, _path_ports(path), f"path {path.name!r}") for path in plan.paths}
    answering = [(_only(members, _end_ports(end), f"{end.name!r}"), end) for end in plan.ends]
    known = {**paths, **{(plan.job, name): owner for name, owner in owners.items()}}
    stamped = [(_owner_of(stamps, known), stamps) for stamps in plan.stamps]
    parts = {}
    for member in members:
        pairs = zip(plan.streams, ends, strict=True)
        parts[member.name] = replace(
            plan,
            streams=tuple(own for s, e in pairs if (own := split_stream(s, e, member, clock))),
            neighbours=tuple(n for n in plan.neighbours if members.owner(n.port) is member),
            learning=tuple(frame for frame in plan.learning if members.owner(frame.port) is member),
            ends=tuple(end for owner, end in answering if owner is member),
            paths=tuple(path for path in plan.paths if owners[path.name] is member),
            stamps=tuple(stamps for owner, stamps in stamped if owner is member),
        )
    return {
        member.name: parts[member.name]
        for member in members
        if member.target.instants is not None or not _is_empty(parts[member.name])
    }


def _owner_of(stamps: PlannedStamps, paths: Mapping[tuple[str, str], Member]) -> Member:
    missing = [path for path in stamps.paths if (path.job, path.path) not in paths]
    if missing:
        raise PlanError(
            f"stamps {stamps.name!r}: no path {missing[0].path!r} of {missing[0].job!r} is loaded"
        )
    before, behind = (paths[path.job, path.path] for path in stamps.paths)
    if before is not behind:
        raise PlanError(
            f"stamps {stamps.name!r} lie between paths of the testers {before.name!r} and {behind.name!r}; "
            "give them paths of one tester"
        )
    return before


def _is_empty(plan: Plan) -> bool:
    return not (plan.streams or plan.neighbours or plan.ends or plan.paths or plan.stamps)


def _path_ports(path: PlannedPath) -> Iterable[str]:
    return (path.first_port, path.second_port, *path.beside)


def _end_ports(end: PlannedEnd) -> Iterable[str]:
    return (end.port, end.out_port or end.port)


def _only(members: Members, ports: Iterable[str], what: str) -> Member:
    """The one tester that has these ports. PlanError names two testers if there is none."""
    owners = {port: members.owner(port) for port in ports}
    names = list(dict.fromkeys(owner.name for owner in owners.values()))
    if len(names) > 1:
        raise PlanError(
            f"{what} has the ports {', '.join(owners)} of the testers {' and '.join(map(repr, names))}; "
            "give it ports of one tester"
        )
    return next(iter(owners.values()))
