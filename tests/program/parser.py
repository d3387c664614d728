# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsers: states, and which one follows."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Expressions, Value, Values
from .scope import Scope
from .statements import Statement, sequence
from .tree import Node, path_of

_ENDS = ("accept", "reject")
_Test = Callable[[int], bool]


class Parser:
    """A parser of the program."""

    def __init__(self, node: Node, scope: Scope) -> None:
        self.scope = scope
        self._states = {
            state["name"]: _State(state, scope.expressions)
            for state in node["states"]
            if state["name"] not in _ENDS
        }

    def run(self, values: Values) -> bool:
        """Reads the packet. False: no case of a state holds, or the program rejects it."""
        name = "start"
        while name not in _ENDS:
            name = self._states[name].run(values)
        return name == "accept"


class _State:
    def __init__(self, node: Node, expressions: Expressions) -> None:
        self._does: Statement = sequence(node["components"], expressions)
        chosen = node["selectExpression"]
        self._next = path_of(chosen) if chosen["Node_Type"] == "PathExpression" else ""
        self._keys: list[Value] = []
        self._cases: list[tuple[list[_Test], str]] = []
        if not self._next:
            self._keys = [expressions.value(key) for key in chosen["select"]["components"]]
            self._cases = [
                (_tests(case["keyset"], expressions, len(self._keys)), path_of(case["state"]))
                for case in chosen["selectCases"]
            ]

    def run(self, values: Values) -> str:
        self._does(values)
        if self._next:
            return self._next
        found = [key(values) for key in self._keys]
        for tests, state in self._cases:
            if all(test(value) for test, value in zip(tests, found, strict=True)):
                return state
        return "reject"


def _tests(keyset: Node, expressions: Expressions, keys: int) -> list[_Test]:
    if keyset["Node_Type"] == "DefaultExpression":
        return [lambda _: True] * keys
    parts = keyset["components"] if keyset["Node_Type"] == "ListExpression" else [keyset]
    return [_test(part, expressions) for part in parts]


def _test(part: Node, expressions: Expressions) -> _Test:
    kind = part["Node_Type"]
    if kind == "DefaultExpression":
        return lambda _: True
    if kind == "Range":
        low, high = int(part["left"]["value"]), int(part["right"]["value"])
        return lambda found: low <= found <= high
    if kind == "Mask":
        bits, mask = int(part["left"]["value"]), int(part["right"]["value"])
        return lambda found: found & mask == bits & mask
    wanted = expressions.value(part)({})
    return lambda found: bool(found == wanted)
