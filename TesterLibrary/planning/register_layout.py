# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a flow's variables are in its 64 bytes."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PlanError
from ..model.protocol import STATE_BITS, Protocol

_WORD = 64


@dataclass(frozen=True)
class Register:
    """Of a table, 0 being the lowest one; `offset` in bits, 0 being the lowest bit of the first byte."""

    table: int
    name: str
    offset: int
    bits: int


def registers(protocol: Protocol) -> tuple[Register, ...]:
    """The widest first, each within one word of 64 bits; one of more than 64 bits begins with a word.

    Raises:
        PlanError: they fit the 64 bytes by their number of bits, but not with these bounds.
    """
    free = [_WORD] * (STATE_BITS // _WORD)
    wanted = [
        (table, name, bits) for table, layer in enumerate(protocol.layers) for name, bits in layer.registers()
    ]
    found = []
    for table, name, bits in sorted(wanted, key=lambda one: -one[2]):
        words = -(-bits // _WORD)
        first = next((word for word in range(len(free)) if _fits(free, word, words, bits)), None)
        if first is None:
            raise PlanError(
                f"{protocol.path}: {name} of {bits} bits finds no room in the {STATE_BITS // 8} bytes of a "
                f"flow, whose rest is in pieces of {', '.join(map(str, filter(None, free)))} bits; "
                "make variables narrower"
            )
        found.append(Register(table, name, first * _WORD + _WORD - free[first], bits))
        for word in range(first, first + words):
            used = min(bits, _WORD)
            free[word] -= used
            bits -= used
    return tuple(found)


def _fits(free: list[int], word: int, words: int, bits: int) -> bool:
    if words == 1:
        return free[word] >= bits
    return word + words <= len(free) and all(own == _WORD for own in free[word : word + words])
