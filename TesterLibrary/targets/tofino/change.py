# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What becomes of a loaded job when one of its streams is another one: the least that has to be written."""

from __future__ import annotations

from dataclasses import dataclass

from .entry import Entry
from .job import SwitchJob
from .packets import TemplatePacket
from .rate import held_entry


@dataclass(frozen=True)
class Change:
    """From a job to the one in its place; to be done in this order."""

    removed: tuple[Entry, ...]  # loops of templates that change among them: what loops of these falls out
    written: tuple[Entry, ...]
    packets: tuple[TemplatePacket, ...]

    @classmethod
    def between(cls, old: SwitchJob, new: SwitchJob) -> Change:
        """Streams that stay the same go on; the others are held back until they are started again."""
        before = {(entry.table, entry.place): entry for entry in old.entries}
        after = {(entry.table, entry.place): entry for entry in new.entries}
        fresh = tuple(packet for packet in new.packets if packet not in old.packets)
        gone = {
            packet.template for packet in (*fresh, *(own for own in old.packets if own not in new.packets))
        }
        flushed = {
            place
            for place, entry in before.items()
            if entry.table.endswith(".template_loop.templates") and entry.key["template"] in gone
        }
        same = {own.template for id_, own in new.streams.items() if old.streams.get(id_) == own}
        held = {(entry.table, entry.place) for entry in map(held_entry, same)}
        return cls(
            removed=tuple(before[place] for place in before if place not in after or place in flushed),
            written=tuple(
                entry
                for place, entry in after.items()
                if (before.get(place) != entry or place in flushed) and place not in held
            )
            + tuple(held_entry(own.template) for own in new.streams.values() if own.template not in same),
            packets=fresh,
        )
