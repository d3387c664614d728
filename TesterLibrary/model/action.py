# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions of a row of a protocol's table."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from .expression import Expression


class VariableChange(str, Enum):
    """Ways to change a variable."""

    SET = "set"
    ADD = "add"
    SUBTRACT = "subtract"
    LIMIT = "limit"  # to the smaller of itself and what is given
    RAISE = "raise"  # to the larger one


@dataclass(frozen=True)
class Assign:
    """Changes a variable, modulo 2^bits of it."""

    change: VariableChange
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
    append: bytes = b""  # added after them; values of variables belong in header fields


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
class NextEvent:
    """Looks the same event up again, as another one, when the row is done."""

    step: str


@dataclass(frozen=True)
class Skip:
    """Leaves out the first bytes of the payload, such as those that came before."""

    octets: Expression


@dataclass(frozen=True)
class Lengthen:
    """Adds bytes behind the payload that came before the packet in hand, of which only the number was kept.

    They are there to be skipped and taken, and not to be scanned. Fewer than one is none.
    """

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
    Assign | Randomize | Reply | Send | Transmit | StartTimer | StopTimer | Count | Record | Signal
    | NextEvent | Skip | Lengthen | Scan | Take | Say
)  # fmt: skip


@dataclass(frozen=True)
class Action:
    """One act, and where it is written."""

    act: Act
    line: int = field(default=0, compare=False)
