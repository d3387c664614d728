# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements, turned into functions that change the values of a packet."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Expressions, Values
from .tree import Node

Statement = Callable[[Values], None]


def statement(node: Node | None, expressions: Expressions) -> Statement:
    """A function that does what a statement says. NotImplementedError for a kind that is not known here."""
    kind = node["Node_Type"] if node else "EmptyStatement"
    if node is None or kind == "EmptyStatement":
        return lambda _: None
    if kind == "BlockStatement":
        return sequence(node["components"], expressions)
    if kind == "AssignmentStatement":
        put, value = expressions.place(node["left"]), expressions.value(node["right"])
        return lambda values: put(values, value(values))
    if kind == "MethodCallStatement":
        call = expressions.value(node["methodCall"])
        return lambda values: (call(values), None)[1]
    if kind == "IfStatement":
        return _branch(node, expressions)
    raise NotImplementedError(f"a statement {kind}")


def sequence(nodes: list[Node], expressions: Expressions) -> Statement:
    """Statements one after the other."""
    steps = [statement(node, expressions) for node in nodes]

    def run(values: Values) -> None:
        for step in steps:
            step(values)

    return run


def _branch(node: Node, expressions: Expressions) -> Statement:
    condition = expressions.value(node["condition"])
    then = statement(node["ifTrue"], expressions)
    otherwise = statement(node.get("ifFalse"), expressions)

    def run(values: Values) -> None:
        (then if condition(values) else otherwise)(values)

    return run
