# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Converts texts of a suite to the types of keywords' arguments, and documents these types for Libdoc.

No list names a type. Types that a suite writes register their parser where they are defined, by means of
`model/units/notation.py`; results are the types that keywords return and take.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from inspect import signature
from typing import Any

from ..model.units.notation import NOTATIONS, Notation
from ._attributes import attributes_of

_PACKAGE = __name__.partition(".")[0]
# Robot asks each converter for its signature and its types at each call of a keyword: they are made once.
_SIGNATURE = signature(lambda value: value)


def converters(components: Collection[Any]) -> dict[type[Any], Callable[[Any], Any]]:
    """Robot's converters of the types that keywords of these components have.

    Derived types come before those that they derive from: Robot takes the first that a type is a subclass of.
    """
    found: dict[type[Any], Callable[[Any], Any]] = {
        kind: _Parser(kind, notation) for kind, notation in NOTATIONS.items()
    }
    found |= {kind: _OnlyInstances(kind) for kind in _results(components)}
    return dict(sorted(found.items(), key=lambda item: (-len(item[0].__mro__), item[0].__name__)))


def _results(components: Collection[Any]) -> set[type[Any]]:
    """Classes of the library that keywords return or take, and that nobody writes as text."""
    hints = (
        hint
        for component in components
        for method in vars(component).values()
        if hasattr(method, "robot_name")
        for hint in typing.get_type_hints(method).values()
    )
    return {
        kind
        for hint in hints
        for kind in _classes(hint)
        if kind.__module__.startswith(_PACKAGE) and kind not in NOTATIONS and not issubclass(kind, Enum)
    }


def _classes(hint: Any) -> Iterator[type[Any]]:
    """The classes that a type hint names: those of a union, and those in a list."""
    arguments = typing.get_args(hint)
    if isinstance(hint, type) and not arguments:
        yield hint
    for argument in arguments:
        yield from _classes(argument)


class _Parser:
    """Robot's converter of a type, with the type's own documentation."""

    __signature__ = _SIGNATURE

    def __init__(self, kind: type[Any], notation: Notation) -> None:
        self.__doc__ = kind.__doc__
        self.robot_types = {"value": notation.accepts}
        self._parse = notation.parse

    def __call__(self, value: object) -> Any:
        """The value, parsed."""
        return self._parse(value)


def with_reasons(
    hints: Mapping[str, Any], arguments: Sequence[Any], converted: Collection[type[Any]]
) -> dict[str, Any]:
    """The types of a keyword's arguments, `X` in place of `X | None` if X explains why it refuses a value.

    Robot tries each type of a union in turn and drops their reasons. None stays allowed, as the default.
    `arguments` are names, or pairs of a name and a default; `converted` are types with a parser.
    """
    absent = {argument[0] for argument in arguments if isinstance(argument, tuple) and argument[1] is None}
    return {name: _alone(hint, converted) if name in absent else hint for name, hint in hints.items()}


def _alone(hint: Any, converted: Collection[type[Any]]) -> Any:
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):
        return hint
    kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
    if len(kinds) == 1 and (
        kinds[0] in converted or (isinstance(kinds[0], type) and issubclass(kinds[0], Enum))
    ):
        return kinds[0]
    return hint


class _OnlyInstances:
    """Robot's converter of a result, which nothing is converted to; Libdoc reads its documentation."""

    __signature__ = _SIGNATURE

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def __getattribute__(self, name: str) -> Any:
        """The documentation is made when it is asked for: it is read from the source of the class."""
        if name == "__doc__":
            return attributes_of(self._kind)
        return super().__getattribute__(name)

    def __call__(self, value: object) -> Any:
        """Raises TypeError: Robot calls it for anything that is no such result."""
        raise TypeError(f"{value!r} is no {self._kind.__name__}; give what a keyword has returned")
