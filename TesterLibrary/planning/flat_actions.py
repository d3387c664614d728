# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests and actions of a protocol's tables as `protocol.proto` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..model.action import (
    Act,
    Assign,
    Count,
    Lengthen,
    Randomize,
    Reply,
    Say,
    Scan,
    Send,
    Signal,
    Skip,
    StartTimer,
    Step,
    StopTimer,
    Take,
    Transmit,
)
from ..model.action import Record as RecordTime
from ..model.condition import Compare, Flags, Prefix, Test
from ..model.expression import Expression
from ..model.protocol import Protocol
from ..protocols.name_check import events
from ..protocols.scope import Scope
from .flat_numbers import FlatNumbers, Record, field_of


class FlatActions:
    """Of one table of a protocol."""

    def __init__(self, protocol: Protocol, table: int, numbers: FlatNumbers) -> None:
        self._layers, self._table, self._numbers = protocol.layers, table, numbers
        self._own = protocol.layers[table]
        self._scope = Scope(self._own)
        self._events = [list(events(layer)) for layer in protocol.layers]
        self._names = {
            "timer": sorted(self._own.timers),
            "counter": list(self._own.counters),
            "histogram": list(self._own.histograms),
            "template": [own.name for own in self._own.templates],
            "message": [own.name for own in self._own.messages],
            "scanner": [own.name for own in self._own.scanners],
        }

    def test(self, test: Test) -> Record:
        """One of a row."""
        if isinstance(test, Prefix):
            return {"begins": test.octets}
        if isinstance(test, Compare):
            return {"compare": self._compare(test)}
        return {"mask": self._mask(test)}

    def actions(self, act: Act) -> Iterator[Record]:
        """One, or what takes its place where there is no table above."""
        if isinstance(act, Signal):
            yield from self._signal(act.signal)
        else:
            yield _ACTIONS[type(act)](self, act)

    def expression(self, expression: Expression) -> int:
        """Its number."""
        return self._numbers.expression(expression, self._table, self._scope)

    def register(self, name: str) -> int:
        """Its number."""
        return self._numbers.register(self._table, name)

    def operand(self, atom: int | str) -> int:
        """Its number."""
        return self._numbers.operand(atom, self._table, self._scope)

    def event(self, name: str, table: int | None = None) -> int:
        """Its number, in this table or another."""
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
        value, clear = (sum(1 << letters.index(one) for one in set(own)) for own in (test.set, test.clear))
        return {"operand": self.operand(test.name), "mask": value | clear, "value": value}

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

    def _reply(self, act: Reply) -> Record:
        swaps = {one: other for pair in act.swaps for one, other in (pair, pair[::-1])}
        values = {name: Expression(other) for name, other in swaps.items()} | dict(act.fields)
        edits = [
            {"field": field_of(self._numbers.layout, name), "expression": self.expression(value)}
            for name, value in values.items()
        ]
        keep = {} if act.keep is None else {"keep": self.expression(act.keep)}
        return {"reply": {"edits": edits, "append": act.append, **keep}}

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

    def _start(self, act: StartTimer) -> Record:
        expression = self.expression(act.microseconds)
        return {"start_timer": {"timer": self._named("timer", act.timer), "expression": expression}}

    def _count(self, act: Count) -> Record:
        return {
            "count": {
                "counter": self._named("counter", act.counter),
                "expression": self.expression(act.by),
                "bits": self._scope.counted_bits(act),
            }
        }

    def _record(self, act: RecordTime) -> Record:
        histogram = self._named("histogram", act.histogram)
        return {"record": {"histogram": histogram, "expression": self.expression(act.since)}}

    def _say(self, act: Say) -> Record:
        event = self.event("send", self._table - 1)
        return {"say": {"message": self._named("message", act.message), "event": event}}

    def _signal(self, name: str) -> Iterator[Record]:
        if name not in self._own.up:
            yield {"tell": {"table": self._table - 1, "event": self.event(name, self._table - 1)}}
            return
        data = name == "data"
        if self._table + 1 < len(self._layers):
            yield {"call": {"event": self.event(name, self._table + 1), "data": data}}
            return
        yield {"call": {"data": data}}
        if name == "ended" and "close" in self._events[self._table]:
            yield {"tell": {"table": self._table, "event": self.event("close")}}


_ACTIONS: Mapping[type, Callable[[FlatActions, Any], Record]] = {
    Assign: FlatActions._assign,
    Randomize: lambda own, act: {"randomize": own.register(act.variable)},
    Reply: FlatActions._reply,
    Send: lambda own, act: {"send": own._named("template", act.template)},
    Transmit: FlatActions._transmit,
    StartTimer: FlatActions._start,
    StopTimer: lambda own, act: {"stop_timer": own._named("timer", act.timer)},
    Count: FlatActions._count,
    RecordTime: FlatActions._record,
    Step: lambda own, act: {"step": own.event(act.step)},
    Skip: lambda own, act: {"skip": own.expression(act.octets)},
    Lengthen: lambda own, act: {"lengthen": own.expression(act.octets)},
    Scan: lambda own, act: {"scan": own._named("scanner", act.scanner)},
    Take: lambda own, act: {"take": own.register(act.variable)},
    Say: FlatActions._say,
}
