# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that expressions of a table can read, and their widths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ..errors import did_you_mean
from ..model.condition import Compare
from ..model.expression import Expression
from ..model.headers import HeaderStack
from ..model.protocol import Parameter, Protocol, Variable
from .layout import Layout

# Values that are neither fields nor kept for a flow: their bits, and whether they need a packet in hand.
FACTS: Mapping[str, tuple[int, bool]] = {
    "payload.length": (16, True),  # bytes, of all that arrived
    "payload.left": (32, True),  # bytes not yet skipped, scanned or taken, with those that `lengthen` added
    "payload.ahead": (32, True),  # bytes of the stream that are missing before it, as `ahead` has said
    "frame.length": (16, True),  # bytes, without FCS and padding
    "consumed": (32, False),  # bytes that the table above took of the payload at the last signal
    "scanned": (16, False),  # bytes that the last scan took
    "message.length": (32, False),  # bytes of the message that the table above has given
    "now": (32, False),  # microseconds, of a clock that never goes back; modulo 2^32, which is 71 minutes
    "now_ms": (32, False),  # milliseconds of the same clock; modulo 2^32, which is 49 days
}


_layouts: dict[tuple[str, str], Layout] = {}


def layout_of(stack: HeaderStack) -> Layout:
    """The layout of a stack, which is made once."""
    key = str(stack), repr(stack.types)  # its types are mappings, which have no hash
    if key not in _layouts:
        _layouts[key] = Layout(stack)
    return _layouts[key]


class NameScope:
    """The names that one table can use."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.layout = layout_of(protocol.stack)
        self.variables: Mapping[str, Variable] = {variable.name: variable for variable in protocol.variables}
        self.parameters: Mapping[str, Parameter] = {
            parameter.name: parameter for parameter in protocol.parameters
        }

    @cached_property
    def known(self) -> tuple[str, ...]:
        """All names."""
        fields = (*self.layout.places, *self.layout.virtual)
        return (*self.variables, *self.parameters, *FACTS, *fields)

    def bits(self, name: str) -> int | None:
        """The width of a value; None if there is nothing to read by this name."""
        for register in (self.variables.get(name), self.parameters.get(name)):
            if register is not None:
                return register.bits
        return FACTS[name][0] if name in FACTS else self.layout.bits(name)

    def of_packet(self, name: str) -> bool:
        """Whether a value can only be read while a packet is in hand."""
        return FACTS[name][1] if name in FACTS else self.layout.bits(name) is not None

    def unknown(self, name: str) -> str:
        """The error for an unknown name, which lists the known ones."""
        if "." in name and name.partition(".")[0] in {header.name for header in self.layout.headers}:
            return self.layout.unknown(name)
        registers = ", ".join((*self.variables, *self.parameters)) or "none"
        headers = ", ".join(header.name for header in self.layout.headers)
        return (
            f"there is no {name!r}{did_you_mean(name, self.known)}; there are the variables and parameters "
            f"{registers}, fields of {headers}, and {', '.join(FACTS)}"
        )

    def width(self, expression: Expression) -> int:
        """Bits of the widest value that an expression reads; for a constant, the bits that it needs."""
        widths = [self.bits(name) or 1 for name in expression.names]
        constant = expression.constant
        return max(widths) if widths else max(1, (constant or 0).bit_length())

    def compared_bits(self, test: Compare) -> int:
        """The bits that a test compares: the width of the wider side that is not constant."""
        sides = [side for side in (test.left, test.right) if side.constant is None]
        return max((self.width(side) for side in sides), default=1)

    def counted_bits(self, by: Expression) -> int:
        """The bits of a counted value: the width of the expression, at most the 64 of a counter."""
        return min(64, self.width(by))
