# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The smallest set of changes that replaces a stream of a loaded job."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ....errors import PlanError
from ....model.plan.plan import PlannedStream
from ....planning.switch.steps import is_level
from ..entries.entry import TableEntry
from ..entries.rate import gap_entries, held_entry
from ..neighbours.packets import TemplatePacket
from .job import SwitchJob
from .loaded import LoadedStream


@dataclass(frozen=True)
class JobChange:
    """The changes from one job to another, in the order in which they are done."""

    removed: tuple[TableEntry, ...]  # with loops of changed templates, so that their old packets leave
    written: tuple[TableEntry, ...]
    packets: tuple[TemplatePacket, ...]

    @classmethod
    def between(cls, old: SwitchJob, new: SwitchJob) -> JobChange:
        """Streams that stay the same go on; other streams are held back until they are started again."""
        before = {(entry.table, entry.place): entry for entry in old.entries}
        after = {(entry.table, entry.place): entry for entry in new.entries}
        fresh = _packets_without(new, old)
        changed = {packet.template for packet in (*fresh, *_packets_without(old, new))}
        flushed = {
            place
            for place, entry in before.items()
            if entry.table.endswith(".template_loop.templates") and entry.key["template"] in changed
        }
        same = {stream.template for id_, stream in new.streams.items() if old.streams.get(id_) == stream}
        held = {(entry.table, entry.place) for entry in map(held_entry, same)}
        return cls(
            removed=tuple(before[place] for place in before if place not in after or place in flushed)
            + _evened(old, new),
            written=tuple(
                entry
                for place, entry in after.items()
                if (before.get(place) != entry or place in flushed) and place not in held
            )
            + tuple(
                held_entry(stream.template) for stream in new.streams.values() if stream.template not in same
            ),
            packets=fresh,
        )


def check_change(
    stream: PlannedStream, before: Collection[LoadedStream], after: Collection[LoadedStream]
) -> None:
    """PlanError for a change of a started stream that a switch cannot count."""
    if any(is_level(part.planned) for part in (*before, *after)):
        raise PlanError(
            f"stream {stream.name!r}: a step of the rate begins with its job on a switch; load its job "
            "anew with the change"
        )
    if any(part.cells for part in before):
        raise PlanError(
            f"stream {stream.name!r}: a switch begins with the first flow when it changes a stream, so "
            "flows could not be told apart; load its job anew with the change"
        )


def _packets_without(job: SwitchJob, other: SwitchJob) -> tuple[TemplatePacket, ...]:
    """Template packets of a job that another one has not."""
    return tuple(packet for packet in job.packets if packet not in other.packets)


def _evened(old: SwitchJob, new: SwitchJob) -> tuple[TableEntry, ...]:
    """Entries of random gaps whose templates have none any more."""
    drawing = {stream.template for stream in new.streams.values() if stream.staging.gaps}
    evened = (stream for stream in old.streams.values() if stream.template not in drawing)
    return tuple(entry for stream in evened for entry in gap_entries(stream.template, stream.staging))
