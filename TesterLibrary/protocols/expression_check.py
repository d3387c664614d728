# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether an expression can be evaluated where it is used."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.expression import Expression
from .document_reader import too_wide
from .scope import NameScope

Problem = tuple[int, str]


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
