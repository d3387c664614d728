# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients of job files, whose form the schema has found right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from ..model.endpoints import AddressRange, Endpoints
from ..model.responder import Clients, Reopen, Responder
from ..model.units.quantity import Frequency
from .document import Place

_T = TypeVar("_T")
_Parsed = Callable[[Callable[[Any], _T], Any, Place], _T]  # a value, or an error that says where it is
_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "servers": Endpoints.parse,
    "answers_for": AddressRange.parse,
    "target": Endpoints.parse,
    "sources": Endpoints.parse,
    "rate": Frequency.parse,
    "reopen": Reopen,
}


def responder(data: Mapping[str, Any], place: Place, parsed: _Parsed[Any]) -> Responder:
    """One of `responders`."""
    return _end(Responder, data, place, parsed)


def clients(data: Mapping[str, Any], place: Place, parsed: _Parsed[Any]) -> Clients:
    """One of `clients`."""
    return _end(Clients, data, place, parsed)


def _end(kind: Callable[..., _T], data: Mapping[str, Any], place: Place, parsed: _Parsed[Any]) -> _T:
    values = {
        key: parsed(_PARSERS[key], value, (*place, key)) if key in _PARSERS else value
        for key, value in data.items()
    }
    made: _T = parsed(lambda given: partial(kind, **given)(), values, place)
    return made
