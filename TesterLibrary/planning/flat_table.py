# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A protocol as flat arrays that refer to each other by number: what an engine walks without a search."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from ..model.expression import Expression
from ..model.protocol import Act, Compare, Flags, Option, Prefix, Protocol, Row, Template, Test
from ..protocols.automaton import Automaton
from ..protocols.name_check import events
from ..protocols.scope import FACTS, Scope, layout_of
from .register_layout import Register, registers

Record = dict[str, Any]


@dataclass(frozen=True)
class FlatTable:
    """`tables[t].lookup[state * events + event]` is (first, count) in `tables[t].order`, which are rows."""

    protocol: Protocol
    registers: tuple[Register, ...]
    operands: tuple[Record, ...]
    expressions: tuple[tuple[tuple[str, int], ...], ...]  # operator ("" for the first) and operand
    tests: tuple[Record, ...]
    actions: tuple[Record, ...]
    rows: tuple[Record, ...]
    tables: tuple[Record, ...]

    def record(self) -> Record:
        """As JSON has it."""
        arrays = ("operands", "expressions", "tests", "actions", "rows", "tables")
        return {
            "protocol": self.protocol.name,
            "target": "engine",
            "flow": [list(key) for key in self.protocol.layers[0].flow],
            "registers": [vars(own) for own in self.registers],
            **{name: list(getattr(self, name)) for name in arrays},
        }

    def summary(self) -> str:
        """For people."""
        counts = {
            name: len(getattr(self, name)) for name in ("rows", "tests", "actions", "expressions", "operands")
        }
        return (
            f"{self.protocol.name} on engine: {sum(own.bits for own in self.registers)} bits for a flow, "
            + ", ".join(f"{count} {name}" for name, count in counts.items())
        )


def flat_table(protocol: Protocol) -> FlatTable:
    """Of a checked protocol. PlanError if a flow does not fit."""
    return _Flattener(protocol).flat()


class _Flattener:
    """Numbers for whatever is named; the same thing has one number."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._registers = registers(protocol)
        self._operands: list[Record] = []
        self._expressions: list[tuple[tuple[str, int], ...]] = []
        self._tests: list[Record] = []
        self._actions: list[Record] = []
        self._rows: list[Record] = []
        self._table = 0
        self._layer = protocol
        self._scope = Scope(protocol)

    def flat(self) -> FlatTable:
        tables = []
        for table, layer in enumerate(self._protocol.layers):
            self._table, self._layer, self._scope = table, layer, Scope(layer)
            tables.append(self._one_table())
        return FlatTable(
            protocol=self._protocol,
            registers=self._registers,
            operands=tuple(self._operands),
            expressions=tuple(self._expressions),
            tests=tuple(self._tests),
            actions=tuple(self._actions),
            rows=tuple(self._rows),
            tables=tuple(tables),
        )

    def _one_table(self) -> Record:
        layer = self._layer
        first = len(self._rows)
        for row in layer.rows:
            self._row(row)
        numbers = {id(row): first + index for index, row in enumerate(layer.rows)}
        order: list[int] = []
        lookup = []
        for state in layer.states:
            for event in events(layer):
                found = [numbers[id(row)] for row in layer.rows_for(state, event)]
                lookup.append((len(order), len(found)))
                order += found
        return {
            "name": layer.name,
            "states": list(layer.states),
            "events": list(events(layer)),
            "lookup": lookup,
            "order": order,
            "initial": [(own.name, self._expression(own.initial)) for own in layer.variables],
            "parameters": [
                {"name": own.name, "bits": own.bits, "default": own.default} for own in layer.parameters
            ],
            "counters": list(layer.counters),
            "histograms": list(layer.histograms),
            "templates": [self._template(own) for own in layer.templates],
            "messages": [self._written(own) for own in layer.messages],
            "automata": [_automaton(Automaton(own)) for own in layer.scanners],
        }

    def _row(self, row: Row) -> None:
        first_test, first_action = len(self._tests), len(self._actions)
        self._tests += [self._test(test) for test in row.tests]
        self._actions += [self._action(action.act) for action in row.actions]
        self._rows.append(
            {
                "first_test": first_test,
                "tests": len(row.tests),
                "first_action": first_action,
                "actions": len(row.actions),
                "to": None if row.to is None else self._layer.states.index(row.to),
                "line": row.line,
            }
        )

    def _test(self, test: Test) -> Record:
        if isinstance(test, Prefix):
            return {"kind": "begins", "octets": test.octets.hex()}
        if isinstance(test, Flags):
            letters = self._scope.layout.places[test.name].letters
            value, clear = (
                sum(1 << letters.index(one) for one in set(own)) for own in (test.set, test.clear)
            )
            return {
                "kind": "mask",
                "operand": self._operand(test.name),
                "mask": value | clear,
                "value": value,
            }
        assert isinstance(test, Compare)
        bits = self._scope.compared_bits(test)
        left, right = self._expression(test.left), self._expression(test.right)
        return {"kind": test.relation.value, "left": left, "right": right, "bits": bits}

    def _action(self, act: Act) -> Record:
        return {"kind": type(act).__name__.lower(), **self._written(act)}

    def _written(self, thing: Any) -> Any:
        """A dataclass as a mapping, its expressions as their numbers."""
        if isinstance(thing, Expression):
            return self._expression(thing)
        if isinstance(thing, Enum):
            return thing.value
        if isinstance(thing, bytes):
            return thing.hex()
        if isinstance(thing, tuple):
            return [self._written(item) for item in thing]
        if hasattr(thing, "__dataclass_fields__"):
            return {own.name: self._written(getattr(thing, own.name)) for own in fields(thing)}
        return thing

    def _template(self, template: Template) -> Record:
        layout = layout_of(template.headers)
        starts, octets = {}, b""
        for header in layout.headers:
            starts[header.name] = len(octets)
            octets += header.octets
        return {
            "name": template.name,
            "octets": (octets + template.payload).hex(),
            "edits": [
                {
                    "offset": starts[name.partition(".")[0]] * 8 + layout.places[name].offset,
                    "bits": layout.places[name].bits,
                    "expression": self._expression(value),
                }
                for name, value in template.fields
            ],
            "options": [self._option(option) for option in template.options],
        }

    def _option(self, option: Option) -> Record:
        given = self._written(option)
        return {**given, "only_if": self._operand(option.only_if) if option.only_if else None}

    def _expression(self, expression: Expression) -> int:
        terms = (("", expression.first), *expression.rest)
        return _number(self._expressions, tuple((operator, self._operand(atom)) for operator, atom in terms))

    def _operand(self, atom: int | str) -> int:
        if isinstance(atom, int):
            return _number(self._operands, {"kind": "number", "value": atom})
        if atom in self._scope.variables:
            names = [(own.table, own.name) for own in self._registers]
            return _number(self._operands, {"kind": "register", "register": names.index((self._table, atom))})
        if atom in self._scope.parameters:
            return _number(self._operands, {"kind": "parameter", "table": self._table, "name": atom})
        if atom in FACTS or atom in self._scope.layout.virtual:
            return _number(self._operands, {"kind": "fact", "name": atom})
        place = self._scope.layout.places[atom]
        header = [own.name for own in self._scope.layout.headers].index(atom.partition(".")[0])
        field = {"kind": "field", "header": header, "offset": place.offset, "bits": place.bits}
        return _number(self._operands, field)


def _number(things: list[Any], thing: Any) -> int:
    if thing not in things:
        things.append(thing)
    return things.index(thing)


def _automaton(automaton: Automaton) -> Record:
    """Bytes that lead to the same states everywhere are one class."""
    columns = list(zip(*automaton.steps, strict=True))
    distinct = list(dict.fromkeys(columns))
    return {
        "name": automaton.scanner.name,
        "most": automaton.scanner.most,
        "ends": len(automaton.scanner.ends),
        "classes": [distinct.index(column) for column in columns],
        "steps": [list(state) for state in zip(*distinct, strict=True)],
        "found": [list(own) for own in automaton.found],
        "finds": [{"set": dict(own.fields), "number": own.number} for own in automaton.finds],
    }
