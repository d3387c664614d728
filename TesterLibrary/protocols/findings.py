# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The findings of the checker about a protocol file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import did_you_mean
from ..model.expression import Expression
from .document_reader import too_wide
from .scope import NameScope

Problem = tuple[int, str]


@dataclass(frozen=True, order=True)
class Finding:
    """A mistake in a protocol file, with what is allowed instead."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The text of a finding: there is no thing with this name."""
    known = list(known)
    return f"there is no {kind} {name!r}{did_you_mean(name, known)}; there are {', '.join(known) or 'none'}"


def expression_problems(
    expression: Expression, scope: NameScope, line: int, *, bare: bool, bits: int | None = None
) -> Iterator[Problem]:
    """Unknown names, fields where no packet is in hand, and numbers that do not fit `bits`."""
    for name in dict.fromkeys(expression.names):
        if scope.bits(name) is None:
            yield line, scope.unknown(name)
        elif bare and scope.of_packet(name):
            yield line, no_packet(name)
    constant = expression.constant
    if bits is not None and constant is not None and not 0 <= constant < 1 << bits:
        yield line, too_wide(constant, bits)


def no_packet(name: str) -> str:
    """The error for a name that needs a packet in hand where there may be none."""
    return f"{name!r} is of the packet in hand, and here there may be none; keep what is needed in a variable"
