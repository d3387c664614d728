# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tables of a switch hold, and what they refuse, by the program's schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import PlanError
from .entry import Entry, Value
from .schema import Schema

_Held = dict[frozenset[tuple[str, Value]], Entry]


class Tables:
    """Entries of all tables of a program. A batch is written whole or not at all."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._held: dict[str, _Held] = {}

    def write(self, batch: Iterable[Entry]) -> None:
        """Adds entries, or changes those with the same key.

        Raises:
            PlanError: the first entry that its table cannot hold, or a table that has no room. Nothing has
                changed then.
        """
        new: dict[str, _Held] = {}
        for entry in batch:
            table = self._schema[entry.table]
            table.check(entry)
            held = new.setdefault(entry.table, dict(self._held.get(entry.table, {})))
            held[entry.place] = entry
            if table.size and len(held) > table.size:
                raise PlanError(
                    f"table {entry.table} is full: {table.size:,} entries are the most; "
                    "run fewer streams, or jobs with fewer entries"
                )
        self._held |= new

    def remove(self, batch: Sequence[Entry]) -> None:
        """Deletes entries by their keys. PlanError for one that is not there; nothing has changed then."""
        for entry in batch:
            if entry.place not in self._held.get(entry.table, {}):
                key = ", ".join(f"{name} {value}" for name, value in entry.key.items())
                raise PlanError(f"table {self._schema[entry.table].name} has no entry with {key}")
        for table in {entry.table for entry in batch}:
            gone = {entry.place for entry in batch if entry.table == table}
            self._held[table] = {place: own for place, own in self._held[table].items() if place not in gone}

    def has(self, entry: Entry) -> bool:
        """Whether there is one with its key."""
        return entry.place in self._held.get(entry.table, {})

    def own(self, entry: Entry) -> Entry:
        """The one with its key, which has to be there."""
        return self._held[entry.table][entry.place]

    def all(self) -> list[Entry]:
        """Of all tables."""
        return [entry for held in self._held.values() for entry in held.values()]

    def copy(self) -> Tables:
        """The same, which changes apart."""
        other = Tables(self._schema)
        other._held = dict(self._held)
        return other

    def entries(self, table: str) -> list[Entry]:
        """Of a table, the first that was written first. PlanError for one that is not there."""
        return list(self._held.get(self._schema[table].name, {}).values())
