# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables: which entry a packet hits, and the action that it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from TesterLibrary.targets.tofino.entries.entry import Masked, Span, TableEntry
from TesterLibrary.targets.tofino.entries.entry import Value as Wanted
from TesterLibrary.targets.tofino.fake.store import PRIORITY, Store

from .expressions import Expressions, Value, Values, given
from .statements import Statement, statement
from .tree import Node, label, path_of


class Action:
    """An action, and the names of its data: within the program, and those that a driver gives."""

    def __init__(self, node: Node, expressions: Expressions) -> None:
        parameters = node["parameters"]["parameters"]
        self.name = label(node)
        self.data = [(parameter["name"], label(parameter)) for parameter in parameters]
        inner = expressions.within({parameter["name"]: parameter["type"] for parameter in parameters})
        self.run: Statement = statement(node["body"], inner)

    def call(self, expressions: Expressions, call: Node) -> Value:
        """The action with the data that a call gives it."""
        data = given(expressions, call)
        names = [name for name, _ in self.data]

        def run(values: Values) -> None:
            values.update((name, value(values)) for name, value in zip(names, data, strict=True))
            self.run(values)

        return run


@dataclass(frozen=True)
class _Row:
    wanted: tuple[Wanted | None, ...]
    runs: Statement
    entry: TableEntry | None


class Table:
    """A table of a program. Its entries are the driver's, or its own where the program has them."""

    def __init__(
        self, node: Node, expressions: Expressions, actions: Mapping[str, Action], pipeline: str
    ) -> None:
        self.name = f"{pipeline}.{label(node)}"
        properties = {one["name"]: one["value"] for one in node["properties"]["properties"]}
        elements = properties["key"]["keyElements"] if "key" in properties else []
        self._keys = [expressions.value(element["expression"]) for element in elements]
        self._names = [label({"name": "", **element}) for element in elements]
        self._exact = all(path_of(element["matchType"]) == "exact" for element in elements)
        listed = [path_of(one["expression"]["method"]) for one in properties["actions"]["actionList"]]
        self._actions = {actions[name].name: actions[name] for name in listed}
        self._default = expressions.value(properties["default_action"]["expression"])
        self._own = (
            [_own(entry, expressions) for entry in properties["entries"]["entries"]]
            if ("entries" in properties)
            else None
        )
        self._rows: dict[int, Callable[[tuple[int, ...]], _Row | None]] = {}

    def changed(self) -> None:
        """Forgets the entries, because the driver has changed them."""
        self._rows.clear()

    def apply(self, call: Node) -> Value:
        """`apply()`: whether an entry was hit. Its action, or the default one, has run then."""
        assert call["method"]["member"] == "apply"
        keys = self._keys

        def run(values: Values) -> bool:
            passing = values["$"]
            row = self._find(passing.store)(tuple(int(key(values)) for key in keys))
            passing.entry = None if row is None or row.entry is None else (self.name, row.entry)
            if row is None:
                self._default(values)
            else:
                row.runs(values)
            return row is not None

        return run

    def _find(self, store: Store) -> Callable[[tuple[int, ...]], _Row | None]:
        if id(store) not in self._rows:
            rows = self._own if self._own is not None else self._written(store)
            self._rows[id(store)] = self._finder(rows)
        return self._rows[id(store)]

    def _finder(self, rows: list[_Row]) -> Callable[[tuple[int, ...]], _Row | None]:
        if self._exact:
            places = {row.wanted: row for row in reversed(rows)}
            return lambda found: places.get(found)
        return lambda found: next((row for row in rows if all(map(_fits, row.wanted, found))), None)

    def _written(self, store: Store) -> list[_Row]:
        if not self._keys:
            return []
        entries = store.entries(self.name)
        if any(PRIORITY in entry.key for entry in entries):
            entries = sorted(entries, key=lambda entry: int(str(entry.key[PRIORITY])))
        return [self._row(entry) for entry in entries]

    def _row(self, entry: TableEntry) -> _Row:
        action = self._actions[str(entry.action)]
        data = {name: int(str(entry.data[own])) for name, own in action.data}

        def run(values: Values) -> None:
            values.update(data)
            action.run(values)

        return _Row(tuple(entry.key.get(name) for name in self._names), run, entry)


def _own(entry: Node, expressions: Expressions) -> _Row:
    return _Row(tuple(map(_wanted, entry["keys"]["components"])), expressions.value(entry["action"]), None)


def _wanted(key: Node) -> Wanted | None:
    if key["Node_Type"] == "DefaultExpression":
        return None
    if key["Node_Type"] == "Mask":
        bits, mask = int(key["left"]["value"]), int(key["right"]["value"])
        return Masked(bits & mask, mask)
    return int(key["value"])


def _fits(wanted: Wanted | None, found: int) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, Masked):
        return found & wanted.mask == wanted.value
    if isinstance(wanted, Span):
        return wanted.first <= found <= wanted.last
    return found == wanted
