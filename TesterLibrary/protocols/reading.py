# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that rows of a table read, and the tests that they make, for one flow at one time."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.condition import Compare, Flags, Prefix, Relation, Test
from ..model.expression import Expression
from .flow import Flow
from .packet import InHand
from .scope import NameScope

CLOCK = (1 << 32) - 1  # microseconds, or milliseconds: its highest value


class Reading:
    """Reads values for one table of a flow and the packet in hand; they are exact and may be negative."""

    def __init__(
        self,
        scope: NameScope,
        parameters: Mapping[str, int],
        flow: Flow,
        layer: int,
        packet: InHand | None,
        *,
        now: int,
    ) -> None:
        self._scope, self._parameters, self._flow, self._packet = scope, parameters, flow, packet
        self._layer = flow.layers[layer]
        self._above = flow.layers[layer + 1] if layer + 1 < len(flow.layers) else None
        self._now = now

    def read(self, name: str) -> int:
        """The value of a variable, parameter, fact or field."""
        if name in self._layer.variables:
            return self._layer.variables[name]
        if name in self._parameters:
            return self._parameters[name]
        if name == "now":
            return self._now & CLOCK
        if name == "now_ms":
            return self._now // 1000 & CLOCK
        if name in ("consumed", "scanned"):
            return self._flow.consumed if name == "consumed" else self._flow.scanned
        if name == "message.length":
            return self._above.message_length() if self._above else 0
        assert self._packet is not None, f"{name} without a packet"  # the checker has seen to it
        return self._packet.read(name)

    def value(self, expression: Expression) -> int:
        """The exact value of an expression."""
        return expression.value(self.read)

    def holds(self, test: Test) -> bool:
        """Whether a test holds for the flow and the packet in hand."""
        if isinstance(test, Prefix):
            return self._packet is not None and self._packet.frame.payload.startswith(test.octets)
        if isinstance(test, Flags):
            letters = self._scope.layout.places[test.name].letters
            flags = {letter for bit, letter in enumerate(letters) if self.read(test.name) >> bit & 1}
            return flags.issuperset(test.set) and flags.isdisjoint(test.clear)
        return self._compare(test)

    def _compare(self, test: Compare) -> bool:
        bits = self._scope.compared_bits(test)
        mask, half = (1 << bits) - 1, 1 << (bits - 1)
        left, right = self.value(test.left) & mask, self.value(test.right) & mask
        ahead = (left - right) & mask
        return {
            Relation.IS: left == right,
            Relation.NOT: left != right,
            Relation.BELOW: left < right,
            Relation.AT_MOST: left <= right,
            Relation.ABOVE: left > right,
            Relation.AT_LEAST: left >= right,
            Relation.BEFORE: ahead >= half,
            Relation.NOT_AFTER: ahead == 0 or ahead >= half,
            Relation.AFTER: 0 < ahead < half,
            Relation.NOT_BEFORE: ahead < half,
        }[test.relation]
