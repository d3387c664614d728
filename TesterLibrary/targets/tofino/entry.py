# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An entry of a table of a switch: what it matches, what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Masked:
    """Matches what has these bits under the mask."""

    value: int
    mask: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """What has to fit a key."""
        return self.value, self.mask

    def __str__(self) -> str:
        return f"{self.value:#x} under {self.mask:#x}"


@dataclass(frozen=True)
class Span:
    """Matches numbers from the first to the last."""

    first: int
    last: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """What has to fit a key."""
        return self.first, self.last

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


Value = int | str | Masked | Span


@dataclass(frozen=True)
class Entry:
    """For a table by its full name: `internal.InternalIngress.rate.pattern.stages`.

    A table of registers, counters or meters has one entry for each index, and no action.
    """

    table: str
    key: Mapping[str, Value]
    action: str | None = None
    data: Mapping[str, Value] = field(default_factory=dict)

    @property
    def place(self) -> frozenset[tuple[str, Value]]:
        """By which one entry of a table is told from another."""
        return frozenset(self.key.items())
