# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares a payload with what it has to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, ClassVar

from ...model.action import Act, Checking, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from ...model.message import FILL
from .schemas import Schemas, expression, mapping, named

_LEAST_ALIKE = 8  # bytes that tell a content


@dataclass(frozen=True)
class Verify(Act):
    """Compares the next bytes of the payload with content that repeats, and takes none of them off.

    Byte `start` of the content comes first. Bytes that `lengthen` has added were not kept, so they are
    neither compared nor counted. With `alike` the payload may be of another source: the variable becomes 1
    if at least 8 bytes were compared and half of them are right, and otherwise nothing is counted.
    """

    keys: ClassVar[Schemas] = {
        "verify": mapping(
            "give a mapping: bytes, from, compared, changed, content, alike",
            {
                "bytes": expression("give how many bytes of the payload to compare at most"),
                "from": expression(
                    "give the place in the content of the first of them; the content begins at 0"
                ),
                "compared": named("give the counter of bytes that were compared"),
                "changed": named("give the counter of bytes that were others"),
                "content": named("give the text that the content repeats, if it is no body of a message"),
                "alike": named("give the variable that says whether half of the bytes are right"),
            },
            required=("bytes", "from", "compared", "changed"),
        )
    }

    octets: Expression
    start: Expression
    compared: str
    changed: str
    content: bytes
    alike: str  # empty: all is counted

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(
            octets=loading.expression(value["bytes"], (*place, "bytes")),
            start=loading.expression(value["from"], (*place, "from")),
            compared=value["compared"],
            changed=value["changed"],
            content=loading.octets(value.get("content", ""), (*place, "content")) or FILL,
            alike=value.get("alike", ""),
        )

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.packet("payload")
        for value in self.expressions:
            yield from checking.expression(value)
        for counter in (self.compared, self.changed):
            yield from checking.declared("counter", counter)
        if self.alike:
            yield from checking.variable(self.alike)

    def run(self, running: Running) -> None:
        payload = running.packet.seen[: max(0, running.value(self.octets))]
        start = running.value(self.start) % len(self.content)
        content = islice(cycle(self.content), start, start + len(payload))
        changed = sum(octet != expected for octet, expected in zip(payload, content, strict=True))
        if self.alike:
            if len(payload) < _LEAST_ALIKE or 2 * changed > len(payload):
                return
            running.variables.set(self.alike, 1)
        running.count(self.compared, Expression(len(payload)))
        if changed:
            running.count(self.changed, Expression(changed))

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {
            "verify": {
                "most": lowering.expression(self.octets),
                "start": lowering.expression(self.start),
                "compared": lowering.named("counter", self.compared),
                "changed": lowering.named("counter", self.changed),
                "content": self.content,
                **({"alike": lowering.register(self.alike)} if self.alike else {}),
            }
        }

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.octets, self.start)

    @property
    def cuts(self) -> bool:
        return True
