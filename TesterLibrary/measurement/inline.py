# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a path and of its events since its start, and whether they can be trusted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..model.heading import Heading
from ..model.impairment import Impairment
from ..model.units.units import Duration
from .evidence import EvidenceLimits
from .port_evidence import (
    held_objections,
    link_objection,
    links_down,
    lost_at_ports,
    port_evidence,
    port_objections,
)
from .snapshot import PathCounters, PathDirectionCounters, PathEventCounters, Snapshot

# A stack that waits so long sends again what was not lost; RFC 6298 has a second, Linux a fifth of one.
_LONGEST_PAUSE = Duration(100_000_000)


@dataclass(frozen=True)
class PathStatistics:
    """Counters of a path since its start. Prints as one line.

    Frames of both directions together; `directions` has them one by one, in the order of the ports.
    """

    name: str
    directions: tuple[PathDirectionCounters, ...]
    events: tuple[PathEventCounters, ...] = ()
    flows: int = 0  # that were given a number
    objections: tuple[str, ...] = ()  # why the tester did not do its part
    idle: tuple[str, ...] = ()  # impairments to which nothing happened, and why

    @property
    def received(self) -> int:
        """Frames that arrived."""
        return sum(direction.received for direction in self.directions)

    @property
    def forwarded(self) -> int:
        """Frames that left, copies included."""
        return sum(direction.forwarded for direction in self.directions)

    @property
    def dropped(self) -> int:
        """Frames that an event dropped."""
        return sum(direction.dropped for direction in self.directions)

    @property
    def loss_drops(self) -> int:
        """Frames that an impairment lost."""
        return sum(direction.loss_drops for direction in self.directions)

    @property
    def tail_drops(self) -> int:
        """Frames that found the queue of a shaper full."""
        return sum(direction.tail_drops for direction in self.directions)

    @property
    def overflowed(self) -> int:
        """Frames that were dropped because there was no memory to hold them."""
        return sum(direction.overflowed for direction in self.directions)

    @property
    def held(self) -> int:
        """Frames that are held; of a path that was stopped, those that did not leave any more."""
        return sum(direction.held for direction in self.directions)

    @property
    def delayed(self) -> int:
        """Frames that were held, and have left."""
        return sum(direction.delayed for direction in self.directions)

    @property
    def expired(self) -> int:
        """Frames that events held back until their time limit."""
        return sum(event.expired for event in self.events)

    @property
    def duplicated(self) -> int:
        """Copies that events made."""
        return sum(direction.duplicated for direction in self.directions)

    @property
    def injected(self) -> int:
        """Frames that events sent beside those that arrived."""
        return sum(direction.injected for direction in self.directions)

    @property
    def unmatched(self) -> int:
        """Frames that no event saw, of a path with events."""
        return sum(direction.unmatched for direction in self.directions)

    @property
    def lost(self) -> int:
        """Frames that the tester itself lost."""
        return sum(direction.lost for direction in self.directions)

    @property
    def fired(self) -> int:
        """How often events happened, all together."""
        return sum(event.fired for event in self.events)

    @property
    def unfired(self) -> tuple[PathEventCounters, ...]:
        """The events that did not happen, or not before the time limit of what they held back."""
        return tuple(event for event in self.events if event.fired <= event.expired + event.held_back)

    @property
    def doubt(self) -> str:
        """Why nothing can be concluded from what passed; empty if something can."""
        return "; ".join((*self.objections, *map(_unfired_text, self.unfired), *self.idle))

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.forwarded:,} of {self.received:,} frames forwarded"]
        for count, what in (
            (self.dropped, "dropped"),
            (self.loss_drops, "lost at random"),
            (self.tail_drops, "found the queue full"),
            (self.duplicated, "copies"),
            (self.injected, "injected"),
            (self.delayed, "delayed"),
            (self.expired, "held back until their time limit"),
            (self.held, "held"),
            (self.overflowed, "DROPPED FOR WANT OF MEMORY"),
            (self.lost, "LOST BY US"),
        ):
            parts += [f"{count:,} {what}"] if count else []
        if self.events:
            parts.append(f"{len(self.events) - len(self.unfired)} of {len(self.events)} events fired")
        return ", ".join(parts)


def _unfired_text(event: PathEventCounters) -> str:
    why = f"it saw {event.matched:,} packets"
    if event.missed:
        why = f"it could not happen to the {event.missed:,} packets that it selected"
    if event.expired:
        why = f"too few packets followed the {event.expired:,} that it held back until their time limit"
    if event.held_back:
        why = f"too few packets have followed the {event.held_back:,} that it still holds back"
    return f"event {event.name!r} did not fire: {why}"


def statistics_of(
    before: Snapshot,
    after: Snapshot,
    job: str,
    counted: PathCounters,
    limits: EvidenceLimits,
    impairments: Sequence[Impairment] = (),
    beside: Sequence[str] = (),
) -> PathStatistics:
    """The statistics of a path from a snapshot before its start to another one.

    `beside`: ports that it has beside the first one.
    """
    return PathStatistics(
        name=counted.name,
        directions=counted.directions,
        events=counted.events,
        flows=counted.flows,
        objections=tuple(_objections(before, after, job, counted, limits, beside)),
        idle=tuple(_idle(counted, impairments)),
    )


def _idle(counted: PathCounters, impairments: Sequence[Impairment]) -> Iterator[str]:
    """Impairments that have impaired nothing: no packet came, or none was lost that was to be.

    A rate that nobody exceeds drops nothing, and that is as it should be.
    """
    for impairment in impairments:
        places = [0 if heading is Heading.FORWARD else 1 for heading in impairment.directions]
        directions = [counted.directions[place] for place in places if place < len(counted.directions)]
        received = sum(direction.received for direction in directions)
        lost = sum(direction.loss_drops for direction in directions)
        if not received:
            yield f"impairment {str(impairment)!r} did not happen: no packet came"
        elif impairment.loss is not None and not lost:
            yield f"impairment {str(impairment)!r} did not happen: none of {received:,} packets was lost"


def _cut_objections(counted: PathCounters) -> Iterator[str]:
    """The objections to events that were to take links down, and did not."""
    for event in counted.events:
        if event.link_fault:
            yield f"event {event.name!r}: {event.link_fault}"
        elif event.fired and event.link_outages == 0:
            yield f"event {event.name!r} has not taken its links down yet"


def _objections(
    before: Snapshot,
    after: Snapshot,
    job: str,
    counted: PathCounters,
    limits: EvidenceLimits,
    beside: Sequence[str],
) -> Iterator[str]:
    ports: Collection[str] = [*(direction.port for direction in counted.directions), *beside]
    earlier, now = before.job(job), after.job(job)
    yield from now.meddling(earlier, {}) if now else ()
    if not any(event.link_cut for event in counted.events):  # what is down then is meant to be
        yield from link_objection(links_down(before, after, ports), limits.max_links_down)
    yield from _cut_objections(counted)
    yield from port_objections(port_evidence(before, after, ports), limits.max_tester_drops)
    yield from held_objections(before, after, ports, limits.max_rate_error)
    drops = sum(direction.lost for direction in counted.directions) + lost_at_ports(before, after, ports)
    if drops > limits.max_tester_drops:
        yield (
            f"{drops:,} frames of path {counted.name!r} were lost in the tester's own rings and interfaces "
            f"(limit {limits.max_tester_drops})"
        )
    if overflowed := sum(direction.overflowed for direction in counted.directions):
        yield (
            f"{overflowed:,} frames of path {counted.name!r} were dropped for want of memory to hold them: "
            "give it more memory_mib"
        )
    if counted.untracked:
        yield f"{counted.untracked:,} frames of path {counted.name!r} are of flows for which it has no room"
    gap = Duration(now.worst_gap_ns(earlier) if now else 0)
    if gap.ns > _LONGEST_PAUSE.ns:
        yield (
            f"path {counted.name!r} forwarded nothing for {gap} (limit {_LONGEST_PAUSE}): stacks take that "
            "for loss"
        )
