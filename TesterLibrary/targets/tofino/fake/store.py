# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The contents of a simulated switch: entries that packets match, and numbers by index and pipe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ....errors import PlanError
from ..entries.entry import Masked, Span, TableEntry, Value
from ..session.schema import Schema, Table
from ..session.switch import Asked, Reading
from ..session.tables import Tables

INDEXES = ("$REGISTER_INDEX", "$COUNTER_INDEX", "$METER_INDEX")
PRIORITY = "$MATCH_PRIORITY"
_FIRST = {
    ".least": 0xFFFFFFFF
}  # initial values of registers that do not begin with 0 (p4/controls/latency.p4)

Cells = dict[tuple[int, int], int]  # by pipe and index
_Place = tuple[str, frozenset[tuple[str, Value]]]  # table and key of an entry


class Store:
    """Tables checked by the schema of a program, and the registers and counters that packets change."""

    def __init__(self, schema: Schema, pipes: Mapping[str, Sequence[int]]) -> None:
        """`pipes`: the pipes that run each of the two programs, `external` and `internal`."""
        self._schema, self._pipes = schema, pipes
        self._tables = Tables(schema)
        self._matchers: dict[str, Matcher] = {}
        self._cells: dict[str, dict[str, Cells]] = defaultdict(dict)
        self.hits: dict[_Place, int] = defaultdict(int)
        self._octets: dict[_Place, int] = defaultdict(int)  # of the packets that have hit an entry

    def write(self, batch: Sequence[TableEntry]) -> None:
        """Writes entries, all or none. PlanError as in `Tables`, and for an index beyond a table's size."""
        for entry in batch:
            index = _index(entry.key)
            table = self._schema[entry.table]
            if index is not None and index >= (table.size or 1 << 32):
                raise PlanError(f"table {table.name}: there is no index {index}; {table.size:,} are there")
        self._tables.write(batch)
        for entry in batch:
            self._matchers.pop(entry.table, None)
            index = _index(entry.key)
            for field, value in entry.data.items() if index is not None else ():
                for pipe in self._pipes_of(entry.table):
                    self.cells(entry.table, field)[pipe, index or 0] = int(str(value))
            self._forget(entry)

    def delete(self, batch: Sequence[TableEntry]) -> None:
        """Deletes entries by their keys. PlanError for one that is not there."""
        self._tables.remove(batch)
        for entry in batch:
            self._matchers.pop(entry.table, None)
            self._forget(entry)

    def clear(self, name: str) -> None:
        """Deletes all entries of a table, and sets its numbers to their initial values."""
        table = self._schema[name]
        self._tables.remove(self._tables.entries(table.name))
        self._matchers.pop(name, None)
        for cells in self._cells.pop(name, {}).values():
            cells.clear()

    def read(self, asked: Asked) -> Reading:
        """The data of an entry; registers have a number for each pipe. PlanError if it is not there."""
        table = self._schema[asked.table]
        wanted = TableEntry(asked.table, asked.key)
        table.check_key(wanted)
        index = _index(asked.key)
        if index is None:
            if not self._tables.has(wanted):
                raise PlanError(f"table {asked.table} has no entry with {dict(asked.key)}")
            place = asked.table, wanted.place
            counted = {"$COUNTER_SPEC_PKTS": self.hits[place]}
            if "$COUNTER_SPEC_BYTES" in table.data:
                counted["$COUNTER_SPEC_BYTES"] = self._octets[place]
            data = self._tables.stored(wanted).data
            return {name: _plain(value) for name, value in data.items()} | counted
        values = {
            field: [
                self.cells(asked.table, field).get((pipe, index), first(field))
                for pipe in self._pipes_of(asked.table)
            ]
            for field in table.data
        }
        if "$COUNTER_INDEX" in asked.key:  # the sum of all pipes
            return {field: sum(each) for field, each in values.items()}
        return values

    def entries(self, table: str) -> list[TableEntry]:
        """The entries of a table that packets match."""
        return self._tables.entries(table)

    def cells(self, table: str, field: str) -> Cells:
        """The numbers of a register or counter, which packets change."""
        return self._cells[table].setdefault(field, {})

    def numbers(self) -> dict[str, Cells]:
        """All numbers that are not what they are before anything has changed them, by table and field."""
        found = {
            f"{table} {field}": {place: value for place, value in cells.items() if value != first(field)}
            for table, fields in self._cells.items()
            for field, cells in fields.items()
        }
        return {name: cells for name, cells in found.items() if cells}

    def match(self, table: str, *values: int) -> TableEntry | None:
        """The entry that a packet hits; `values` are the values of the key's fields, in their order."""
        matcher = self._matchers.get(table)
        if matcher is None:
            matcher = self._matchers[table] = Matcher(self._schema[table], self._tables.entries(table))
        entry = matcher.find(values)
        if entry is not None:
            self.hits[table, entry.place] += 1
        return entry

    def count_octets(self, table: str, entry: TableEntry, size: int) -> None:
        """Adds the bytes of a packet to the counter of the entry that it has hit."""
        self._octets[table, entry.place] += size

    def match_by(self, table: str, read: Callable[[str], int]) -> TableEntry | None:
        """The entry that a packet hits, in a table whose keys depend on how the program was built."""
        return self.match(table, *(read(name) for name in self._schema[table].key if name != PRIORITY))

    def has(self, name: str) -> bool:
        """Whether the program has a table of this name."""
        return name in self._schema.tables

    def table(self, name: str) -> Table:
        """A table by its name. PlanError if there is none."""
        return self._schema[name]

    def _forget(self, entry: TableEntry) -> None:
        """Sets the counter of an entry to 0."""
        self.hits.pop((entry.table, entry.place), None)
        self._octets.pop((entry.table, entry.place), None)

    def _pipes_of(self, table: str) -> Sequence[int]:
        return self._pipes[table.partition(".")[0]]


class Matcher:
    """The entries of one table, ready for packets."""

    def __init__(self, table: Table, entries: Iterable[TableEntry]) -> None:
        names = [name for name in table.key if name != PRIORITY]
        self._width = len(names)
        self._exact: dict[tuple[int, ...], TableEntry] = {}
        self._ranked: list[tuple[list[tuple[int, Value]], TableEntry]] = []
        ranked = PRIORITY in table.key
        for entry in sorted(entries, key=_priority) if ranked else entries:
            if ranked:
                wanted = [(at, entry.key[name]) for at, name in enumerate(names) if name in entry.key]
                self._ranked.append((wanted, entry))
            else:
                self._exact[tuple(int(str(entry.key[name])) for name in names)] = entry

    def find(self, values: tuple[int, ...]) -> TableEntry | None:
        """The entry that matches these values; of several, the one with the lowest priority number."""
        if self._exact:
            return self._exact.get(values)
        if len(values) != self._width:
            raise ValueError(f"{len(values)} values for a key of {self._width} fields")
        for wanted, entry in self._ranked:
            for at, match in wanted:
                if not _holds(match, values[at]):
                    break
            else:
                return entry
        return None


def first(field: str) -> int:
    """The value of a register before a packet or a driver has changed it."""
    return next((value for name, value in _FIRST.items() if field.endswith(name)), 0)


def number(entry: TableEntry, name: str) -> int:
    """A number in an entry's data."""
    return int(str(entry.data[name]))


def _holds(wanted: Value, value: int) -> bool:
    if isinstance(wanted, Masked):
        return value & wanted.mask == wanted.value
    if isinstance(wanted, Span):
        return wanted.first <= value <= wanted.last
    return value == wanted


def _priority(entry: TableEntry) -> int:
    return int(str(entry.key[PRIORITY]))


def _index(key: Mapping[str, Value]) -> int | None:
    return next((int(str(key[name])) for name in INDEXES if name in key), None)


def _plain(value: Value) -> int | str:
    assert isinstance(value, int | str)
    return value
