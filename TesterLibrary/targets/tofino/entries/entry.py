# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of a switch's tables: a key to match, an action and its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Masked:
    """A match of values that have these bits under the mask."""

    value: int
    mask: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that have to fit the key's field."""
        return self.value, self.mask

    def __str__(self) -> str:
        return f"{self.value:#x} under {self.mask:#x}"


@dataclass(frozen=True)
class Span:
    """A match of numbers from the first to the last."""

    first: int
    last: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that have to fit the key's field."""
        return self.first, self.last

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


Value = int | str | Masked | Span


@dataclass(frozen=True)
class TableEntry:
    """An entry of a table, which has a full name: `internal.InternalIngress.rate.pattern.stages`.

    A table of registers, counters or meters has one entry for each index, and no action.
    """

    table: str
    key: Mapping[str, Value]
    action: str | None = None
    data: Mapping[str, Value] = field(default_factory=dict)

    @cached_property
    def place(self) -> frozenset[tuple[str, Value]]:
        """The key as a set, which identifies an entry in its table."""
        return frozenset(self.key.items())
