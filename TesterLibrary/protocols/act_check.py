# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether an action of a row can be done."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.action import (
    Act,
    Assign,
    Count,
    Lengthen,
    NextEvent,
    Randomize,
    Record,
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
from ..model.expression import Expression
from ..model.protocol import Protocol, Row
from .expression_check import expression_problems, no_packet
from .findings import unknown
from .scope import NameScope


def act_problems(act: Act, row: Row, protocol: Protocol, scope: NameScope, *, bare: bool) -> Iterator[str]:
    """The texts of all mistakes in an action. `bare`: there may be no packet in hand."""
    check = _Check(row, protocol, scope, bare)
    if isinstance(act, Assign):
        yield from check.variable(act.variable)
        variable = scope.variables.get(act.variable)
        yield from check.expression(act.to, variable.bits if variable else None)
    elif isinstance(act, Randomize | Take):
        yield from check.variable(act.variable)
        yield from check.packet("payload") if isinstance(act, Take) else ()
    elif isinstance(act, Reply):
        yield from check.reply(act)
    elif isinstance(act, Send):
        yield from check.template(act.template)
    elif isinstance(act, Transmit):
        yield from check.transmit(act)
    elif isinstance(act, StartTimer):
        yield from check.declared("timer", act.timer, protocol.timers)
        yield from check.expression(act.microseconds, 32)
    elif isinstance(act, StopTimer):
        yield from check.declared("timer", act.timer, protocol.timers)
    elif isinstance(act, Count):
        yield from check.declared("counter", act.counter, protocol.counters)
        yield from check.expression(act.by)
    elif isinstance(act, Record):
        yield from check.declared("histogram", act.histogram, protocol.histograms)
        yield from check.expression(act.since)
    else:
        yield from check.handing_on(act)


class _Check:
    def __init__(self, row: Row, protocol: Protocol, scope: NameScope, bare: bool) -> None:
        self._row, self._protocol, self._scope, self._bare = row, protocol, scope, bare

    def declared(self, kind: str, name: str, known: tuple[str, ...]) -> Iterator[str]:
        if name not in known:
            yield unknown(kind, name, known)

    def variable(self, name: str) -> Iterator[str]:
        yield from self.declared("variable", name, tuple(self._scope.variables))

    def expression(self, expression: Expression, bits: int | None = None) -> Iterator[str]:
        found = expression_problems(expression, self._scope, 0, bare=self._bare, bits=bits)
        yield from (text for _, text in found)

    def packet(self, what: str) -> Iterator[str]:
        if self._bare:
            yield no_packet(what)

    def reply(self, act: Reply) -> Iterator[str]:
        yield from self.packet("reply")
        places = self._scope.layout.places
        for name in (name for pair in act.swaps for name in pair):
            if name not in places:
                yield self._scope.layout.unknown(name)
        for one, other in act.swaps:
            if one in places and other in places and places[one].bits != places[other].bits:
                widths = f"{one} has {places[one].bits} bits and {other} has {places[other].bits}"
                yield f"{widths}; swap fields of one width"
        for name, value in act.fields:
            if name in places:
                yield from self.expression(value, places[name].bits)
            else:
                yield self._scope.layout.unknown(name)
        if act.keep is not None:
            yield from self.expression(act.keep)

    def template(self, name: str) -> Iterator[str]:
        templates = {template.name: template for template in self._protocol.templates}
        if name not in templates:
            yield unknown("template", name, templates)
            return
        if not self._bare:
            return
        values = [value for _, value in templates[name].fields]
        values += [value for option in templates[name].options for value in option.values]
        for read in dict.fromkeys(read for value in values for read in value.names):
            if self._scope.of_packet(read):
                yield f"the template {name!r} takes {no_packet(read)}"

    def transmit(self, act: Transmit) -> Iterator[str]:
        yield from self.variable(act.position)
        for value in (act.end, act.size, *act.edges):
            yield from self.expression(value)
        yield from self.template(act.template)
        yield from self.variable(act.reached) if act.reached else ()
        if bool(act.final) != bool(act.closing):
            yield "final and if go together: the template, and the variable that says that it is to be sent"
        elif act.final:
            yield from self.template(act.final)
            yield from self.variable(act.closing)
        if "send" not in self._protocol.down:
            yield "a message to send comes from above, with the signal send: signals: {down: [send]}"

    def handing_on(self, act: Act) -> Iterator[str]:
        """Mistakes of an action that hands on to another table, a step or a scanner."""
        protocol = self._protocol
        if isinstance(act, Signal):
            yield from self.declared(
                "signal", act.signal, protocol.over.down if protocol.over else protocol.up
            )
        elif isinstance(act, NextEvent):
            yield from self.declared("step", act.step, protocol.steps)
            if self._row.actions[-1].act is not act:
                yield "`then` comes last: what follows it would be done before it"
            if act.step == self._row.event or self._row.to == protocol.initial:
                yield (
                    "`then` leads nowhere: the flow has ended"
                    if self._row.to
                    else "`then` leads back to itself"
                )
        elif isinstance(act, Skip | Lengthen):
            yield from self.packet("payload")
            yield from self.expression(act.octets)
        elif isinstance(act, Scan):
            yield from self.packet("payload")
            yield from self.declared(
                "scanner", act.scanner, tuple(scanner.name for scanner in protocol.scanners)
            )
        elif isinstance(act, Say):
            yield from self.declared(
                "message", act.message, tuple(message.name for message in protocol.messages)
            )
            if not protocol.over or "send" not in protocol.over.down:
                yield "a message is for a protocol below that has the signal `send`, such as over: tcp"
