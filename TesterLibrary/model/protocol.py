# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A protocol as a table: an extended finite-state machine (norma §4.1) that is data.

A flow is in a state and has variables. An event finds the first row of its state whose tests all hold; the
row's actions are done in turn, and the flow is then in the row's next state. A flow in the first state is not
stored: whatever leads there ends the flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from .action import Action
from .condition import Test
from .expression import NOTHING, Expression
from .headers import HeaderStack
from .message import Message
from .scanner import Scanner
from .template import Template

STATE_BITS = 416  # most for a flow: a cache line less the 12 bytes by which its timers wake it
ASIDE_BITS = 512  # most beside it, for variables that few packets need
TIMER_BITS = 32  # when it is due, in microseconds
LONGEST_TIMER = (1 << 31) - 1  # microseconds from now: half the range of a timer's bits
SCANNER_BITS = 32  # its progress: a state, and the bytes so far
PLACE_BITS = 8  # number of a state or of a message
EVENTS = ("packet", "start", "stop")  # besides timers, signals, steps and scanners


@dataclass(frozen=True)
class Row:
    """A row applies in its states, on its event, if all its tests hold; leads to `to` (None: no change)."""

    states: tuple[str, ...]  # empty: all states without an own row that has no tests
    event: str
    tests: tuple[Test, ...]
    actions: tuple[Action, ...]
    to: str | None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Variable:
    """Bits of a flow; `initial` may read parameters."""

    name: str
    bits: int
    initial: Expression = NOTHING
    line: int = field(default=0, compare=False)
    aside: bool = False  # few packets need it


class Measure(Enum):
    """Units in which a number of a table is written."""

    NUMBER = "number"  # or address: without a unit
    TIME = "time"  # microseconds, written with a unit
    DATA = "data"  # bytes, written with a unit or without


@dataclass(frozen=True)
class Parameter:
    """A value that a job can set, the same for all its flows."""

    name: str
    bits: int
    default: int
    line: int = field(default=0, compare=False)
    measure: Measure = Measure.NUMBER  # as its default is written, a job has to write it


@dataclass(frozen=True)
class Protocol:
    """One file, checked as a whole by `protocols/checker.py`."""

    path: Path
    name: str
    description: str
    states: tuple[str, ...]  # a flow begins and ends in the first one
    rows: tuple[Row, ...]
    headers: HeaderStack | None = None  # None: its packets are those of the table below
    over: Protocol | None = None
    translated: bool = False  # its file is written over IP, and this is the table over IPv6
    shared: bool = False  # its packets are for all hosts of a port
    flow: tuple[tuple[str, ...], ...] = ()  # fields that identify a flow; the second of a pair is the reply's
    variables: tuple[Variable, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    counters: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()  # counters of flows that have failed
    unread: tuple[tuple[str, str], ...] = ()  # failures that are the tester's, and what it could not read
    histograms: tuple[str, ...] = ()
    timers: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    up: tuple[str, ...] = ()  # signals to a table above
    down: tuple[str, ...] = ()  # signals from it
    templates: tuple[Template, ...] = ()
    messages: tuple[Message, ...] = ()
    scanners: tuple[Scanner, ...] = ()
    packets_line: int = field(default=0, compare=False)  # line of its headers, or of over

    @property
    def initial(self) -> str:
        """The state of a flow that is not stored."""
        return self.states[0]

    @property
    def layers(self) -> tuple[Protocol, ...]:
        """The tables of a flow, the lowest first."""
        return (*(self.over.layers if self.over else ()), self)

    @property
    def stack(self) -> HeaderStack:
        """Headers of the packets that the protocol is for."""
        stack = self.layers[0].headers
        assert stack is not None  # the schema asks for one of headers and over
        return stack

    @property
    def state_bits(self) -> int:
        """Bits of state of a flow, in all its tables."""
        return sum(bits for layer in self.layers for _, bits in layer.registers())

    @property
    def aside_bits(self) -> int:
        """Bits of that state that are kept aside."""
        kept = [(bits, name in layer.aside) for layer in self.layers for name, bits in layer.registers()]
        return sum(bits for bits, aside in kept if aside)

    @property
    def aside(self) -> frozenset[str]:
        """Names of the variables and scanners that this table keeps aside."""
        variables = (variable.name for variable in self.variables if variable.aside)
        return frozenset([*variables, *(scanner.name for scanner in self.scanners if scanner.aside)])

    @property
    def times_out(self) -> bool:
        """Whether a timer of one of its tables may end a flow: it changes the state, or raises an event."""
        return any(
            row.event in layer.timers
            and (row.to is not None or any(action.act.raises for action in row.actions))
            for layer in self.layers
            for row in layer.rows
        )

    def registers(self) -> Iterator[tuple[str, int]]:
        """The state that this table keeps for a flow, by name and bits."""
        if len(self.states) > 1:
            yield "state", PLACE_BITS
        if self.messages:
            yield "message", PLACE_BITS
        yield from ((variable.name, variable.bits) for variable in self.variables)
        yield from ((timer, TIMER_BITS) for timer in self.timers)
        yield from ((scanner.name, SCANNER_BITS) for scanner in self.scanners)

    def rows_for(self, state: str, event: str) -> tuple[Row, ...]:
        """Rows for an event in a state, in the order in which they are tried."""
        rows = [row for row in self.rows if row.event == event and state in row.states]
        if not any(not row.tests for row in rows):
            rows += [row for row in self.rows if row.event == event and not row.states]
        return tuple(rows)
