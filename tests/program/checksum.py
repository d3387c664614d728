# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sums of 16-bit words in one's complement (RFC 1071)."""

from __future__ import annotations

ONES = 0xFFFF


def folded(bits: int, width: int) -> int:
    """The sum of the words of a value; it is filled up with zeros to whole words."""
    bits <<= -width % 16
    total = 0
    while bits:
        total += bits & ONES
        bits >>= 16
    return carried(total)


def carried(total: int) -> int:
    """A sum whose carries are added to it."""
    while total > ONES:
        total = (total & ONES) + (total >> 16)
    return total
