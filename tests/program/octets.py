# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The packet that a parser reads, bit by bit, and the one that a deparser writes."""

from __future__ import annotations


class TooShort(Exception):
    """A parser wants more bits than the packet has; the chip drops it."""


class Reader:
    """Reads bits, the first one first."""

    def __init__(self, octets: bytes) -> None:
        self._octets, self._bits = octets, int.from_bytes(octets, "big")
        self._left = 8 * len(octets)

    def ahead(self, width: int) -> int:
        """The next bits, which are read again."""
        if width > self._left:
            raise TooShort
        return self._bits >> self._left - width & (1 << width) - 1

    def take(self, width: int) -> int:
        """The next bits."""
        bits = self.ahead(width)
        self._left -= width
        return bits

    def rest(self) -> bytes:
        """All whole bytes that were not read."""
        return self._octets[len(self._octets) - self._left // 8 :]


class Writer:
    """Collects headers."""

    def __init__(self) -> None:
        self._octets: list[bytes] = []

    def add(self, bits: int, width: int) -> None:
        """Adds a header, of whole bytes."""
        self._octets.append(bits.to_bytes(width // 8, "big"))

    def octets(self) -> bytes:
        """All of them."""
        return b"".join(self._octets)
