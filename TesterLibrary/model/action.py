# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of an action of a row; each action is a class in `protocols/actions/`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from .expression import Expression

Place = tuple[str | int, ...]
Record = dict[str, Any]  # a message of `protocol.proto`, by the names of its fields
Fields = tuple[tuple[str, Expression], ...]


class Loading(Protocol):
    """The file that actions are read from."""

    def expression(self, value: Any, place: Place) -> Expression:
        """An expression."""

    def fields(self, data: Mapping[str, Any], place: Place) -> Fields:
        """Names, and the expression of each."""

    def time(self, value: Any, place: Place) -> Expression:
        """A time with its unit, or an expression of microseconds."""

    def octets(self, value: str, place: Place) -> bytes:
        """The bytes of a text."""


class Checking(Protocol):
    """The row that an action is checked in. Its methods yield the texts of all mistakes."""

    @property
    def event(self) -> str:
        """The event of the row."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """All actions of the row."""

    @property
    def ends(self) -> bool:
        """Whether the row ends the flow."""

    def begins(self, step: str) -> bool:
        """Whether a flow that has just ended can begin anew by this step."""

    @property
    def is_told(self) -> bool:
        """Whether a table above can give the table messages to send."""

    @property
    def can_say(self) -> bool:
        """Whether the table can give the one below it messages to send."""

    def bits(self, variable: str) -> int | None:
        """The width of a variable; None where there is none."""

    def declared(self, kind: str, name: str) -> Iterator[str]:
        """That there is such a timer, counter, histogram, step, signal, scanner or message."""

    def variable(self, name: str) -> Iterator[str]:
        """That there is such a variable."""

    def expression(self, expression: Expression, *, to: str = "") -> Iterator[str]:
        """That all it names is there, and that a number fits the variable `to`."""

    def packet(self, what: str) -> Iterator[str]:
        """That a packet is in hand."""

    def field(self, name: str, value: Expression) -> Iterator[str]:
        """That there is such a field, which the value fits."""

    def swap(self, one: str, other: str) -> Iterator[str]:
        """That there are such fields, of one width."""

    def template(self, name: str) -> Iterator[str]:
        """That there is such a template, which has all that it reads."""


class InHand(Protocol):
    """The packet in hand."""

    @property
    def left(self) -> int:
        """Bytes that are not taken."""

    @property
    def seen(self) -> bytes:
        """The bytes that are not taken and whose content is known."""

    def take(self, octets: int) -> int:
        """Takes up to so many bytes off the payload, and returns how many."""

    def lengthen(self, octets: int) -> None:
        """Notes that so many bytes which arrived earlier follow its payload in the stream."""

    def set_ahead(self, octets: int) -> None:
        """Notes the number of bytes of the stream that are missing before its payload."""

    def read_name(self, at: int) -> int:
        """The number of a domain name, 0 if it is not whole. At 0 it is the payload's, and is taken off."""


class Variables(Protocol):
    """The variables of a flow."""

    def __getitem__(self, name: str) -> int: ...

    def set(self, name: str, value: int) -> None:
        """Sets a variable to a value modulo 2^bits."""

    def bits(self, name: str) -> int:
        """The width of a variable."""


class Running(Protocol):
    """The flow that an action is done for, in the reference interpreter."""

    @property
    def variables(self) -> Variables:
        """The variables of the table."""

    @property
    def packet(self) -> InHand:
        """The packet in hand; the checker has seen to it that there is one."""

    def value(self, expression: Expression) -> int:
        """The exact value of an expression."""

    def random(self, bits: int) -> int:
        """A random number of at least so many bits."""

    def start(self, timer: str, microseconds: int) -> None:
        """Starts or restarts a timer."""

    def stop(self, timer: str) -> None:
        """Stops a timer, if it runs."""

    def count(self, counter: str, by: Expression) -> None:
        """Adds to a counter."""

    def record(self, histogram: str, since: int) -> None:
        """Adds the time since then to a histogram."""

    def follow(self, event: str) -> None:
        """Raises an event of the table once the row is done."""

    def signal(self, name: str) -> None:
        """Tells the other table of the flow."""

    def say(self, message: str) -> None:
        """Gives the table below a message."""

    def scan(self, scanner: str) -> None:
        """Runs a scanner over the payload."""

    def reply(
        self, fields: Fields, swaps: tuple[tuple[str, str], ...], keep: Expression | None, append: bytes
    ) -> None:
        """Sends the packet in hand back."""

    def send(self, template: str) -> None:
        """Sends a template."""

    def transmit(self, act: Any) -> None:
        """Sends as much of the message as a Transmit allows."""


class Lowering(Protocol):
    """The table that actions are lowered to, where everything has a number."""

    def expression(self, expression: Expression) -> int:
        """The number of an expression."""

    def register(self, name: str) -> int:
        """The number of a variable."""

    def named(self, kind: str, name: str) -> int:
        """The number of a timer, counter, histogram, template, message or scanner."""

    def event(self, name: str, *, below: int = 0) -> int:
        """The number of an event of the table, or of one so many tables below."""

    def field(self, name: str) -> Record:
        """The place of a field."""

    def counted_bits(self, expression: Expression) -> int:
        """Bits of the value that a counter gets."""

    def signal(self, name: str) -> Iterator[Record]:
        """The records that tell another table of the flow about a signal."""


class Act(ABC):
    """One action of a row. Each subclass registers itself by its `keys`.

    `schema` says for each of them what the protocol file may have there. A row of a file has a mapping of one
    key; `load` makes one act or more of its value. `lower` says what it is in `protocol.proto`.
    """

    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    known: ClassVar[dict[str, type[Act]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Act.known |= dict.fromkeys(cls.keys, cls)

    @classmethod
    @abstractmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        """The actions that a file gives by this key and value."""

    @abstractmethod
    def check(self, checking: Checking) -> Iterator[str]:
        """The texts of all mistakes."""

    @abstractmethod
    def run(self, running: Running) -> None:
        """Does it."""

    @abstractmethod
    def lower(self, lowering: Lowering) -> Iterator[Record]:
        """The messages of `protocol.proto` that do it in an engine."""

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The values that it works out."""
        return ()

    @property
    def cuts(self) -> bool:
        """Whether it takes bytes of a payload off, adds some, or compares them, which a switch cannot."""
        return False

    @property
    def consumes(self) -> bool:
        """Whether a circle of steps ends because it takes bytes off the payload."""
        return False

    @property
    def raises(self) -> tuple[str, ...]:
        """The events that may follow from it, with the same packet in hand."""
        return ()


@dataclass(frozen=True)
class Action:
    """One act, and where it is written."""

    act: Act
    line: int = field(default=0, compare=False)
