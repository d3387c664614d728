# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Scanners, with which a protocol looks for texts in a stream."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ScannedNumber:
    """A number behind a text, which blanks may precede, and what the stream has to have behind it.

    It is wrong if it has no digit, does not fit its variable, or has another byte than those of `before`
    behind it and the blanks that follow it. Nothing is wrong with a number that has no `otherwise`: at most
    what fits is kept of it.
    """

    variable: str
    base: int = 10  # or 16
    before: bytes = b""  # none: anything
    otherwise: tuple[tuple[str, int], ...] = ()  # what variables become if it is wrong


@dataclass(frozen=True)
class Find:
    """Text that a scanner looks for; sets variables, adds to them, or reads the number behind it into one."""

    text: bytes
    at_start: bool = False
    ignore_case: bool = False
    fields: tuple[tuple[str, int], ...] = ()
    added: tuple[tuple[str, int], ...] = ()  # at most to the largest value of the variable
    number: ScannedNumber | None = None
    line: int = field(default=0, compare=False)

    @property
    def variables(self) -> tuple[tuple[str, int], ...]:
        """The variables that it sets to a number, or adds one to, whatever it is that was found."""
        return (*self.fields, *self.added, *(self.number.otherwise if self.number else ()))


@dataclass(frozen=True)
class Scanner:
    """Looks for texts in a stream, however it is cut into packets, up to and including the first `end`.

    It raises the event of its name at the end, and `name.overlong` after `most` bytes without one. `begin` is
    found before the first byte.
    """

    name: str
    ends: tuple[Find, ...]
    finds: tuple[Find, ...] = ()
    most: int = 8192
    line: int = field(default=0, compare=False)
    aside: bool = False  # few packets need it
    begin: Find | None = None

    @property
    def all(self) -> tuple[Find, ...]:
        """Its finds: those that end it come first, and the one at its begin last."""
        return (*self.ends, *self.finds, *((self.begin,) if self.begin else ()))

    @property
    def overlong(self) -> str:
        """The event after `most` bytes without an end."""
        return f"{self.name}.overlong"
