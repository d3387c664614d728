# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Scanners, with which a protocol looks for texts in a stream."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Find:
    """Text that a scanner looks for; sets variables, or reads the decimal number behind it into one."""

    text: bytes
    at_start: bool = False
    ignore_case: bool = False
    fields: tuple[tuple[str, int], ...] = ()
    number: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Scanner:
    """Looks for texts in a stream, however it is cut into packets, up to and including the first `end`.

    It raises the event of its name at the end, and `name.overlong` after `most` bytes without one.
    """

    name: str
    ends: tuple[Find, ...]
    finds: tuple[Find, ...] = ()
    most: int = 8192
    line: int = field(default=0, compare=False)
    aside: bool = False  # few packets need it

    @property
    def overlong(self) -> str:
        """The event after `most` bytes without an end."""
        return f"{self.name}.overlong"
