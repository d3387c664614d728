# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads values of a protocol file: expressions, header stacks, numbers and times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..files.document import Document, Place
from ..files.headers import headers_in, load_headers
from ..model.expression import Expression, number
from ..model.headers import HeaderStack, HeaderType
from ..model.units import Duration

_T = TypeVar("_T")


class DocumentReader:
    """Values of a document that the schema has found well-formed."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.data: Mapping[str, Any] = document.data
        self._constants = {
            name: self.parsed(quantity, value, ("constants", name))
            for name, value in self.data.get("constants", {}).items()
        }

    def line(self, place: Place) -> int:
        """The line of a value."""
        return self.document.line(place)

    def parsed(self, parse: Callable[[Any], _T], value: Any, place: Place) -> _T:
        """Parses a value. PlanError names file, line and key if that fails."""
        return self.document.parsed(parse, value, place)

    def expression(self, value: Any, place: Place) -> Expression:
        """An expression in which the file's constants are replaced by their numbers."""
        return self.parsed(Expression.parse, value, place).with_constants(self._constants)

    def stack(self, text: str, place: Place) -> HeaderStack:
        """A header stack, with the headers that the file defines."""
        stack = self.parsed(HeaderStack.parse, text, place)
        if "definitions" not in self.data:
            return stack
        return replace(stack, types=self._definitions())

    def _definitions(self) -> tuple[HeaderType, ...]:
        given = self.data["definitions"]
        if isinstance(given, list):
            return headers_in(self.document, ("definitions",))
        return self.parsed(load_headers, self.beside(given), ("definitions",))

    def beside(self, name: str) -> str:
        """The path of a file in the same folder, if there is one."""
        path = self.document.path.parent / name
        return str(path) if path.is_file() else name


def is_time(value: object) -> bool:
    """Whether a value is written as a time: a number and its unit, parted by a space."""
    return isinstance(value, Duration) or len(str(value).split()) > 1


def quantity(value: object) -> int:
    """A number, an address, or a time in microseconds."""
    if is_time(value):
        nanoseconds = Duration.parse(value).ns
        if nanoseconds % 1000:
            raise ValueError(f"{value!r} is no whole number of microseconds")
        return nanoseconds // 1000
    return number(value)


def too_wide(value: int, bits: int) -> str:
    """The error for a value that needs more bits than there are."""
    return f"{value} does not fit {bits} bit{'s' if bits > 1 else ''}; give 0 to {(1 << bits) - 1}"
