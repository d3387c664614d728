# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Actions that send frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.action import Act, Checking, Fields, Loading, Lowering, Place, Record, Running
from ...model.expression import Expression
from .schemas import Schemas, each, expression, listed, mapping, named


@dataclass(frozen=True)
class Send(Act):
    """Sends a template."""

    keys: ClassVar[Schemas] = {"send": named("give a template")}

    template: str

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        yield cls(value)

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.template(self.template)

    def run(self, running: Running) -> None:
        running.send(self.template)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        yield {"send": lowering.named("template", self.template)}


@dataclass(frozen=True)
class Reply(Act):
    """Sends the packet in hand back, its fields changed; all values are read before any is set."""

    keys: ClassVar[Schemas] = {
        "reply": mapping(
            "give a mapping of swap, set, keep, append; {} for the packet as it is",
            {
                "swap": listed(
                    "give pairs of fields",
                    {**listed("give two fields", named("give a field"), 2), "minItems": 2},
                    256,
                ),
                "set": each("give, for each field, what it is set to"),
                "keep": expression("give the bytes of the payload that are kept"),
                "append": named("give what is put behind the payload"),
            },
        )
    }

    fields: Fields = ()
    swaps: tuple[tuple[str, str], ...] = ()
    keep: Expression | None = None  # bytes of the payload that stay; None: all
    append: bytes = b""  # added after them; values of variables belong in header fields

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        keep = value.get("keep")
        yield cls(
            fields=loading.fields(value.get("set", {}), (*place, "set")),
            swaps=tuple((one, other) for one, other in value.get("swap", ())),
            keep=None if keep is None else loading.expression(keep, (*place, "keep")),
            append=loading.octets(value.get("append", ""), (*place, "append")),
        )

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.packet("reply")
        for one, other in self.swaps:
            yield from checking.swap(one, other)
        for name, value in self.fields:
            yield from checking.field(name, value)
        if self.keep is not None:
            yield from checking.expression(self.keep)

    def run(self, running: Running) -> None:
        running.reply(self.fields, self.swaps, self.keep, self.append)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        swaps = {one: other for pair in self.swaps for one, other in (pair, pair[::-1])}
        values = {name: Expression(other) for name, other in swaps.items()} | dict(self.fields)
        edits = [
            {"field": lowering.field(name), "expression": lowering.expression(value)}
            for name, value in values.items()
        ]
        keep = {} if self.keep is None else {"keep": lowering.expression(self.keep)}
        yield {"reply": {"edits": edits, "append": self.append, **keep}}

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(value for _, value in self.fields)

    @property
    def cuts(self) -> bool:
        return self.keep is not None and self.keep.constant != 0


@dataclass(frozen=True)
class Transmit(Act):
    """Sends the message from `position` to `end`, not beyond any of `edges`: a template each `size` bytes.

    Positions are sequence numbers. At most `most` templates are sent. The message ends at `end`; or, where
    `closing` is not 0, one before it, and the last position has no byte but is the template `final`.
    """

    keys: ClassVar[Schemas] = {
        "transmit": mapping(
            "give a mapping: template, from, to, edge, size, most, reached, final, if",
            {
                "template": named("give a template"),
                "from": named("give the variable of the position to send from; it moves on"),
                "to": expression("give the position where the message ends"),
                "edge": {
                    "description": "give the position that the peer's window allows, or a list of which the "
                    "nearest counts",
                    "type": ["integer", "string", "array"],
                    "minItems": 1,
                    "maxItems": 8,
                    "items": expression(),
                },
                "size": expression("give the most bytes in a packet"),
                "most": {
                    "description": "give the most packets at a time, 1 to 255",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 255,
                },
                "final": named("give the template for the last position, which has no byte of the message"),
                "if": named(
                    "give the variable that says, if it is not 0, that the last position is the final one"
                ),
                "reached": named("give the variable that keeps the furthest position that was ever sent to"),
            },
            required=("template", "from", "to", "edge", "size", "most"),
        )
    }

    template: str
    position: str  # a variable; moves on
    end: Expression
    edges: tuple[Expression, ...]
    size: Expression
    most: int
    reached: str = ""  # a variable: the furthest position ever
    final: str = ""
    closing: str = ""

    @classmethod
    def load(cls, key: str, value: Any, loading: Loading, place: Place) -> Iterator[Act]:
        end, size = (loading.expression(value[name], (*place, name)) for name in ("to", "size"))
        edges = value["edge"] if isinstance(value["edge"], list) else [value["edge"]]
        yield cls(
            template=value["template"],
            position=value["from"],
            end=end,
            edges=tuple(loading.expression(edge, (*place, "edge")) for edge in edges),
            size=size,
            most=value["most"],
            reached=value.get("reached", ""),
            final=value.get("final", ""),
            closing=value.get("if", ""),
        )

    def check(self, checking: Checking) -> Iterator[str]:
        yield from checking.variable(self.position)
        for value in (self.end, self.size, *self.edges):
            yield from checking.expression(value)
        yield from checking.template(self.template)
        yield from checking.variable(self.reached) if self.reached else ()
        if bool(self.final) != bool(self.closing):
            yield "final and if go together: the template, and the variable that says that it is to be sent"
        elif self.final:
            yield from checking.template(self.final)
            yield from checking.variable(self.closing)
        if not checking.is_told:
            yield "a message to send comes from above, with the signal send: signals: {down: [send]}"

    def run(self, running: Running) -> None:
        running.transmit(self)

    def lower(self, lowering: Lowering) -> Iterator[Record]:
        optional: Record = {}
        if self.reached:
            optional["reached"] = lowering.register(self.reached)
        if self.final:
            final = lowering.named("template", self.final)
            optional |= {"final": final, "closing": lowering.register(self.closing)}
        yield {
            "transmit": {
                "template": lowering.named("template", self.template),
                "position": lowering.register(self.position),
                "end": lowering.expression(self.end),
                "edges": [lowering.expression(edge) for edge in self.edges],
                "size": lowering.expression(self.size),
                "most": self.most,
                **optional,
            }
        }
