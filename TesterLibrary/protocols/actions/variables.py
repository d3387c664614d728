# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions that change variables of a flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, each, listed, named


class VariableChange(str, Enum):
    """Ways to change a variable."""

    SET = "set"
    ADD = "add"
    SUBTRACT = "subtract"
    LIMIT = "limit"  # to the smaller of itself and what is given
    RAISE = "raise"  # to the larger one


@dataclass(frozen=True)
class Assign(Act):
    """Changes a variable, modulo 2^bits of it."""

    keys: ClassVar[Schemas] = {
        change.value: each("give, for each variable, a value") for change in VariableChange
    }

    change: VariableChange
    variable: str
    to: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield from (cls(VariableChange(key), name, to) for name, to in loading.fields(value, place))

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.variable)
        yield from checking.expression(self.to, to=self.variable)

    def run(self, running: Running) -> None:
        now, value = running.variables[self.variable], running.value(self.to)
        changed = {
            VariableChange.SET: value,
            VariableChange.ADD: now + value,
            VariableChange.SUBTRACT: now - value,
            VariableChange.LIMIT: min(now, value),
            VariableChange.RAISE: max(now, value),
        }
        running.variables.set(self.variable, changed[self.change])

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        expression = lowering.expression(self.to)
        change = f"CHANGE_{self.change.value.upper()}"
        register = lowering.register(self.variable)
        yield {"assign": {"change": change, "register": register, "expression": expression}}

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.to,)


@dataclass(frozen=True)
class Randomize(Act):
    """Gives a variable random bits."""

    keys: ClassVar[Schemas] = {"random": listed("give variables", named("give a variable"))}

    variable: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield from map(cls, value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.variable)

    def run(self, running: Running) -> None:
        variables = running.variables
        variables.set(self.variable, running.random(variables.bits(self.variable)))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"randomize": lowering.register(self.variable)}
