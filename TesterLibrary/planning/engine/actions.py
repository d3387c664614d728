# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers the tests and actions of a protocol's tables to the messages of `protocol.proto`."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.action import Act
from ...model.condition import Compare, Flags, Prefix, Test
from ...model.expression import Expression
from ...model.protocol import Protocol
from ...protocols.name_check import events
from ...protocols.scope import NameScope
from .numbers import FlatNumbers, Record, field_of


class FlatActions:
    """Lowers the tests and actions of one table of a protocol."""

    def __init__(self, protocol: Protocol, table: int, numbers: FlatNumbers) -> None:
        self._layers, self._table, self._numbers = protocol.layers, table, numbers
        self._layer = protocol.layers[table]
        self._scope = NameScope(self._layer)
        self._events = [list(events(layer)) for layer in protocol.layers]
        self._names = {
            "timer": sorted(self._layer.timers),
            "counter": list(self._layer.counters),
            "histogram": list(self._layer.histograms),
            "template": [template.name for template in self._layer.templates],
            "message": [message.name for message in self._layer.messages],
            "scanner": [scanner.name for scanner in self._layer.scanners],
        }

    def test(self, test: Test) -> Record:
        """One test of a row."""
        if isinstance(test, Prefix):
            return {"begins": test.octets}
        if isinstance(test, Compare):
            return {"compare": self._compare(test)}
        return {"mask": self._mask(test)}

    def actions(self, act: Act) -> Iterator[Record]:
        """The action, or the actions that replace it where there is no table above."""
        yield from act.lower(self)

    def expression(self, expression: Expression) -> int:
        """The number of an expression."""
        return self._numbers.expression(expression, self._table, self._scope)

    def register(self, name: str) -> int:
        """The number of a register."""
        return self._numbers.register(self._table, name)

    def operand(self, atom: int | str) -> int:
        """The number of an operand."""
        return self._numbers.operand(atom, self._table, self._scope)

    def event(self, name: str, *, below: int = 0) -> int:
        """The number of an event, in this table or in one so many tables below it."""
        return self._events[self._table - below].index(name)

    def field(self, name: str) -> Record:
        """The place of a field of the packets."""
        return field_of(self._numbers.layout, name)

    def counted_bits(self, expression: Expression) -> int:
        """Bits of the value that a counter gets."""
        return self._scope.counted_bits(expression)

    def named(self, kind: str, name: str) -> int:
        """The number of a timer, counter, histogram, template, message or scanner."""
        return self._names[kind].index(name)

    def _compare(self, test: Compare) -> Record:
        return {
            "relation": f"RELATION_{test.relation.value.upper()}",
            "left": self.expression(test.left),
            "right": self.expression(test.right),
            "bits": self._scope.compared_bits(test),
        }

    def _mask(self, test: Flags) -> Record:
        letters = self._scope.layout.places[test.name].letters
        value, clear = (
            sum(1 << letters.index(letter) for letter in set(flags)) for flags in (test.set, test.clear)
        )
        return {"operand": self.operand(test.name), "mask": value | clear, "value": value}

    def signal(self, name: str) -> Iterator[Record]:
        """The records that tell another table of the flow about a signal."""
        if name not in self._layer.up:
            yield {"tell": {"table": self._table - 1, "event": self.event(name, below=1)}}
            return
        data = name == "data"
        if self._table + 1 < len(self._layers):
            yield {"call": {"event": self.event(name, below=-1), "data": data}}
            return
        yield {"call": {"data": data}}
        if name == "ended" and "close" in self._events[self._table]:
            yield {"tell": {"table": self._table, "event": self.event("close")}}
