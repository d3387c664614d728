# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Types that a suite writes as text or as a number: each registers its parser where it is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

TEXT: Any = str
NUMBER: Any = str | int | float
LIST: Any = str | list | tuple
_OPTION = "option"  # key of a field's metadata


@dataclass(frozen=True)
class Notation:
    """How a type is written, and what reads it."""

    accepts: Any  # a type or a union of types, which Libdoc shows
    parse: Callable[[object], Any]  # raises UnitError for what it refuses


@dataclass(frozen=True)
class Option:
    """How files give the field of a dataclass under its name."""

    parse: Callable[[Any], Any]  # raises UnitError for what it refuses; bool for true and false
    allowed: str  # for who gave something else: "give a time, such as 500 ms"

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a value in a file."""
        accepted = "boolean" if self.parse is bool else ["integer", "string"]
        return {"description": self.allowed, "type": accepted}


def option(parse: Callable[[Any], Any], allowed: str) -> dict[str, Option]:
    """The metadata of a dataclass's field that files give under its name."""
    return {_OPTION: Option(parse, allowed)}


def option_of(known: Field[Any]) -> Option | None:
    """The option of a dataclass's field; None if files do not give it under its name."""
    found: Option | None = known.metadata.get(_OPTION)
    return found


NOTATIONS: dict[type[Any], Notation] = {}


def written_as(accepts: Any) -> Callable[[Kind], Kind]:
    """Class decorator: keywords take this type as `accepts`, which its `parse` reads."""

    def register(kind: Kind) -> Kind:
        NOTATIONS[kind] = Notation(accepts, kind.parse)  # type: ignore[attr-defined]
        return kind

    return register
