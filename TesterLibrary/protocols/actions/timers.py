# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions on the timers of a flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, each, listed, named


@dataclass(frozen=True)
class StartTimer(Act):
    """Starts or restarts a timer; at 0 it is due once the work in hand is done."""

    keys: ClassVar[Schemas] = {"start": each("give, for each timer, microseconds or a time such as 200 ms")}

    timer: str
    microseconds: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield from (cls(name, loading.time(time, (*place, name))) for name, time in value.items())

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("timer", self.timer)
        yield from checking.expression(self.microseconds, to=self.timer)

    def run(self, running: Running) -> None:
        running.start(self.timer, running.value(self.microseconds))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        expression = lowering.expression(self.microseconds)
        yield {"start_timer": {"timer": lowering.named("timer", self.timer), "expression": expression}}

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.microseconds,)


@dataclass(frozen=True)
class StopTimer(Act):
    """Stops a timer, if it runs."""

    keys: ClassVar[Schemas] = {
        "stop": {
            "description": "give a timer or a list of timers",
            "anyOf": [named("give a timer"), listed("give timers", named("give a timer"))],
        }
    }

    timer: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield from map(cls, [value] if isinstance(value, str) else value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("timer", self.timer)

    def run(self, running: Running) -> None:
        running.stop(self.timer)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"stop_timer": lowering.named("timer", self.timer)}
