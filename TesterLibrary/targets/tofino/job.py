# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""All that a switch is given of a job: entries of every control, multicast groups, template packets.

Data only. A driver writes `entries` in one batch, makes the groups and sends the packets: they loop then,
held back by their first pass/skip unit, and responders are silent. `starting`, `stopping` and `flipped` say
what to write later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...errors import PlanError
from ...model.plan import Plan, PlannedNeighbour
from ...planning.allocation import Occupied
from .editor import editor_entries
from .entry import Entry
from .loaded import LoadedEnd, LoadedStream
from .looping import versions
from .packets import TemplatePacket
from .rate import held_entry, limit_entries, unit_entries


@dataclass(frozen=True)
class Held:
    """Numbers that a job has and others cannot have at the same time."""

    templates: tuple[int, ...] = ()
    links: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    replies: tuple[int, ...] = ()
    protocols: tuple[str, ...] = ()  # whose queues its templates answer
    loops: tuple[Occupied, ...] = ()


@dataclass(frozen=True)
class SwitchJob:
    """Of a plan, for a switch."""

    plan: Plan
    entries: tuple[Entry, ...]
    answering: tuple[Entry, ...]  # beside those, while its responders answer: which packets are theirs
    groups: Mapping[int, tuple[int, ...]]  # device ports by number
    packets: tuple[TemplatePacket, ...]
    streams: Mapping[int, LoadedStream]  # by id
    ends: tuple[LoadedEnd, ...]
    unanswered: tuple[PlannedNeighbour, ...]  # of IPv6: nobody answers for them
    held: Held

    def starting(self, packets: int | Mapping[int, int] | None = None) -> Iterator[Entry]:
        """Lets its streams depart from their first frame on.

        Args:
            packets: How many of each stream, or by id; None: until it is stopped. Of those that begin laps
                (`laps.py`) the driver has to write when the last one has begun.

        Raises:
            PlanError: a number that cannot be counted, or a pattern that leaves no unit to count with.
        """
        for own in self.streams.values():
            limit = packets.get(own.planned.id) if isinstance(packets, Mapping) else packets
            _check_limit(own, limit)
            yield from editor_entries(own.template, own.edits)
            if len(own.staging.stages) < 3:
                yield from limit_entries(own.template, limit)
        rates = [list(unit_entries(one.template, one.staging)) for one in self.streams.values()]
        for entries in rates:
            yield from entries[:-1]
        yield from (entries[-1] for entries in rates)  # with these they depart

    def stopping(self) -> Iterator[Entry]:
        """Holds its streams back."""
        return (held_entry(own.template) for own in self.streams.values())

    def flipped(self, version: int) -> Iterator[Entry]:
        """Lets frames leave in a version."""
        return versions(tuple(own.template for own in self.streams.values()), version)


def _check_limit(own: LoadedStream, limit: int | None) -> None:
    if limit is None:
        return
    if limit < 1:
        raise PlanError(f"stream {own.planned.name!r}: {limit:,} frames; a switch sends at least 1")
    if len(own.staging.stages) > 2:
        raise PlanError(
            f"stream {own.planned.name!r}: a switch counts frames with the unit that its pattern of "
            f"{len(own.staging.stages) - 1} stages needs; take a pattern of one, or stop it by time"
        )


def occupied(jobs: Iterable[SwitchJob]) -> list[Occupied]:
    """What loops for loaded jobs."""
    return [own for job in jobs for own in job.held.loops]
