# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers the tests and actions of a protocol's tables to the messages of `protocol.proto`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatchmethod
from typing import Any

from ...model.action import (
    Act,
    Assign,
    Count,
    Lengthen,
    NextEvent,
    Randomize,
    Reply,
    Say,
    Scan,
    Send,
    Signal,
    Skip,
    StartTimer,
    StopTimer,
    Take,
    Transmit,
)
from ...model.action import Record as RecordTime
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
        if isinstance(act, Signal):
            yield from self._signal(act.signal)
        else:
            yield self._lower(act)

    def expression(self, expression: Expression) -> int:
        """The number of an expression."""
        return self._numbers.expression(expression, self._table, self._scope)

    def register(self, name: str) -> int:
        """The number of a register."""
        return self._numbers.register(self._table, name)

    def operand(self, atom: int | str) -> int:
        """The number of an operand."""
        return self._numbers.operand(atom, self._table, self._scope)

    def event(self, name: str, table: int | None = None) -> int:
        """The number of an event, in this table or another."""
        return self._events[self._table if table is None else table].index(name)

    def _named(self, kind: str, name: str) -> int:
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

    @singledispatchmethod
    def _lower(self, act: Any) -> Record:
        """One action: each kind has a method, which registers itself by the type of its argument."""
        raise NotImplementedError(f"the engine has no action {act!r}")

    @_lower.register
    def _assign(self, act: Assign) -> Record:
        change = f"CHANGE_{act.change.value.upper()}"
        expression = self.expression(act.to)
        return {
            "assign": {
                "change": change,
                "register": self.register(act.variable),
                "expression": expression,
            }
        }

    @_lower.register
    def _randomize(self, act: Randomize) -> Record:
        return {"randomize": self.register(act.variable)}

    @_lower.register
    def _reply(self, act: Reply) -> Record:
        swaps = {one: other for pair in act.swaps for one, other in (pair, pair[::-1])}
        values = {name: Expression(other) for name, other in swaps.items()} | dict(act.fields)
        edits = [
            {"field": field_of(self._numbers.layout, name), "expression": self.expression(value)}
            for name, value in values.items()
        ]
        keep = {} if act.keep is None else {"keep": self.expression(act.keep)}
        return {"reply": {"edits": edits, "append": act.append, **keep}}

    @_lower.register
    def _send(self, act: Send) -> Record:
        return {"send": self._named("template", act.template)}

    @_lower.register
    def _transmit(self, act: Transmit) -> Record:
        optional: Record = {}
        if act.reached:
            optional["reached"] = self.register(act.reached)
        if act.final:
            optional |= {"final": self._named("template", act.final), "closing": self.register(act.closing)}
        return {
            "transmit": {
                "template": self._named("template", act.template),
                "position": self.register(act.position),
                "end": self.expression(act.end),
                "edges": [self.expression(edge) for edge in act.edges],
                "size": self.expression(act.size),
                "most": act.most,
                **optional,
            }
        }

    @_lower.register
    def _start(self, act: StartTimer) -> Record:
        expression = self.expression(act.microseconds)
        return {"start_timer": {"timer": self._named("timer", act.timer), "expression": expression}}

    @_lower.register
    def _stop(self, act: StopTimer) -> Record:
        return {"stop_timer": self._named("timer", act.timer)}

    @_lower.register
    def _count(self, act: Count) -> Record:
        return {
            "count": {
                "counter": self._named("counter", act.counter),
                "expression": self.expression(act.by),
                "bits": self._scope.counted_bits(act),
            }
        }

    @_lower.register
    def _record(self, act: RecordTime) -> Record:
        histogram = self._named("histogram", act.histogram)
        return {"record": {"histogram": histogram, "expression": self.expression(act.since)}}

    @_lower.register
    def _step(self, act: NextEvent) -> Record:
        return {"step": self.event(act.step)}

    @_lower.register
    def _skip(self, act: Skip) -> Record:
        return {"skip": self.expression(act.octets)}

    @_lower.register
    def _lengthen(self, act: Lengthen) -> Record:
        return {"lengthen": self.expression(act.octets)}

    @_lower.register
    def _scan(self, act: Scan) -> Record:
        return {"scan": self._named("scanner", act.scanner)}

    @_lower.register
    def _take(self, act: Take) -> Record:
        return {"take": self.register(act.variable)}

    @_lower.register
    def _say(self, act: Say) -> Record:
        event = self.event("send", self._table - 1)
        return {"say": {"message": self._named("message", act.message), "event": event}}

    def _signal(self, name: str) -> Iterator[Record]:
        if name not in self._layer.up:
            yield {"tell": {"table": self._table - 1, "event": self.event(name, self._table - 1)}}
            return
        data = name == "data"
        if self._table + 1 < len(self._layers):
            yield {"call": {"event": self.event(name, self._table + 1), "data": data}}
            return
        yield {"call": {"data": data}}
        if name == "ended" and "close" in self._events[self._table]:
            yield {"tell": {"table": self._table, "event": self.event("close")}}
