# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads values of a protocol file: expressions, header stacks, numbers and times."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..files.document import Document, Place
from ..files.headers import headers_in, load_headers
from ..model.expression import Expression, number
from ..model.headers import HeaderStack, HeaderType
from ..model.protocol import Measure, Parameter
from ..model.units.number import NUMBER, refusal, split_unit
from ..model.units.quantity import Octets
from ..model.units.time_text import scale_of
from ..model.units.units import Duration

_T = TypeVar("_T")
_UNIT = re.compile(rf"\s*(?:{NUMBER})\s*([A-Za-z\u00b5\u03bc]+)[^:]*")
_HEX = re.compile(r"\s*0[xX]")


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


def measure_of(value: object) -> Measure:
    """The kind of unit with which a value is written."""
    if isinstance(value, Duration):
        return Measure.TIME
    found = _UNIT.fullmatch(str(value))
    if not found or _HEX.match(str(value)):
        return Measure.NUMBER
    return Measure.TIME if scale_of(found[1]) else Measure.DATA


def quantity(value: object) -> int:
    """A number, an address, a time in microseconds, or an amount of data in bytes."""
    return _READ[measure_of(value)](value)


def _microseconds(value: object) -> int:
    nanoseconds = Duration.parse(value).ns
    if nanoseconds % 1000:
        raise ValueError(f"{str(value)!r} is no whole number of microseconds")
    return nanoseconds // 1000


def given_value(parameter: Parameter, value: object) -> int:
    """The value that a job gives a parameter. ValueError if it is written in units of another kind."""
    measure = measure_of(value)
    if measure is Measure.NUMBER and parameter.measure is not Measure.TIME:
        try:
            return number(value)
        except ValueError:
            return _whole(value)
    if parameter.measure is Measure.NUMBER:
        raise ValueError(
            f"{str(value)!r} has a unit; write a number without one, as its default {parameter.default} has "
            "none in the table"
        )
    return _READ[parameter.measure](value)


def _whole(value: object) -> int:
    """A number with commas that part thousands. The error is that of a number if it is none at all."""
    try:
        found, _ = split_unit(value, "a number", "a whole number")
    except ValueError:
        return number(value)
    if found.denominator != 1:
        raise ValueError(refusal(value, "a whole number", "one, such as 10 or 1,000"))
    return int(found)


def too_wide(value: int, bits: int) -> str:
    """The error for a value that needs more bits than there are."""
    return f"{value} does not fit {bits} bit{'s' if bits > 1 else ''}; give 0 to {(1 << bits) - 1}"


_READ: Mapping[Measure, Callable[[object], int]] = {
    Measure.NUMBER: number,
    Measure.TIME: _microseconds,
    Measure.DATA: lambda value: Octets.parse(value).count,
}
