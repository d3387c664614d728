# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions on the payload of the packet in hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, expression, named


@dataclass(frozen=True)
class _Cut(Act):
    """Moves the begin or the end of the payload by a number of bytes."""

    octets: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(loading.expression(value, place))

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.packet("payload")
        yield from checking.expression(self.octets)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.octets,)

    @property
    def cuts(self) -> bool:
        return True


@dataclass(frozen=True)
class Skip(_Cut):
    """Leaves out the first bytes of the payload, such as those that came before."""

    keys: ClassVar[Schemas] = {"skip": expression("give the bytes of the payload to leave out")}

    def run(self, running: Running) -> None:
        running.packet.take(running.value(self.octets))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"skip": lowering.expression(self.octets)}


@dataclass(frozen=True)
class Lengthen(_Cut):
    """Adds bytes behind the payload that came before the packet in hand, of which only the number was kept.

    They are there to be skipped and taken, and not to be scanned. Fewer than one is none.
    """

    keys: ClassVar[Schemas] = {
        "lengthen": expression("give how many bytes that came before belong behind the payload")
    }

    def run(self, running: Running) -> None:
        running.packet.lengthen(running.value(self.octets))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"lengthen": lowering.expression(self.octets)}


@dataclass(frozen=True)
class Ahead(_Cut):
    """Says that bytes of the stream are missing before the payload: `payload.ahead`."""

    keys: ClassVar[Schemas] = {
        "ahead": expression("give how many bytes of the stream are missing before the payload")
    }

    def run(self, running: Running) -> None:
        running.packet.set_ahead(running.value(self.octets))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"ahead": lowering.expression(self.octets)}


@dataclass(frozen=True)
class Scan(Act):
    """Runs a scanner over the payload from where it is on."""

    keys: ClassVar[Schemas] = {"scan": named("give a scanner")}

    scanner: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.packet("payload")
        yield from checking.declared("scanner", self.scanner)

    def run(self, running: Running) -> None:
        running.scan(self.scanner)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"scan": lowering.named("scanner", self.scanner)}


@dataclass(frozen=True)
class Take(Act):
    """Takes bytes of the payload off, as many as a variable says at most, and off the variable."""

    keys: ClassVar[Schemas] = {
        "take": named("give the variable that says how many bytes to take off the payload")
    }

    variable: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.variable)
        yield from checking.packet("payload")

    def run(self, running: Running) -> None:
        wanted = running.variables[self.variable]
        running.variables.set(self.variable, wanted - running.packet.take(wanted))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"take": lowering.register(self.variable)}

    @property
    def cuts(self) -> bool:
        return True
