# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One gress of a pipeline: its parser, its control and its deparser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .control import Control
from .expressions import Values
from .octets import Reader, TooShort, Writer
from .parser import Parser
from .passing import Passing
from .scope import Scope, kind_of
from .tree import Node, arguments
from .types import Types, copied, packed


@dataclass(frozen=True)
class Passed:
    """A packet behind a gress: its bytes, what the chip is told of it by the name of the type, and copies."""

    octets: bytes
    told: dict[str, Any]
    copies: tuple[tuple[int, bytes], ...] = ()  # by mirror session


class Gress:
    """A parser, a control and a deparser, which have headers and metadata in common."""

    def __init__(
        self, parser: Parser, control: Control, deparser: Control, types: Types, port_metadata: int
    ) -> None:
        """`port_metadata`: bits between the chip's metadata and a frame."""
        self._parser, self._control, self._deparser = parser, control, deparser
        scopes = [part.scope for part in (parser, control, deparser)]
        self._kinds = {kind_of(kind): kind for scope in scopes for _, kind in scope.parameters}
        self._intrinsic = next(name for name in self._kinds if name.endswith("gress_intrinsic_metadata_t"))
        self._held = {
            name: types.zero(kind) for name, kind in self._kinds.items() if not name.startswith("packet_")
        }
        self._local = {
            id(scope): {name: types.zero(kind) for name, kind in scope.variables.items()} for scope in scopes
        }
        metadata = self._kinds[self._intrinsic]
        self._before = types.layout(metadata), types.width(metadata) // 8
        self._of_port = bytes(port_metadata // 8)
        self.tables = [table for scope in scopes for table in scope.tables]

    def run(self, octets: bytes, passing: Passing, **intrinsic: int) -> Passed | None:
        """A packet behind this gress. None: the parser of an ingress has dropped it.

        Args:
            octets: Its bytes.
            passing: What its controls find and leave.
            intrinsic: Fields of the metadata that the chip gives to the parser or to the control.
        """
        held = copied(self._held)
        for whole in held.values():
            whole.update((name, value) for name, value in intrinsic.items() if name in whole)
        layout, length = self._before
        before = packed(layout, held[self._intrinsic]).to_bytes(length, "big")
        reader, writer = Reader(before + self._of_port + octets), Writer()
        held |= {"packet_in": reader, "packet_out": writer}
        if not self._parsed(self._values(self._parser.scope, held, passing)) and self._of_port:
            return None
        self._control.run(self._values(self._control.scope, held, passing))
        self._deparser.run(self._values(self._deparser.scope, held, passing))
        behind = writer.octets() + reader.rest()
        original = (
            octets if self._of_port else behind
        )  # an ingress copies what arrived, an egress what leaves
        copies = tuple((session, header + original) for session, header in passing.mirrored)
        return Passed(behind, held, copies)

    def _parsed(self, values: Values) -> bool:
        try:
            return self._parser.run(values)
        except TooShort:
            return False

    def _values(self, scope: Scope, held: dict[str, Any], passing: Passing) -> Values:
        values: Values = copied(self._local[id(scope)])
        values.update((name, held[kind_of(kind)]) for name, kind in scope.parameters)
        values["$"] = passing
        return values


def gresses(node: Node, parts: dict[str, Node], types: Types, port_metadata: int) -> tuple[Gress, Gress]:
    """The ingress and the egress of a declared pipeline."""
    pipeline = node["name"]
    names = [one["constructedType"]["path"]["name"] for one in arguments(node)]

    def gress(chosen: list[str], of_port: int) -> Gress:
        nodes = [parts[name] for name in chosen]
        scopes = [Scope(one, types, pipeline, port_metadata) for one in nodes]
        parser = Parser(nodes[0], scopes[0])
        control, deparser = (Control(*each) for each in zip(nodes[1:], scopes[1:], strict=True))
        return Gress(parser, control, deparser, types, of_port)

    return gress(names[:3], port_metadata), gress(names[3:6], 0)
