# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions, turned into functions of the values that a packet has in a gress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import and_, eq, ge, gt, le, lt, ne, or_, xor
from typing import Any

from .tree import Node, arguments, path_of
from .types import VALID, Types, copied

Values = dict[str, Any]  # by name; "$" is the packet's Passing
Value = Callable[[Values], Any]
Place = Callable[[Values, Any], None]
Call = Callable[[Node], Value]

_COMPARED = {"Equ": eq, "Neq": ne, "Lss": lt, "Leq": le, "Grt": gt, "Geq": ge}
_BITWISE = {"BAnd": and_, "BOr": or_, "BXor": xor}


class Expressions:
    """Those of one parser or control.

    Args:
        types: Of the program.
        declared: Types of variables and parameters by name.
        calls: What methods of externs, tables and actions do, by the name of the instance, of the table or of
            the action: a function that turns a call into a value.
    """

    def __init__(self, types: Types, declared: Mapping[str, Node], calls: Mapping[str, Call]) -> None:
        self.types, self._declared, self._calls = types, declared, calls
        self._kinds: Mapping[str, Call] = {
            "PathExpression": self._named,
            "Member": self._member,
            "Constant": self._constant,
            "BoolLiteral": self._truth,
            "Slice": self._slice,
            "Cast": self._cast,
            "Cmpl": self._complement,
            "LNot": self._negated,
            "LAnd": self._both,
            "LOr": self._either,
            "Concat": self._concatenated,
            "StructExpression": self._structure,
            "MethodCallExpression": self._call,
        }

    def within(self, declared: Mapping[str, Node]) -> Expressions:
        """Those of a function inside, which has parameters."""
        return Expressions(self.types, {**self._declared, **declared}, self._calls)

    def type_of(self, node: Node) -> Node:
        """The type of an expression."""
        if node["Node_Type"] == "PathExpression" and path_of(node) in self._declared:
            return self._declared[path_of(node)]
        if node["Node_Type"] == "Member" and node["type"]["Node_Type"] == "Type_Unknown":
            parts = self.types.parts(self.type_of(node["expr"]))
            return next(part.type for part in parts if part.name == node["member"])
        kind: Node = node["type"]
        return kind

    def width(self, node: Node) -> int:
        """Bits of an expression."""
        if node["Node_Type"] == "Slice":
            return int(node["e1"]["value"]) - int(node["e2"]["value"]) + 1
        return self.types.width(self.type_of(node))

    def value(self, node: Node) -> Value:
        """A function that evaluates an expression."""
        return self._kinds.get(node["Node_Type"], self._binary)(node)

    def place(self, node: Node) -> Place:
        """Where an assignment to an expression goes."""
        kind = node["Node_Type"]
        if kind == "PathExpression":
            name = path_of(node)

            def to_name(values: Values, new: Any) -> None:
                if isinstance(new, dict):  # what others know by another name changes as well
                    values[name].update(copied(new))
                else:
                    values[name] = new

            return to_name
        if kind == "Member":
            base, member = self.value(node["expr"]), node["member"]

            def to_member(values: Values, new: Any) -> None:
                base(values)[member] = copied(new)

            return to_member
        if kind == "Slice":
            whole, put = self.value(node["e0"]), self.place(node["e0"])
            low, mask = int(node["e2"]["value"]), (1 << self.width(node)) - 1
            return lambda values, new: put(values, whole(values) & ~(mask << low) | (new & mask) << low)
        raise NotImplementedError(f"an assignment to {kind}")

    def joined(self, node: Node) -> tuple[Value, int]:
        """The bits of all parts of a list, the first one first, and how many there are."""
        parts = node["components"] if node["Node_Type"] == "ListExpression" else [node]
        values = [(self.value(part), self.width(part)) for part in parts]

        def together(held: Values) -> int:
            bits = 0
            for value, width in values:
                bits = bits << width | value(held)
            return bits

        return together, sum(width for _, width in values)

    def _named(self, node: Node) -> Value:
        name = path_of(node)
        return lambda values: values[name]

    def _member(self, node: Node) -> Value:
        base, member = node["expr"], node["member"]
        if base["Node_Type"] == "TypeNameExpression":
            number = self.types.member(base["typeName"], member)
            return lambda _: number
        held = self.value(base)
        if member in ("hit", "miss"):
            return lambda values: held(values) == (member == "hit")
        return lambda values: held(values)[member]

    def _constant(self, node: Node) -> Value:
        number = int(node["value"])
        return lambda _: number

    def _truth(self, node: Node) -> Value:
        truth = bool(node["value"])
        return lambda _: truth

    def _slice(self, node: Node) -> Value:
        whole, low, mask = self.value(node["e0"]), int(node["e2"]["value"]), (1 << self.width(node)) - 1
        return lambda values: whole(values) >> low & mask

    def _cast(self, node: Node) -> Value:
        inner, kind = self.value(node["expr"]), self.types.plain(node["destType"])
        width = self.types.width(kind)
        mask, half = (1 << width) - 1, 1 << width - 1
        if kind.get("isSigned"):
            return lambda values: ((int(inner(values)) + half) & mask) - half
        return lambda values: int(inner(values)) & mask

    def _complement(self, node: Node) -> Value:
        inner, mask = self.value(node["expr"]), (1 << self.width(node)) - 1
        return lambda values: ~inner(values) & mask

    def _negated(self, node: Node) -> Value:
        inner = self.value(node["expr"])
        return lambda values: not inner(values)

    def _both(self, node: Node) -> Value:
        left, right = self.value(node["left"]), self.value(node["right"])
        return lambda values: left(values) and right(values)

    def _either(self, node: Node) -> Value:
        left, right = self.value(node["left"]), self.value(node["right"])
        return lambda values: left(values) or right(values)

    def _concatenated(self, node: Node) -> Value:
        left, right, width = self.value(node["left"]), self.value(node["right"]), self.width(node["right"])
        return lambda values: left(values) << width | right(values)

    def _structure(self, node: Node) -> Value:
        parts = [(part["name"], self.value(part["expression"])) for part in node["components"]]
        header = self.types.is_header(node["structType"])

        def made(values: Values) -> dict[str, Any]:
            whole = {name: value(values) for name, value in parts}
            return whole | {VALID: True} if header else whole

        return made

    def _call(self, node: Node) -> Value:
        method = node["method"]
        if method["Node_Type"] == "PathExpression":
            return self._calls[path_of(method)](node)
        if method["member"] in ("isValid", "setValid", "setInvalid"):
            return self._validity(method)
        return self._calls[path_of(method["expr"])](node)

    def _validity(self, method: Node) -> Value:
        header, verb = self.value(method["expr"]), method["member"]
        if verb == "isValid":
            return lambda values: header(values)[VALID]

        def change(values: Values) -> None:
            header(values)[VALID] = verb == "setValid"

        return change

    def _binary(self, node: Node) -> Value:
        kind = node["Node_Type"]
        if "left" not in node:
            raise NotImplementedError(f"an expression {kind}")
        left, right = self.value(node["left"]), self.value(node["right"])
        if kind in _COMPARED:
            compare = _COMPARED[kind]
            return lambda values: compare(left(values), right(values))
        if kind in _BITWISE:
            combine = _BITWISE[kind]
            return lambda values: combine(left(values), right(values))
        mask = (1 << self.width(node)) - 1
        if kind == "Add":
            return lambda values: left(values) + right(values) & mask
        if kind == "AddSat":
            return lambda values: min(left(values) + right(values), mask)
        if kind == "SubSat":
            return lambda values: max(left(values) - right(values), 0)
        if kind == "Sub":
            return lambda values: left(values) - right(values) & mask
        raise NotImplementedError(f"an expression {kind}")


def given(expressions: Expressions, call: Node) -> list[Value]:
    """The values that a call is given."""
    return [expressions.value(argument) for argument in arguments(call)]
