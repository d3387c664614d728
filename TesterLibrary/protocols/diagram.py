# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A table as people read it: states, what happens in each, and where that leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from ..model.action import Act
from ..model.expression import Expression
from ..model.protocol import STATE_BITS, Protocol, Row
from .actions.variables import Assign, VariableChange

_SIGNS = {
    VariableChange.SET: "=",
    VariableChange.ADD: "+=",
    VariableChange.SUBTRACT: "-=",
    VariableChange.LIMIT: "at most",
    VariableChange.RAISE: "at least",
}


@dataclass(frozen=True)
class Edge:
    """The rows that lead from one state to another."""

    start: str
    end: str
    rows: tuple[Row, ...]

    @property
    def label(self) -> str:
        """Their events."""
        return ", ".join(dict.fromkeys(row.event for row in self.rows))

    @property
    def details(self) -> str:
        """Their tests, a line for each row."""
        return "\n".join(_when(row) for row in self.rows)


def edges(protocol: Protocol) -> list[Edge]:
    """The edges between different states, in the order of the states."""
    found: dict[tuple[str, str], list[Row]] = {}
    for state, row in _rows(protocol):
        if row.to and row.to != state:
            found.setdefault((state, row.to), []).append(row)
    return [Edge(start, end, tuple(rows)) for (start, end), rows in found.items()]


def text(protocol: Protocol) -> str:
    """All tables of a protocol, the lowest first."""
    parts = [f"{protocol.name}: {protocol.description}", f"packets: {protocol.stack}"]
    flow = ", ".join(" <-> ".join(key) for key in protocol.layers[0].flow)
    parts.append(f"a flow is known by: {flow or 'nothing, each packet is for itself'}")
    beside = f", {protocol.aside_bits} aside" if protocol.aside_bits else ""
    parts.append(f"kept for a flow: {protocol.state_bits - protocol.aside_bits} of {STATE_BITS} bits{beside}")
    for layer in protocol.layers:
        parts += ["", f"{layer.name}"] if layer is not protocol or protocol.over else []
        parts += _table(layer)
    return "\n".join(parts)


def _table(protocol: Protocol) -> Iterator[str]:
    for state in protocol.states:
        yield ""
        yield f"{state}{' (no flow)' if state == protocol.initial and not protocol.over else ''}"
        for row in (row for start, row in _rows(protocol) if start == state):
            yield f"  {_when(row)}{f'  → {row.to}' if row.to and row.to != state else ''}"
            for action in row.actions:
                yield f"      {act_text(action.act)}"


def _rows(protocol: Protocol) -> Iterator[tuple[str, Row]]:
    events = dict.fromkeys(row.event for row in protocol.rows)
    for state in protocol.states:
        for event in events:
            yield from ((state, row) for row in protocol.rows_for(state, event))


def _when(row: Row) -> str:
    return f"{row.event}: {' and '.join(map(str, row.tests))}" if row.tests else row.event


def act_text(act: Act) -> str:
    """One action in a line."""
    if isinstance(act, Assign):
        return f"{act.variable} {_SIGNS[act.change]} {act.to}"
    values = [getattr(act, field.name) for field in fields(act)]  # type: ignore[arg-type]
    return f"{type(act).__name__.lower()} {' '.join(filter(None, map(_said, values)))}".rstrip()


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_said(item) for item in value)
    return str(value) if isinstance(value, Expression | str | int) else repr(value) if value else ""
