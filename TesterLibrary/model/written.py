# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Types that a suite writes as text or as a number: each registers its parser where it is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

TEXT: Any = str
NUMBER: Any = str | int | float
LIST: Any = str | list | tuple


@dataclass(frozen=True)
class Notation:
    """How a type is written, and what reads it."""

    accepts: Any  # a type or a union of types, which Libdoc shows
    parse: Callable[[object], Any]  # raises UnitError for what it refuses


NOTATIONS: dict[type[Any], Notation] = {}


def written_as(accepts: Any) -> Callable[[Kind], Kind]:
    """Class decorator: keywords take this type as `accepts`, which its `parse` reads."""

    def register(kind: Kind) -> Kind:
        NOTATIONS[kind] = Notation(accepts, kind.parse)  # type: ignore[attr-defined]
        return kind

    return register
