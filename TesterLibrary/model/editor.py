# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields that change from frame to frame, as the author of a stream writes them.

Values are texts as in a header stack: numbers, Scapy's words, addresses. What they mean and whether they fit
depends on the field, which `planning/editor.py` looks up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import IPv4Network, IPv6Network, ip_network

from ..errors import UnitError
from .units.notation import TEXT, written_as

Network = IPv4Network | IPv6Network

_PATH = re.compile(r"\s*([A-Za-z_][\w.]*?)(?:\[([1-9][0-9]?)\])?\.([A-Za-z_]\w*)\s*")


@written_as(TEXT)
@dataclass(frozen=True)
class FieldPath:
    """A field of a header of the stack: `IP.src`, or `IP[2].src` of the second such header from outside."""

    header: str
    field: str
    number: int = 1

    @classmethod
    def parse(cls, text: object) -> FieldPath:
        """Raises UnitError for anything that is not written as above."""
        if isinstance(text, FieldPath):
            return text
        found = _PATH.fullmatch(str(text))
        if not found:
            raise UnitError(
                f"{str(text)!r} is not a field; write header and field as in Scapy, such as IP.src, or "
                "IP[2].src for the second IP header from outside"
            )
        return cls(found[1], found[3], int(found[2] or 1))

    def __str__(self) -> str:
        return (
            f"{self.header}[{self.number}].{self.field}" if self.number > 1 else f"{self.header}.{self.field}"
        )


@dataclass(frozen=True)
class Sweep:
    """Steps from `first` until the next would be beyond `last`, or for `count` values; then begins again.

    Without `last` the values are an arithmetic progression modulo the field's width.
    """

    first: str
    last: str = ""
    step: str = "1"
    count: int | None = None


@dataclass(frozen=True)
class FieldValues:
    """One value after the other, then again."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class RandomField:
    """Any value from `first` to `last`, all equally likely; without a range any that the field holds."""

    first: str = ""
    last: str = ""


@dataclass(frozen=True)
class RandomMask:
    """The bits of `mask` at random; the others stay as the header has them."""

    mask: str


@written_as(TEXT)
@dataclass(frozen=True)
class RandomPrefix:
    """Any address of a network."""

    network: Network

    @classmethod
    def parse(cls, text: object) -> RandomPrefix:
        """Raises UnitError for anything but a network such as 10.0.0.0/16."""
        try:
            return cls(ip_network(str(text).strip()))
        except ValueError as problem:
            raise UnitError(
                f"{str(text)!r} is not a prefix: {problem}; write one such as 10.0.0.0/16"
            ) from None


@dataclass(frozen=True)
class Draw:
    """Each value as often as its share of all frames says: random, with these probabilities."""

    values: tuple[str, ...]
    cumulative: tuple[Fraction, ...]  # never falls, ends at 1


Mode = Sweep | FieldValues | RandomField | RandomMask | RandomPrefix | Draw


@dataclass(frozen=True)
class Editor:
    """A field and how it changes. Equal seeds give equal values in any stream."""

    path: FieldPath
    mode: Mode
    every: int = 1  # frames that share a value
    seed: int | None = None  # None: follows from the job's seed, the stream and the field
