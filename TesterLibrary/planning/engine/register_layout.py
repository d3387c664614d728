# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lays out a flow's variables in its cache line, or aside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import PlanError
from ...model.protocol import ASIDE_BITS, STATE_BITS, Protocol

_WORD = 64
_LINE = (0, STATE_BITS)  # the first bit, and the number of bits
_ASIDE = (-(-STATE_BITS // _WORD) * _WORD, ASIDE_BITS)


@dataclass(frozen=True)
class Register:
    """A register of a table; table 0 is the lowest. Bit offset 0 is the lowest bit of the first byte."""

    table: int
    name: str
    offset: int
    bits: int


def registers(protocol: Protocol) -> tuple[Register, ...]:
    """The registers, the widest first, each in one word of 64 bits; a wider one begins with a word.

    Registers that are kept aside come behind the words of the line.

    Raises:
        PlanError: they fit by their number of bits, but not with these bounds.
    """
    aside = {(table, name) for table, layer in enumerate(protocol.layers) for name in layer.aside}
    wanted = [
        (table, name, bits) for table, layer in enumerate(protocol.layers) for name, bits in layer.registers()
    ]
    line = _placed(protocol, (register for register in wanted if register[:2] not in aside), *_LINE)
    return (*line, *_placed(protocol, (register for register in wanted if register[:2] in aside), *_ASIDE))


def _placed(
    protocol: Protocol, wanted: Iterable[tuple[int, str, int]], begin: int, room: int
) -> tuple[Register, ...]:
    sizes = [min(_WORD, room - bit) for bit in range(0, room, _WORD)]
    free = list(sizes)
    found = []
    for table, name, bits in sorted(wanted, key=lambda one: -one[2]):
        words = -(-bits // _WORD)
        first = next((word for word in range(len(free)) if _fits(free, sizes, word, bits)), None)
        if first is None:
            raise PlanError(
                f"{protocol.path}: {name} of {bits} bits finds no room in the {room // 8} bytes that a flow "
                f"has for it, whose rest is in pieces of {', '.join(map(str, filter(None, free)))} bits; "
                "make variables narrower, or keep those that few packets need aside"
            )
        found.append(Register(table, name, begin + first * _WORD + sizes[first] - free[first], bits))
        for word in range(first, first + words):
            used = min(bits, _WORD)
            free[word] -= used
            bits -= used
    return tuple(found)


def _fits(free: list[int], sizes: list[int], first: int, bits: int) -> bool:
    """Whether a register fits: in one word, or in several words that are empty."""
    if bits <= _WORD:
        return free[first] >= bits
    rest = free[first : first - (-bits // _WORD)]
    return rest == sizes[first : first + len(rest)] and sum(rest) >= bits
