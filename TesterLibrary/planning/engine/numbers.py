# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers the values that expressions of a protocol read: equal values share a number.

A parameter has its own number, whatever its value. So a table is lowered to the same numbers for all values,
and an engine recognizes the tables for which it has code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import PlanError
from ...model.expression import MOST_BITS, Expression
from ...model.protocol import Protocol
from ...protocols.layout import Layout
from ...protocols.scope import FACTS, NameScope, layout_of
from .register_layout import Register, registers

Record = dict[str, Any]

_OPERATORS = {
    "+": "OPERATOR_ADD",
    "-": "OPERATOR_SUBTRACT",
    "*": "OPERATOR_MULTIPLY",
    "<<": "OPERATOR_SHIFT_LEFT",
    ">>": "OPERATOR_SHIFT_RIGHT",
    "&": "OPERATOR_AND",
    "|": "OPERATOR_OR",
}


class FlatNumbers:
    """The numbers of one protocol with values for its parameters."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, int]) -> None:
        self.registers: tuple[Register, ...] = registers(protocol)
        self.operands: list[Record] = []
        self.expressions: list[Record] = []
        self._parameters = parameters
        self._registers = {
            (register.table, register.name): index for index, register in enumerate(self.registers)
        }
        self._known: dict[str, int] = {}
        self.layout = layout_of(protocol.stack)

    def register(self, table: int, name: str) -> int:
        """The number of a register, which is kept for a flow."""
        return self._registers[table, name]

    def find_register(self, table: int, name: str) -> int | None:
        """The number of a register; None if a flow has no such register."""
        return self._registers.get((table, name))

    def expression(self, expression: Expression, table: int, scope: NameScope) -> int:
        """The number of an expression, which uses the names of this table."""
        terms = [
            {"operator": _OPERATORS[operator], "operand": self.operand(atom, table, scope)}
            for operator, atom in (("+", expression.first), *expression.rest)
        ]
        return self._number(self.expressions, {"terms": terms})

    def operand(self, atom: int | str, table: int, scope: NameScope) -> int:
        """The number of an operand, which is a number or a name."""
        name = f"{table} {atom}" if atom in scope.parameters else ""
        return self._number(self.operands, self._operand(atom, table, scope), name)

    def _operand(self, atom: int | str, table: int, scope: NameScope) -> Record:
        if isinstance(atom, int):
            return {"number": octets(atom)}
        if atom in scope.variables:
            return {"register": self.register(table, atom)}
        if atom in scope.parameters:
            return {"number": octets(self._parameters[atom])}
        if atom in FACTS or atom in scope.layout.virtual:
            return {"fact": f"FACT_{atom.replace('.', '_').upper()}"}
        return {"field": field_of(self.layout, atom)}

    def _number(self, things: list[Record], thing: Record, name: str = "") -> int:
        key = f"{id(things)} {name} {thing}"
        if key not in self._known:
            self._known[key] = len(things)
            things.append(thing)
        return self._known[key]


def field_of(layout: Layout, name: str) -> Record:
    """The place of a field such as `TCP.seq`."""
    place = layout.places[name]
    header = [header.name for header in layout.headers].index(name.partition(".")[0])
    return {"header": header, "offset": place.offset, "bits": place.bits}


def octets(number: int) -> bytes:
    """A number in as many bytes as it needs, at least one.

    Raises:
        PlanError: a number of more bits than any thing has.
    """
    if not 0 <= number < 1 << MOST_BITS:
        raise PlanError(f"{number} is not a number of 0 to {MOST_BITS} bits, so no tester can hold it")
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
