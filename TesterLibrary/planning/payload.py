# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The octets of a payload."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from ..errors import PlanError
from ..model.payload import Payload, PayloadKind


def filling(payload: Payload, length: int, seed: str) -> bytes:
    """`length` octets. PlanError if a text or file is empty, or longer than that."""
    return _FILLINGS[payload.kind](payload, length, seed)


def prbs31(length: int) -> bytes:
    """The sequence of x^31 + x^28 + 1 (ITU-T O.150 §5.8) from all ones, its first bit the highest.

    Not inverted. Its first 31 bits are ones; each bit after is the sum of those 28 and 31 before it.
    """
    state, octets = (1 << 31) - 1, bytearray()
    for _ in range(length):
        octets.append(state >> 23 & 0xFF)
        fresh = (state >> 23 ^ state >> 20) & 0xFF  # eight at once: bits 31 and 28 before each
        state = (state << 8 | fresh) & 0x7FFF_FFFF
    return bytes(octets)


def _counting(_: Payload, length: int, __: str) -> bytes:
    return bytes(i % 256 for i in range(length))


def _zeros(_: Payload, length: int, __: str) -> bytes:
    return bytes(length)


def _random(_: Payload, length: int, seed: str) -> bytes:
    return random.Random(f"payload {seed}").randbytes(length)


def _prbs31(_: Payload, length: int, __: str) -> bytes:
    return prbs31(length)


def _repeated(payload: Payload, length: int, _: str) -> bytes:
    size = len(payload.data)
    if not 0 < size <= length:
        raise PlanError(
            f"a payload of {size} bytes ({payload.kind.value}); the frame has room for 1 to {length}; "
            "what is shorter is repeated"
        )
    return (payload.data * (length // size + 1))[:length]


_FILLINGS: Mapping[PayloadKind, Callable[[Payload, int, str], bytes]] = {
    PayloadKind.COUNTING: _counting,
    PayloadKind.ZEROS: _zeros,
    PayloadKind.RANDOM: _random,
    PayloadKind.PRBS31: _prbs31,
    PayloadKind.TEXT: _repeated,
    PayloadKind.FILE: _repeated,
}
