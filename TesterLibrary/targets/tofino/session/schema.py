# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of a program, from the schema that its compiler writes (``bf-rt.json``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....errors import PlanError, did_you_mean
from ..entries.entry import Masked, Span, TableEntry, Value

_BITS = {"bool": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
_MATCHES = {"Exact": (int, str), "Ternary": (int, Masked), "Range": (int, Span)}


@dataclass(frozen=True)
class Field:
    """A field of a key or of data. Numbers are unsigned; `bits` is None for texts."""

    name: str
    bits: int | None
    choices: tuple[str, ...] = ()  # allowed texts; empty: any text
    needed: bool = False
    writable: bool = True
    match: str = "Exact"

    def check(self, value: Value) -> None:
        """PlanError for a value that the field cannot hold."""
        if isinstance(value, str) or self.bits is None:
            self._check_text(value)
            return
        for number in (value,) if isinstance(value, int) else value.numbers:
            if not 0 <= number < 1 << self.bits:
                raise PlanError(f"{self.name}: {number} does not fit {self.bits} bits")
        if isinstance(value, Masked) and value.value & ~value.mask:
            raise PlanError(f"{self.name}: {value.value:#x} has bits outside its mask {value.mask:#x}")
        if isinstance(value, Span) and value.first > value.last:
            raise PlanError(f"{self.name}: from {value.first} to {value.last} is no range")

    def check_match(self, value: Value) -> None:
        """PlanError for a value that this kind of key cannot match, or cannot hold."""
        if not isinstance(value, _MATCHES[self.match]):
            raise PlanError(f"{self.name}: {value} for a key that matches {self.match.lower()}")
        self.check(value)

    def _check_text(self, value: Value) -> None:
        if self.bits is not None or not isinstance(value, str):
            what = "a text" if self.bits is None else f"a number of {self.bits} bits"
            raise PlanError(f"{self.name}: {value!r} instead of {what}")
        if self.choices and value not in self.choices:
            raise PlanError(f"{self.name}: {value!r}; these are: {', '.join(self.choices)}")


@dataclass(frozen=True)
class Table:
    """A table of a program; registers, counters and meters are tables too."""

    name: str
    size: int  # entries; 0: as many as there are keys
    key: Mapping[str, Field]
    data: Mapping[str, Field]  # data of every entry
    actions: Mapping[str, Mapping[str, Field]]  # actions of entries, and the data of each
    kind: str = "MatchAction_Direct"  # the compiler's name of the kind
    constant: bool = False  # whether the program itself has its entries

    @property
    def written(self) -> bool:
        """Whether a driver adds its entries and removes them.

        Entries of registers always exist, and a table without a key has only its default action.
        """
        return self.kind.startswith("MatchAction") and bool(self.key) and not self.constant

    def check(self, entry: TableEntry) -> None:
        """Checks whether the table can hold an entry.

        Raises:
            PlanError: the table, and a key or data that is unknown, missing or does not fit.
        """
        try:
            if self.constant:
                raise PlanError("it is constant: the P4 program defines its entries; write another table")
            self.check_key(entry)
            self._check_data(entry)
        except PlanError as problem:
            raise PlanError(f"table {self.name}: {problem}") from None

    def check_key(self, entry: TableEntry) -> None:
        """PlanError for a key that no entry can have. Ternary keys and ranges not given match all."""
        _known("key", entry.key, self.key)
        for name, field in self.key.items():
            if name in entry.key:
                field.check_match(entry.key[name])
            elif field.needed:
                raise PlanError(f"the key {name} is missing")

    def _check_data(self, entry: TableEntry) -> None:
        fields = dict(self.data)
        if self.actions:
            if entry.action is None:
                raise PlanError(f"an action is missing; these are: {', '.join(self.actions)}")
            _known("action", [entry.action], self.actions)
            fields |= self.actions[entry.action]
        elif entry.action is not None:
            raise PlanError(f"it has no actions; leave the action {entry.action!r} out")
        _known("data", entry.data, fields)
        for name, field in fields.items():
            if name not in entry.data:
                if field.needed:
                    raise PlanError(f"{name} is missing")
                continue
            if not field.writable:
                raise PlanError(f"{name} is read-only; leave it out")
            field.check(entry.data[name])


@dataclass(frozen=True)
class Schema:
    """The tables of a program by name."""

    tables: Mapping[str, Table]

    @classmethod
    def load(cls, path: Path) -> Schema:
        """The schema in a file of the compiler. PlanError if the file is none."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))["tables"]
            return cls({table["name"]: _table(table) for table in found})
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise PlanError(f"{path} is no schema of a program: {problem!r}") from problem

    def __getitem__(self, name: str) -> Table:
        """A table by its name. PlanError names one that comes close."""
        _known("table", [name], self.tables)
        return self.tables[name]


def _known(what: str, given: Iterable[str], known: Mapping[str, object]) -> None:
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise PlanError(
                f"there is no {what} {name!r}{did_you_mean(name, known) or f'; there are {names}'}"
            )


def _table(table: Mapping[str, Any]) -> Table:
    actions = {
        action["name"]: _fields(action["data"])
        for action in table.get("action_specs", ())
        if action["action_scope"] != "DefaultOnly"
    }
    key = {
        field["name"]: _field(field, needed=field["mandatory"] or field["match_type"] == "Exact")
        for field in table["key"]
    }
    constant = "ConstTable" in table.get("attributes", ())
    data = _fields(table.get("data", ()))
    return Table(table["name"], table["size"], key, data, actions, table["table_type"], constant)


def _fields(data: Iterable[Mapping[str, Any]]) -> dict[str, Field]:
    """The fields that hold one value. Other fields configure hashes, which is not done here."""
    fields = [{**field, **field.get("singleton", {})} for field in data]
    return {
        field["name"]: _field(field, needed=field["mandatory"] and not field["read_only"])
        for field in fields
        if "type" in field
    }


def _field(field: Mapping[str, Any], *, needed: bool) -> Field:
    kind = field["type"]["type"]
    return Field(
        name=field["name"],
        bits=None if kind == "string" else field["type"]["width"] if kind == "bytes" else _BITS[kind],
        choices=tuple(field["type"].get("choices", ())),
        needed=needed and "default_value" not in field["type"],
        writable=not field.get("read_only", False),
        match=field.get("match_type", "Exact"),
    )
