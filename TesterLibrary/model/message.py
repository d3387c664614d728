# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes that a protocol gives to the one below, to send them as a stream."""

from __future__ import annotations

from dataclasses import dataclass, field

from .expression import NOTHING, Expression

# What a body repeats: byte n is (157 n + 101) modulo 251. A prime number of bytes, so that a page or a buffer
# in the wrong place shows, and in an order that no other program sends.
FILL = bytes((157 * n + 101) % 251 for n in range(251))


@dataclass(frozen=True)
class Number:
    """A variable of a message's text, decimal, with a fixed number of digits: blanks or zeros before it."""

    name: str
    digits: int
    fill: str


@dataclass(frozen=True)
class Message:
    """Bytes for a stream: a text with numbers in it, then `body` bytes of `fill`, over and over."""

    name: str
    text: tuple[bytes | Number, ...]
    body: Expression = NOTHING
    fill: bytes = FILL
    line: int = field(default=0, compare=False)

    @property
    def text_length(self) -> int:
        """The number of bytes, whatever the numbers in the text are."""
        return sum(part.digits if isinstance(part, Number) else len(part) for part in self.text)
