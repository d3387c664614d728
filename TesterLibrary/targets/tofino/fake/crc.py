# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hashes of the chip, by the names that P4 has for them."""

from __future__ import annotations

from zlib import crc32

_REVERSED = 0xA001  # the polynomial x^16 + x^15 + x^2 + 1


def crc16(octets: bytes) -> int:
    """CRC16: of CRC-16/ARC."""
    found = 0
    for octet in octets:
        found ^= octet
        for _ in range(8):
            found = found >> 1 ^ (_REVERSED if found & 1 else 0)
    return found


__all__ = ["crc16", "crc32"]
