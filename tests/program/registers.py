# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Registers, and the actions of the units that read and write them."""

from __future__ import annotations

from typing import Any

from .expressions import Expressions, Value, Values, given
from .statements import statement
from .tree import Node, arguments, label, path_of
from .types import Types, copied


class Register:
    """A register of one pipeline; each pipe has its own numbers.

    Args:
        node: Its declaration.
        types: Of the program.
        pipeline: Whose table it is: the first part of the table's name.
    """

    def __init__(self, node: Node, types: Types, pipeline: str) -> None:
        name = label(node)
        self.table = f"{pipeline}.{name}"
        self._kind = node["type"]["arguments"][0]
        self._first = _constant(arguments(node)[1]) if len(arguments(node)) > 1 else types.zero(self._kind)
        self._fields = (
            [part.name for part in types.parts(self._kind)] if isinstance(self._first, dict) else None
        )
        self._names = {one: f"{name}.{one}" for one in self._fields or ("f1",)}

    def read(self, values: Values, index: int) -> Any:
        """The value of a cell."""
        passing = values["$"]
        place, store = (passing.pipe, index), passing.store
        if self._fields is None:
            return store.cells(self.table, self._names["f1"]).get(place, self._first)
        cells = {one: store.cells(self.table, self._names[one]) for one in self._fields}
        return {one: cells[one].get(place, self._first[one]) for one in self._fields}

    def write(self, values: Values, index: int, new: Any) -> None:
        """Changes the value of a cell."""
        passing = values["$"]
        parts = {"f1": new} if self._fields is None else new
        for one, part in parts.items():
            passing.store.cells(self.table, self._names[one])[passing.pipe, index] = part


class RegisterAction:
    """The work of a unit on a cell in one pass."""

    def __init__(self, node: Node, register: Register, expressions: Expressions) -> None:
        self._register, self._outer = register, expressions
        (function,) = node["initializer"]["components"]
        parameters = function["type"]["parameters"]["parameters"]
        self._value, *results = [parameter["name"] for parameter in parameters]
        self._result = results[0] if results else None
        inner = expressions.within({parameter["name"]: parameter["type"] for parameter in parameters})
        self._run = statement(function["body"], inner)

    def call(self, call: Node) -> Value:
        """`execute(index)`: the result of the action."""
        (index,) = given(self._outer, call)
        register, run, name, result = self._register, self._run, self._value, self._result

        def execute(values: Values) -> Any:
            at = index(values)
            inner = {**values, name: copied(register.read(values, at))}
            if result is not None:
                inner[result] = 0
            run(inner)
            register.write(values, at, inner[name])
            return None if result is None else inner[result]

        return execute


def register_of(node: Node) -> str:
    """The name of the register that an action is of."""
    return path_of(arguments(node)[0])


def _constant(node: Node) -> Any:
    if "components" in node:
        return {part["name"]: _constant(part["expression"]) for part in node["components"]}
    return int(node["value"])
