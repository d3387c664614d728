# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The contents of a switch's tables, checked by the program's schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....errors import PlanError
from ..entries.entry import TableEntry, Value
from .schema import Schema

_Held = dict[frozenset[tuple[str, Value]], TableEntry]


class Tables:
    """Entries of all tables of a program. A batch is written whole or not at all."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._held: dict[str, _Held] = {}

    def write(self, batch: Iterable[TableEntry]) -> None:
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

    def remove(self, batch: Sequence[TableEntry]) -> None:
        """Deletes entries by their keys. PlanError for one that is not there; nothing has changed then."""
        for entry in batch:
            if entry.place not in self._held.get(entry.table, {}):
                key = ", ".join(f"{name} {value}" for name, value in entry.key.items())
                raise PlanError(f"table {self._schema[entry.table].name} has no entry with {key}")
        for table in {entry.table for entry in batch}:
            gone = {entry.place for entry in batch if entry.table == table}
            self._held[table] = {
                place: entry for place, entry in self._held[table].items() if place not in gone
            }

    def has(self, entry: TableEntry) -> bool:
        """Whether there is an entry with the same key."""
        return entry.place in self._held.get(entry.table, {})

    def stored(self, entry: TableEntry) -> TableEntry:
        """The entry with the same key, which has to exist."""
        return self._held[entry.table][entry.place]

    def all(self) -> list[TableEntry]:
        """The entries of all tables."""
        return [entry for held in self._held.values() for entry in held.values()]

    def copy(self) -> Tables:
        """A copy that changes independently."""
        other = Tables(self._schema)
        other._held = dict(self._held)
        return other

    def entries(self, table: str) -> list[TableEntry]:
        """The entries of a table in the order of writing. PlanError if there is no such table."""
        return list(self._held.get(self._schema[table].name, {}).values())
