# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How the frames of a planned stream differ from each other. Mirrors `Editor` and `Checksum` of `plan.proto`.

A source gives an edited field its values: value i, i = 0, 1, ..., as unsigned numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Protocol

from ..units.splitmix import splitmix64

Said = Callable[[int], str]


def number_text(number: int) -> str:
    """A number with commas that part thousands."""
    return f"{number:,}"


class Source(Protocol):
    """The source of a field's values."""

    @property
    def period(self) -> int | None:
        """Values after which it begins again; None if it is random."""

    def value(self, index: int) -> int:
        """Value number `index`; if it has more bits than the field, the lowest ones are used."""

    def said(self, text: Said = number_text) -> str:
        """The values for people, each of them as `text` has it."""


@dataclass(frozen=True)
class Step:
    """`first`, then a step further each time; after `count` values again."""

    first: int
    increment: int  # may be negative
    count: int

    @property
    def period(self) -> int:
        """See Source."""
        return self.count

    def value(self, index: int) -> int:
        """See Source."""
        return self.first + index % self.count * self.increment

    def said(self, text: Said = number_text) -> str:
        """See Source."""
        return f"{text(self.first)} and {self.count - 1:,} steps of {self.increment:+,}"


@dataclass(frozen=True)
class Values:
    """A list, again and again."""

    values: tuple[int, ...]

    @property
    def period(self) -> int:
        """See Source."""
        return len(self.values)

    def value(self, index: int) -> int:
        """See Source."""
        return self.values[index % len(self.values)]

    def said(self, text: Said = number_text) -> str:
        """See Source."""
        return f"{_listed(self.values, text)}, one after the other"


@dataclass(frozen=True)
class RandomBits:
    """The bits of `mask` at random, the others as in `base`."""

    seed: int
    base: int
    mask: int

    period = None

    def value(self, index: int) -> int:
        """See Source."""
        return self.base & ~self.mask | splitmix64(self.seed, index) & self.mask

    def said(self, text: Said = number_text) -> str:
        """See Source."""
        base = f"{self.base:#x}" if text is number_text else text(self.base)
        return f"{base} with random bits {self.mask:#x}, seed {self.seed}"


@dataclass(frozen=True)
class RandomRange:
    """`first` to `first + count - 1`, by n := (n' + r) mod count, r of k bits, 2^k <= count (norma C)."""

    seed: int
    first: int
    count: int

    period = None

    @cached_property
    def _drawn(self) -> list[int]:
        return []

    def value(self, index: int) -> int:
        """See Source. Each depends on those before, which are kept."""
        bits = (1 << self.count.bit_length() - 1) - 1
        while len(self._drawn) <= index:
            r = splitmix64(self.seed, len(self._drawn)) & bits
            before = self._drawn[-1] if self._drawn else 0
            self._drawn.append((before + r) % self.count)
        return self.first + self._drawn[index]

    def said(self, text: Said = number_text) -> str:
        """See Source."""
        return f"at random from {text(self.first)} to {text(self.first + self.count - 1)}, seed {self.seed}"


@dataclass(frozen=True)
class Distribution:
    """Each value as often as its share says, by inverse transform (hypertester §5.1)."""

    seed: int
    values: tuple[int, ...]
    cumulative: tuple[int, ...]  # of 2^64 - 1

    period = None

    def value(self, index: int) -> int:
        """See Source."""
        return self.values[bisect_left(self.cumulative, splitmix64(self.seed, index))]

    def said(self, text: Said = number_text) -> str:
        """See Source."""
        return f"drawn from {_listed(self.values, text)}, seed {self.seed}"


@dataclass(frozen=True)
class Coverage:
    """A checksum that covers a field, and how often: less than 1 where it covers other checksums too."""

    checksum: int  # index in the stream's checksums
    weight: int


class ChecksumKind(Enum):
    """How a checksum is computed, by its name in `plan.proto`."""

    INTERNET = "KIND_INTERNET"
    INTERNET_NOT_ZERO = "KIND_INTERNET_NOT_ZERO"
    CRC32C = "KIND_CRC32C"


@dataclass(frozen=True)
class Checksum:
    """A checksum that follows what editors change. Places are bytes from the begin of the frame."""

    kind: ChecksumKind
    offset: int
    begin: int = 0  # first byte that a CRC covers
    tail: int = 0  # bytes at the end of the frame that a CRC does not cover

    @property
    def size(self) -> int:
        """Its bytes."""
        return 4 if self.kind is ChecksumKind.CRC32C else 2


@dataclass(frozen=True)
class PlannedEditor:
    """A field that changes: frame k has value number k // every of its source."""

    name: str  # for messages: `UDP.dport`
    bit_offset: int  # of its highest bit from the begin of the frame
    bits: int  # 1 to 64
    every: int
    source: Source
    coverage: tuple[Coverage, ...] = ()
    low: int = 0  # bits of the field behind those that change, in one of more than 64 bits
    field: str = ""  # by Scapy's names, where the author has written others: `Dot1Q.vlan` of `VLAN.vlan`
    said: str = ""  # its values for people, in the notation of the field

    @property
    def period(self) -> int | None:
        """Frames after which it begins again; None if it is random."""
        return None if self.source.period is None else self.every * self.source.period

    def value(self, frame: int) -> int:
        """The field's value in a frame, counted from 0."""
        return self.source.value(frame // self.every) & (1 << self.bits) - 1

    def __str__(self) -> str:
        held = f" for {self.every:,} frames each" if self.every > 1 else ""
        return (
            f"{self.name} (bits {self.bit_offset} to {self.bit_offset + self.bits - 1}): "
            f"{self.said or self.source.said()}{held}"
        )


def _listed(values: tuple[int, ...], text: Said) -> str:
    shown = ", ".join(map(text, values[:4]))
    return shown if len(values) <= 4 else f"{shown}, … ({len(values):,} values)"
