# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether an action of a row can be done."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.expression import Expression
from ..model.protocol import TIMER_BITS, Protocol, Row
from .findings import expression_problems, no_packet, unknown
from .scope import NameScope


class ActCheck:
    """Checks the actions of a row. `bare`: there may be no packet in hand."""

    def __init__(self, row: Row, table: Protocol, scope: NameScope, *, bare: bool) -> None:
        self.event = row.event
        self.acts = tuple(action.act for action in row.actions)
        self.ends = row.to == table.initial
        self.is_told = "send" in table.down
        self.can_say = bool(table.over and "send" in table.over.down)
        self._table, self._scope, self._bare = table, scope, bare
        self._known = {
            "timer": table.timers,
            "counter": table.counters,
            "histogram": table.histograms,
            "step": table.steps,
            "signal": table.over.down if table.over else table.up,
            "scanner": tuple(scanner.name for scanner in table.scanners),
            "message": tuple(message.name for message in table.messages),
        }

    def begins(self, step: str) -> bool:
        """Whether a flow that has just ended can begin anew by this step."""
        return bool(self._table.rows_for(self._table.initial, step))

    def declared(self, kind: str, name: str) -> Iterator[str]:
        """That there is such a timer, counter, histogram, step, signal, scanner or message."""
        if name not in self._known[kind]:
            yield unknown(kind, name, self._known[kind])

    def variable(self, name: str) -> Iterator[str]:
        """That there is such a variable."""
        if name not in self._scope.variables:
            yield unknown("variable", name, tuple(self._scope.variables))

    def expression(self, expression: Expression, *, to: str = "") -> Iterator[str]:
        """That all it names is there, and that a number fits the variable or timer `to`."""
        yield from self._expression(expression, self.bits(to))

    def bits(self, variable: str) -> int | None:
        """The width of a variable, or of a timer; None where there is none."""
        if variable in self._scope.variables:
            return self._scope.variables[variable].bits
        return TIMER_BITS if variable in self._table.timers else None

    def _expression(self, expression: Expression, bits: int | None) -> Iterator[str]:
        found = expression_problems(expression, self._scope, 0, bare=self._bare, bits=bits)
        yield from (text for _, text in found)

    def packet(self, what: str) -> Iterator[str]:
        """That a packet is in hand."""
        if self._bare:
            yield no_packet(what)

    def field(self, name: str, value: Expression) -> Iterator[str]:
        """That there is such a field, which the value fits."""
        places = self._scope.layout.places
        if name in places:
            yield from self._expression(value, places[name].bits)
        else:
            yield self._scope.layout.unknown(name)

    def swap(self, one: str, other: str) -> Iterator[str]:
        """That there are such fields, of one width."""
        places = self._scope.layout.places
        missing = [name for name in (one, other) if name not in places]
        yield from map(self._scope.layout.unknown, missing)
        if not missing and places[one].bits != places[other].bits:
            widths = f"{one} has {places[one].bits} bits and {other} has {places[other].bits}"
            yield f"{widths}; swap fields of one width"

    def template(self, name: str) -> Iterator[str]:
        """That there is such a template, which has all that it reads."""
        templates = {template.name: template for template in self._table.templates}
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
