# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The smallest set of changes that replaces a stream of a loaded job."""

from __future__ import annotations

from dataclasses import dataclass

from ..entries.entry import TableEntry
from ..entries.rate import gap_entries, held_entry
from ..neighbours.packets import TemplatePacket
from .job import SwitchJob


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
        fresh = tuple(packet for packet in new.packets if packet not in old.packets)
        gone = {
            packet.template
            for packet in (*fresh, *(packet for packet in old.packets if packet not in new.packets))
        }
        flushed = {
            place
            for place, entry in before.items()
            if entry.table.endswith(".template_loop.templates") and entry.key["template"] in gone
        }
        same = {stream.template for id_, stream in new.streams.items() if old.streams.get(id_) == stream}
        held = {(entry.table, entry.place) for entry in map(held_entry, same)}
        drawing = {stream.template for stream in new.streams.values() if stream.staging.gaps}
        evened = (stream for stream in old.streams.values() if stream.template not in drawing)
        return cls(
            removed=tuple(before[place] for place in before if place not in after or place in flushed)
            + tuple(entry for stream in evened for entry in gap_entries(stream.template, stream.staging)),
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
