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

from .expression import NOTHING, Expression
from .headers import HeaderStack

STATE_BITS = 512  # of a flow: one cache line
TIMER_BITS = 32  # when it is due, in microseconds
LONGEST_TIMER = (1 << 31) - 1  # microseconds from now: half of what the bits of a timer can tell apart
SCANNER_BITS = 32  # how far it is: a state, and the bytes so far
PLACE_BITS = 8  # which state, which message
EVENTS = ("packet", "start")  # besides timers, signals, steps and scanners


class Relation(str, Enum):
    """Of the left side of a test to the right one; the last four are of sequence numbers (RFC 1982)."""

    IS = "is"
    NOT = "not"
    BELOW = "below"
    AT_MOST = "at_most"
    ABOVE = "above"
    AT_LEAST = "at_least"
    BEFORE = "before"
    NOT_AFTER = "not_after"
    AFTER = "after"
    NOT_BEFORE = "not_before"


@dataclass(frozen=True)
class Compare:
    """`left relation right`, modulo 2^bits of the wider side."""

    left: Expression
    relation: Relation
    right: Expression
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.left} {self.relation.value.replace('_', ' ')} {self.right}"


@dataclass(frozen=True)
class Flags:
    """Of a field of flags, by their letters: those that have to be set, and clear."""

    name: str
    set: str = ""
    clear: str = ""
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        wanted = [f"{'+' * bool(self.set)}{self.set}", f"{'-' * bool(self.clear)}{self.clear}"]
        return f"{self.name} {' '.join(filter(None, wanted))}"


@dataclass(frozen=True)
class Prefix:
    """What the payload begins with."""

    octets: bytes
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"payload begins with {self.octets!r}"


Test = Compare | Flags | Prefix


class Change(str, Enum):
    """What becomes of a variable."""

    SET = "set"
    ADD = "add"
    SUBTRACT = "subtract"
    LIMIT = "limit"  # to the smaller of itself and what is given
    RAISE = "raise"  # to the larger one


@dataclass(frozen=True)
class Assign:
    """Changes a variable, modulo 2^bits of it."""

    change: Change
    variable: str
    to: Expression


@dataclass(frozen=True)
class Randomize:
    """Gives a variable random bits."""

    variable: str


@dataclass(frozen=True)
class Reply:
    """Sends the packet in hand back, its fields changed; all values are read before any is set."""

    fields: tuple[tuple[str, Expression], ...] = ()
    swaps: tuple[tuple[str, str], ...] = ()
    keep: Expression | None = None  # bytes of the payload that stay; None: all
    append: bytes = b""  # after them; a template's place for values is a field of the headers


@dataclass(frozen=True)
class Send:
    """Sends a template."""

    template: str


@dataclass(frozen=True)
class Transmit:
    """Sends the message from `position` to `end`, not beyond any of `edges`: a template each `size` bytes.

    Positions are sequence numbers. At most `most` templates are sent. The message ends at `end`; or, where
    `closing` is not 0, one before it, and the last position has no byte but is the template `final`.
    """

    template: str
    position: str  # a variable; moves on
    end: Expression
    edges: tuple[Expression, ...]
    size: Expression
    most: int
    reached: str = ""  # a variable: the furthest position ever
    final: str = ""
    closing: str = ""


@dataclass(frozen=True)
class StartTimer:
    """Starts or restarts a timer; at 0 it is due once the work in hand is done."""

    timer: str
    microseconds: Expression


@dataclass(frozen=True)
class StopTimer:
    """Stops a timer, if it runs."""

    timer: str


@dataclass(frozen=True)
class Count:
    """Adds to a counter of the whole job."""

    counter: str
    by: Expression


@dataclass(frozen=True)
class Record:
    """Adds the time since a variable was set to `now` to a histogram of the whole job."""

    histogram: str
    since: Expression


@dataclass(frozen=True)
class Signal:
    """Tells the other table of the flow. Upwards at once; downwards when the row is done."""

    signal: str


@dataclass(frozen=True)
class Step:
    """Looks the same event up again, as another one, when the row is done."""

    step: str


@dataclass(frozen=True)
class Skip:
    """Leaves out the first bytes of the payload, such as those that came before."""

    octets: Expression


@dataclass(frozen=True)
class Scan:
    """Runs a scanner over the payload from where it is on."""

    scanner: str


@dataclass(frozen=True)
class Take:
    """Takes bytes of the payload off, as many as a variable says at most, and off the variable."""

    variable: str


@dataclass(frozen=True)
class Say:
    """Gives the table below a message to send, by its signal `send`."""

    message: str


Act = (
    Assign | Randomize | Reply | Send | Transmit | StartTimer | StopTimer | Count | Record | Signal | Step
    | Skip | Scan | Take | Say
)  # fmt: skip


@dataclass(frozen=True)
class Action:
    """One act, and where it is written."""

    act: Act
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Row:
    """In these states, on this event, when all tests hold: do, and be in `to` (None: stay)."""

    states: tuple[str, ...]  # empty: all that have no row of their own without tests
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


@dataclass(frozen=True)
class Parameter:
    """What a job can set, the same for all its flows."""

    name: str
    bits: int
    default: int
    line: int = field(default=0, compare=False)


class OptionKind(str, Enum):
    """Options of TCP."""

    MSS = "mss"
    WINDOW_SCALE = "window_scale"
    SACK_PERMITTED = "sack_permitted"
    TIMESTAMP = "timestamp"


@dataclass(frozen=True)
class Option:
    """An option of TCP with its values; it is there unless `only_if` is a variable that is 0."""

    kind: OptionKind
    values: tuple[Expression, ...]
    only_if: str = ""


@dataclass(frozen=True)
class Template:
    """A packet that is sent. Its fields are as in the headers, but as in `fields`, or else of the flow."""

    name: str
    headers: HeaderStack
    fields: tuple[tuple[str, Expression], ...] = ()
    options: tuple[Option, ...] = ()
    payload: bytes = b""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Number:
    """A variable of a message's text, decimal, with a fixed number of digits: blanks or zeros before it."""

    name: str
    digits: int
    fill: str


@dataclass(frozen=True)
class Message:
    """Bytes for a stream: a text with numbers in it, then `body` bytes of `fill`, over and over."""

    name: str
    text: tuple[bytes | Number, ...]
    body: Expression = NOTHING
    fill: bytes = bytes(range(256))
    line: int = field(default=0, compare=False)

    @property
    def text_length(self) -> int:
        """Bytes; the same whatever the numbers are."""
        return sum(part.digits if isinstance(part, Number) else len(part) for part in self.text)


@dataclass(frozen=True)
class Find:
    """Text that a scanner looks for; sets variables, or reads the decimal number behind it into one."""

    text: bytes
    at_start: bool = False
    ignore_case: bool = False
    fields: tuple[tuple[str, int], ...] = ()
    number: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Scanner:
    """Looks for texts in a stream, however it is cut into packets, up to and including the first `end`.

    It raises the event of its name at the end, and `name.overlong` after `most` bytes without one.
    """

    name: str
    ends: tuple[Find, ...]
    finds: tuple[Find, ...] = ()
    most: int = 8192
    line: int = field(default=0, compare=False)

    @property
    def overlong(self) -> str:
        """Its other event."""
        return f"{self.name}.overlong"


@dataclass(frozen=True)
class Protocol:
    """One file, checked as a whole by `protocols/checker.py`."""

    path: Path
    name: str
    description: str
    states: tuple[str, ...]  # the first is where a flow begins and ends
    rows: tuple[Row, ...]
    headers: HeaderStack | None = None  # None: its packets are those of the table below
    over: Protocol | None = None
    flow: tuple[tuple[str, ...], ...] = ()  # fields by which it is known; of a pair, the other is the reply's
    variables: tuple[Variable, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    counters: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()  # those of its counters that say of a flow that it has failed
    histograms: tuple[str, ...] = ()
    timers: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    up: tuple[str, ...] = ()  # signals to a table above
    down: tuple[str, ...] = ()  # signals from it
    templates: tuple[Template, ...] = ()
    messages: tuple[Message, ...] = ()
    scanners: tuple[Scanner, ...] = ()

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
        """Of the packets it is for."""
        stack = self.layers[0].headers
        assert stack is not None  # the schema asks for one of headers and over
        return stack

    @property
    def state_bits(self) -> int:
        """Of a flow, in all its tables."""
        return sum(bits for layer in self.layers for _, bits in layer.registers())

    def registers(self) -> Iterator[tuple[str, int]]:
        """What this table keeps for a flow, by name and bits."""
        if len(self.states) > 1:
            yield "state", PLACE_BITS
        if self.messages:
            yield "message", PLACE_BITS
        yield from ((variable.name, variable.bits) for variable in self.variables)
        yield from ((timer, TIMER_BITS) for timer in self.timers)
        yield from ((scanner.name, SCANNER_BITS) for scanner in self.scanners)

    def rows_for(self, state: str, event: str) -> tuple[Row, ...]:
        """In the order in which they are tried."""
        own = [row for row in self.rows if row.event == event and state in row.states]
        if not any(not row.tests for row in own):
            own += [row for row in self.rows if row.event == event and not row.states]
        return tuple(own)
