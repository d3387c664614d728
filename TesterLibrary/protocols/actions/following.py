# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions that hand on: to a step of the table, or to the other table of the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from .schemas import Schemas, named


@dataclass(frozen=True)
class NextEvent(Act):
    """Looks the same event up again, as another one, when the row is done."""

    keys: ClassVar[Schemas] = {"then": named("give a step")}

    step: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("step", self.step)
        if checking.acts[-1] is not self:
            yield "`then` comes last: what follows it would be done before it"
        if checking.ends and not checking.begins(self.step):
            yield f"`then` leads nowhere: the flow has ended, and its first state has no {self.step!r}"
        elif self.step == checking.event and not any(act.consumes for act in checking.acts):
            yield "`then` leads back to itself"

    def run(self, running: Running) -> None:
        running.follow(self.step)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"step": lowering.event(self.step)}

    @property
    def raises(self) -> tuple[str, ...]:
        return (self.step,)


@dataclass(frozen=True)
class Signal(Act):
    """Tells the other table of the flow. Upwards at once; downwards when the row is done."""

    keys: ClassVar[Schemas] = {"signal": named("give a signal")}

    signal: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("signal", self.signal)

    def run(self, running: Running) -> None:
        running.signal(self.signal)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield from lowering.signal(self.signal)

    @property
    def raises(self) -> tuple[str, ...]:
        return (self.signal,)


@dataclass(frozen=True)
class Say(Act):
    """Gives the table below a message to send, by its signal `send`."""

    keys: ClassVar[Schemas] = {"say": named("give a message")}

    message: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("message", self.message)
        if not checking.can_say:
            yield "a message is for a protocol below that has the signal `send`, such as over: tcp"

    def run(self, running: Running) -> None:
        running.say(self.message)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        event = lowering.event("send", below=1)
        yield {"say": {"message": lowering.named("message", self.message), "event": event}}
