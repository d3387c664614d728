# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions that count, for all flows of a job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, each, named

_EACH = "give, for each counter, what is added"


@dataclass(frozen=True)
class Count(Act):
    """Adds to a counter of the whole job."""

    keys: ClassVar[Schemas] = {
        "count": {
            "description": "give a counter, or, for each counter, what is added",
            "anyOf": [named("give a counter"), each(_EACH)],
        }
    }

    counter: str
    by: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        counted = {value: 1} if isinstance(value, str) else value
        yield from (cls(name, by) for name, by in loading.fields(counted, place))

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("counter", self.counter)
        yield from checking.expression(self.by)

    def run(self, running: Running) -> None:
        running.count(self.counter, self.by)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {
            "count": {
                "counter": lowering.named("counter", self.counter),
                "expression": lowering.expression(self.by),
                "bits": lowering.counted_bits(self.by),
            }
        }

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.by,)


@dataclass(frozen=True)
class Example(Act):
    """Keeps the packet in hand as the example of a counter, whose connection verdicts name.

    An engine does; this does not change what is counted.
    """

    keys: ClassVar[Schemas] = {"example": named("give the counter that the packet is an example of")}

    counter: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.packet("a packet")
        yield from checking.declared("counter", self.counter)

    def run(self, running: Running) -> None:
        """Frames are not kept here."""

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"example": lowering.named("counter", self.counter)}

    @property
    def cuts(self) -> bool:
        return True


@dataclass(frozen=True)
class RecordTime(Act):
    """Adds the time since a variable was set to `now` to a histogram of the whole job."""

    keys: ClassVar[Schemas] = {"record": each("give, for each histogram, the variable that was set to now")}

    histogram: str
    since: Expression

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield from (cls(name, since) for name, since in loading.fields(value, place))

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.declared("histogram", self.histogram)
        yield from checking.expression(self.since)

    def run(self, running: Running) -> None:
        running.record(self.histogram, running.value(self.since))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        histogram = lowering.named("histogram", self.histogram)
        yield {"record": {"histogram": histogram, "expression": lowering.expression(self.since)}}
