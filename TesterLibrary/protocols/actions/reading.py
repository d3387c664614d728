# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a number of a payload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from .schemas import Schemas, named


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
