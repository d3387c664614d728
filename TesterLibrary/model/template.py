# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets that a protocol sends."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from .expression import Expression
from .headers import HeaderStack


class OptionKind(str, Enum):
    """Options of TCP."""

    MSS = "mss"
    WINDOW_SCALE = "window_scale"
    SACK_PERMITTED = "sack_permitted"
    TIMESTAMP = "timestamp"
    SACK = "sack"


@dataclass(frozen=True)
class Option:
    """An option of TCP with its values; it is there unless `only_if` is a variable that is 0."""

    kind: OptionKind
    values: tuple[Expression, ...]
    only_if: str = ""


@dataclass(frozen=True)
class Template:
    """A packet to send. A field's value is that in `fields`, else that in the headers, else the flow's.

    Behind the payload are as many bytes as `body` says of what a body repeats (message.py).
    """

    name: str
    headers: HeaderStack
    fields: tuple[tuple[str, Expression], ...] = ()
    options: tuple[Option, ...] = ()
    payload: bytes = b""
    body: Expression | None = None  # of variables and parameters
    line: int = field(default=0, compare=False)
