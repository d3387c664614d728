# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job as a switch is given it: entries of every control, multicast groups, template packets.

This is data only. A driver writes `entries` in one batch, makes the groups and sends the packets. The packets
then loop, held back by their first pass/skip unit, and responders are silent. `preparing`, `departing`,
`stopping` and `flipped` give the entries to write later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain

from ....errors import PlanError
from ....model.plan.plan import Plan
from ....planning.switch.allocation import Occupied
from ....planning.switch.parts import whole
from ..entries.editor import editor_entries
from ..entries.entry import TableEntry
from ..entries.rate import gap_entries, held_entry, limit_entries, unit_entries
from ..entries.template_loop import versions
from ..neighbours.packets import TemplatePacket
from .loaded import LoadedEnd, LoadedStarts, LoadedStream


@dataclass(frozen=True)
class HeldNumbers:
    """The numbers that a job holds, which no other job can have at the same time."""

    templates: tuple[int, ...] = ()
    links: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    replies: tuple[int, ...] = ()
    triggers: tuple[int, ...] = ()
    laws: tuple[int, ...] = ()  # of random gaps
    queues: tuple[int, ...] = ()  # of templates of triggers; those of protocols are compiled in
    protocols: tuple[str, ...] = ()  # protocols whose queues its templates answer
    loops: tuple[Occupied, ...] = ()

    @classmethod
    def of_all(cls, jobs: Sequence[HeldNumbers]) -> HeldNumbers:
        """The numbers of several jobs together."""
        return cls(*(tuple(chain(*(getattr(job, field.name) for job in jobs))) for field in fields(cls)))


@dataclass(frozen=True)
class SwitchJob:
    """The job of a plan in a switch."""

    plan: Plan
    entries: tuple[TableEntry, ...]
    answering: tuple[TableEntry, ...]  # in addition, while its responders answer: they select their packets
    groups: Mapping[int, tuple[int, ...]]  # device ports by number
    packets: tuple[TemplatePacket, ...]
    streams: Mapping[int, LoadedStream]  # by id
    ends: tuple[LoadedEnd, ...]
    held: HeldNumbers

    @property
    def tx_ports(self) -> tuple[str, ...]:
        """Names of the ports by which its frames leave."""
        return (*(stream.tx_port for stream in self.plan.streams), *(end.port for end in self.plan.ends))

    def preparing(self) -> Iterator[TableEntry]:
        """The values and gaps that its streams and starts draw from, thousands of entries with long lists."""
        for paced in self.paced:
            yield from editor_entries(paced.template, paced.edits)
            yield from gap_entries(paced.template, paced.staging)

    def departing(self, packets: int | Mapping[int, int] | None = None) -> Iterator[TableEntry]:
        """Lets its streams depart, and the starts of its clients, once `preparing` is written: a few entries.

        Args:
            packets: The frames of each stream, as one number or by id; None: until it is stopped. For streams
                that run in laps (`laps.py`) the driver has to write another entry in the last lap, for some
                that begin later another one then (`rate.needs_word`).

        Raises:
            PlanError: a number that cannot be counted, or a pattern that leaves no unit to count with.
        """
        for stream in self.streams.values():
            limit = packets.get(stream.planned.id) if isinstance(packets, Mapping) else packets
            _check_limit(stream, limit)
            if len(stream.staging.stages) < 3:
                yield from limit_entries(stream.template, limit, stream.delay)
        for starts in self.starts:
            yield from limit_entries(starts.template, starts.planned.most)
        rates = [list(unit_entries(one.template, one.staging)) for one in self.paced]
        for entries in rates:
            yield from entries[:-1]
        yield from (entries[-1] for entries in rates)  # these let the packets depart

    def starting(self, packets: int | Mapping[int, int] | None = None) -> Iterator[TableEntry]:
        """All entries of a start, in the order in which they are written. See `departing`."""
        yield from self.preparing()
        yield from self.departing(packets)

    def parts(self, stream: int) -> dict[int, LoadedStream]:
        """The streams in a switch that are one of the plan, by id: one for each of its frame sizes."""
        return {number: part for number, part in self.streams.items() if whole(number) == stream}

    @property
    def starts(self) -> list[LoadedStarts]:
        """The starts of its clients, and the looks at their flows."""
        return [one for end in self.ends for one in (end.starts, end.looks) if one]

    @property
    def paced(self) -> list[LoadedStream | LoadedStarts]:
        """All that leaves its loop at a rate."""
        return [*self.streams.values(), *self.starts]

    def stopping(self) -> Iterator[TableEntry]:
        """Holds its streams back, and the starts of its clients."""
        return (held_entry(paced.template) for paced in self.paced)

    def flipped(self, version: int) -> Iterator[TableEntry]:
        """Lets frames leave in a version."""
        return versions(tuple(stream.template for stream in self.streams.values()), version)


def _check_limit(stream: LoadedStream, limit: int | None) -> None:
    if limit is None:
        return
    if len(stream.staging.stages) > 2:
        raise PlanError(
            f"stream {stream.planned.name!r}: a switch counts frames with the unit that its pattern of "
            f"{len(stream.staging.stages) - 1} stages needs; take a pattern of one, or stop it by time"
        )


def occupied(jobs: Iterable[SwitchJob]) -> list[Occupied]:
    """The loops of loaded jobs."""
    return [loop for job in jobs for loop in job.held.loops]
