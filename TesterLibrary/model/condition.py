# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of a row of a protocol's table, on the flow and on the packet in hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from .expression import Expression


class Relation(str, Enum):
    """Relation of a test's left side to its right one; the last four compare sequence numbers (RFC 1982)."""

    IS = "is"
    NOT = "not"
    BELOW = "below"
    AT_MOST = "at_most"
    ABOVE = "above"
    AT_LEAST = "at_least"
    BEFORE = "before"
    NOT_AFTER = "not_after"
    AFTER = "after"
    NOT_BEFORE = "not_before"


@dataclass(frozen=True)
class Compare:
    """`left relation right`, modulo 2^bits of the wider side."""

    left: Expression
    relation: Relation
    right: Expression
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.left} {self.relation.value.replace('_', ' ')} {self.right}"


@dataclass(frozen=True)
class Flags:
    """Letters of a field of flags: those that have to be set, and those that have to be clear."""

    name: str
    set: str = ""
    clear: str = ""
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        wanted = [f"{'+' * bool(self.set)}{self.set}", f"{'-' * bool(self.clear)}{self.clear}"]
        return f"{self.name} {' '.join(filter(None, wanted))}"


@dataclass(frozen=True)
class Prefix:
    """Octets with which the payload begins."""

    octets: bytes
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"payload begins with {self.octets!r}"


Test = Compare | Flags | Prefix
