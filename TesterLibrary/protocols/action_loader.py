# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads the actions of a row from a protocol file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.document import Place
from ..model.action import Act, Action, Fields
from ..model.expression import Expression
from . import actions as _  # noqa: F401 - registers them
from .document_reader import DocumentReader, quantity
from .sending_loader import fields, octets

__all__ = ["actions"]


def actions(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Iterator[Action]:
    """The actions of one item of `do`, which has one key: one action for each variable of a mapping."""
    ((key, value),) = data.items()
    line = reader.line(place)
    for act in Act.known[key].load(key, value, _Loading(reader), (*place, key)):
        yield Action(act, line)


class _Loading:
    """The values of an action in a file."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader

    def expression(self, value: Any, place: Place) -> Expression:
        return self._reader.expression(value, place)

    def fields(self, data: Mapping[str, Any], place: Place) -> Fields:
        return fields(self._reader, data, place)

    def time(self, value: Any, place: Place) -> Expression:
        if len(str(value).split()) == 2:
            return Expression(self._reader.parsed(quantity, value, place))
        return self._reader.expression(value, place)

    def octets(self, value: str, place: Place) -> bytes:
        return self._reader.parsed(octets, value, place)
