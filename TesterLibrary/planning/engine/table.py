# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a protocol to flat arrays that refer to each other by number, so that an engine needs no search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...model.protocol import Protocol, Row
from ...protocols.flow import Layer
from ...protocols.name_check import events
from ...protocols.parameters import parameter_values
from .actions import FlatActions
from .numbers import FlatNumbers, Record, field_of, octets
from .sending import flat_headers, flat_message, flat_scanner, flat_template


@dataclass(frozen=True)
class FlatTable:
    """`message` is a Protocol of `protocol.proto`, by the names of its fields."""

    protocol: Protocol
    message: Record
    registers: Record  # number of each register, by table and name

    def record(self) -> Record:
        """The table as it is written to JSON, with the names of the states, events and rows in its arrays."""
        names = [
            {
                "states": list(layer.states),
                "events": list(events(layer)),
                "lines": [row.line for row in layer.rows],
            }
            for layer in self.protocol.layers
        ]
        head = {"protocol": self.protocol.name, "target": "engine", "kept": self.registers, "names": names}
        return {**head, **_json(self.message)}

    def summary(self) -> str:
        """A summary for people."""
        counts = {
            name: len(self.message[name]) for name in ("rows", "tests", "actions", "expressions", "operands")
        }
        bits = sum(register["bits"] for register in self.message["registers"])
        return f"{self.protocol.name} on engine: {bits} bits for a flow, " + ", ".join(
            f"{count} {name}" for name, count in counts.items()
        )

    @property
    def counters(self) -> tuple[tuple[str, str], ...]:
        """Table and name of each counter, in the order of `EndCounters`."""
        return tuple((layer.name, name) for layer in self.protocol.layers for name in layer.counters)

    @property
    def failures(self) -> tuple[int, ...]:
        """The indices in `counters` of those that count failures of flows."""
        failing = {(layer.name, name) for layer in self.protocol.layers for name in layer.failures}
        return tuple(index for index, counter in enumerate(self.counters) if counter in failing)

    @property
    def histograms(self) -> tuple[tuple[str, str], ...]:
        """Table and name of each histogram, in that order."""
        return tuple((layer.name, name) for layer in self.protocol.layers for name in layer.histograms)


def flat_table(protocol: Protocol, parameters: Mapping[str, object] | None = None) -> FlatTable:
    """Lowers a checked protocol, with values for some of its parameters.

    Raises:
        PlanError: a flow does not fit, or a parameter is not there or does not fit.
    """
    return _Flattener(protocol, parameter_values(protocol, parameters or {})).flat()


class _Flattener:
    """Lowers the tables of a protocol one after the other."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, int]) -> None:
        self._protocol, self._parameters = protocol, parameters
        self._numbers = FlatNumbers(protocol, parameters)
        self._tests: list[Record] = []
        self._actions: list[Record] = []
        self._rows: list[Record] = []

    def flat(self) -> FlatTable:
        tables = [self._table(table, layer) for table, layer in enumerate(self._protocol.layers)]
        numbers = self._numbers
        message = {
            "name": self._protocol.name,
            "headers": flat_headers(numbers.layout, announced=True),
            "flow": self._flow(),
            "registers": [
                {"offset": register.offset, "bits": register.bits} for register in numbers.registers
            ],
            "operands": numbers.operands,
            "expressions": numbers.expressions,
            "tests": self._tests,
            "actions": self._actions,
            "rows": self._rows,
            "tables": tables,
        }
        names = {
            f"{register.table} {register.name}": index for index, register in enumerate(numbers.registers)
        }
        return FlatTable(self._protocol, message, names)

    def _flow(self) -> list[Record]:
        """The flow fields; the opposite of a field in a pair is the field after or before it."""
        fields: list[Record] = []
        for key in self._protocol.layers[0].flow:
            for index, name in enumerate(key):
                opposite = len(fields) + (1 - 2 * index if len(key) == 2 else 0)
                fields.append({"field": field_of(self._numbers.layout, name), "opposite": opposite})
        return fields

    def _keys(self) -> dict[str, int]:
        names = [name for key in self._protocol.layers[0].flow for name in key]
        return {name: field["opposite"] for name, field in zip(names, self._flow(), strict=True)}

    def _table(self, table: int, layer: Protocol) -> Record:
        actions = FlatActions(self._protocol, table, self._numbers)
        first = len(self._rows)
        for row in layer.rows:
            self._row(row, layer, actions)
        return {
            "name": layer.name,
            "states": len(layer.states),
            "events": len(events(layer)),
            **_lookup(layer, first),
            **self._places(table, layer),
            "variables": self._variables(table, layer),
            "timers": [
                {"register": actions.register(name), "event": actions.event(name)}
                for name in sorted(layer.timers)
            ],
            "counters": list(layer.counters),
            "histograms": list(layer.histograms),
            "templates": [flat_template(template, self._keys(), actions) for template in layer.templates],
            "messages": [flat_message(message, actions) for message in layer.messages],
            "scanners": [flat_scanner(scanner, actions) for scanner in layer.scanners],
        }

    def _places(self, table: int, layer: Protocol) -> Record:
        found = {name: self._numbers.find_register(table, name) for name in ("state", "message")}
        variables = {variable.name for variable in layer.variables}
        return {
            name: register
            for name, register in found.items()
            if register is not None and name not in variables
        }

    def _variables(self, table: int, layer: Protocol) -> list[Record]:
        values = Layer(layer, self._parameters).variables
        return [
            {"register": self._numbers.register(table, name), "initial": octets(value)}
            for name, value in values.items()
        ]

    def _row(self, row: Row, layer: Protocol, actions: FlatActions) -> None:
        tests = [actions.test(test) for test in row.tests]
        done = [record for action in row.actions for record in actions.actions(action.act)]
        self._rows.append(
            {
                "first_test": len(self._tests),
                "tests": len(tests),
                "first_action": len(self._actions),
                "actions": len(done),
                **({} if row.to is None else {"to": layer.states.index(row.to)}),
            }
        )
        self._tests += tests
        self._actions += done


def _lookup(layer: Protocol, first: int) -> Record:
    """The rows of each state and event, in the order in which they are tried."""
    numbers = {id(row): first + index for index, row in enumerate(layer.rows)}
    order: list[int] = []
    starts: list[int] = []
    counts: list[int] = []
    for state in layer.states:
        for event in events(layer):
            found = [numbers[id(row)] for row in layer.rows_for(state, event)]
            starts.append(len(order))
            counts.append(len(found))
            order += found
    return {"first": starts, "count": counts, "order": order}


def _json(thing: Any) -> Any:
    """A message for JSON, with bytes as hexadecimal digits."""
    if isinstance(thing, bytes):
        return thing.hex()
    if isinstance(thing, dict):
        return {name: _json(value) for name, value in thing.items()}
    return [_json(value) for value in thing] if isinstance(thing, list) else thing
