# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a number or a name of a payload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, expression, mapping, named

_NAME_BITS = 64


@dataclass(frozen=True)
class Read(Act):
    """Takes a number off the payload: as many bytes as its variable has, the highest one first.

    Bytes that are not there, or of which only the number is known, are 0.
    """

    keys: ClassVar[Schemas] = {"read": named("give the variable, of whole bytes, that a number is read into")}

    variable: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.variable)
        yield from checking.packet("payload")
        bits = checking.bits(self.variable)
        if bits and bits % 8:
            yield f"{self.variable} has {bits} bits; a number that is read has whole bytes: 8, 16, 24 …"

    def run(self, running: Running) -> None:
        octets = running.variables.bits(self.variable) // 8
        there = running.packet.seen[:octets].ljust(octets, b"\0")
        running.packet.take(octets)
        running.variables.set(self.variable, int.from_bytes(there, "big"))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"read": lowering.register(self.variable)}

    @property
    def cuts(self) -> bool:
        return True

    @property
    def consumes(self) -> bool:
        return True


@dataclass(frozen=True)
class ReadName(Act):
    """Reads a domain name (RFC 1035 §4.1.4) into a variable of 64 bits, as a number that equal names share.

    Letter case does not matter (RFC 4343). The number is 0 if the name is cut or has a wrong pointer. `at` is
    where it begins, counted from the innermost header. Without `at` it is taken off the payload.
    """

    keys: ClassVar[Schemas] = {
        "read_name": mapping(
            "give a mapping: to, at",
            {
                "to": named("give the variable of 64 bits that gets the number of the name"),
                "at": expression("give where the name begins, counted from the innermost header"),
            },
            required=("to",),
        )
    }

    variable: str
    at: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value["to"], loading.expression(value.get("at", 0), (*place, "at")))

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.variable)
        yield from checking.packet("payload")
        yield from checking.expression(self.at)
        bits = checking.bits(self.variable)
        if bits and bits != _NAME_BITS:
            yield f"{self.variable} has {bits} bits; the number of a name has {_NAME_BITS}"

    def run(self, running: Running) -> None:
        running.variables.set(self.variable, running.packet.read_name(running.value(self.at)))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {
            "read_name": {"register": lowering.register(self.variable), "at": lowering.expression(self.at)}
        }

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.at,)

    @property
    def cuts(self) -> bool:
        return True

    @property
    def consumes(self) -> bool:
        return self.at.constant == 0
