# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads the actions of a row from a protocol file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..files.document import Place
from ..model.action import (
    Act,
    Action,
    Assign,
    Count,
    Lengthen,
    NextEvent,
    Randomize,
    Record,
    Reply,
    Say,
    Scan,
    Send,
    Signal,
    Skip,
    StartTimer,
    StopTimer,
    Take,
    Transmit,
    VariableChange,
)
from ..model.expression import Expression
from .document_reader import DocumentReader, quantity
from .sending_loader import fields, octets

_NAMED: Mapping[str, Callable[[str], Act]] = {
    "send": Send,
    "signal": Signal,
    "then": NextEvent,
    "scan": Scan,
    "take": Take,
    "say": Say,
}

_OCTETS: Mapping[str, Callable[[Expression], Act]] = {"skip": Skip, "lengthen": Lengthen}


def actions(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Iterator[Action]:
    """The actions of one item of `do`, which has one key: one action for each variable of a mapping."""
    ((kind, value),) = data.items()
    line = reader.line(place)
    for act in _acts(reader, kind, value, (*place, kind)):
        yield Action(act, line)


def _acts(reader: DocumentReader, kind: str, value: Any, place: Place) -> Iterator[Act]:
    if kind in VariableChange._value2member_map_:
        yield from (Assign(VariableChange(kind), name, to) for name, to in fields(reader, value, place))
    elif kind in _NAMED:
        yield _NAMED[kind](value)
    elif kind == "random":
        yield from map(Randomize, value)
    elif kind == "reply":
        yield _reply(reader, value, place)
    elif kind == "transmit":
        yield _transmit(reader, value, place)
    elif kind == "start":
        yield from (StartTimer(name, _time(reader, time, (*place, name))) for name, time in value.items())
    elif kind == "stop":
        yield from map(StopTimer, [value] if isinstance(value, str) else value)
    elif kind == "count":
        counted = {value: 1} if isinstance(value, str) else value
        yield from (Count(name, by) for name, by in fields(reader, counted, place))
    elif kind == "record":
        yield from (Record(name, since) for name, since in fields(reader, value, place))
    else:
        yield _OCTETS[kind](reader.expression(value, place))


def _reply(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Reply:
    keep = data.get("keep")
    return Reply(
        fields=fields(reader, data.get("set", {}), (*place, "set")),
        swaps=tuple((one, other) for one, other in data.get("swap", ())),
        keep=None if keep is None else reader.expression(keep, (*place, "keep")),
        append=reader.parsed(octets, data.get("append", ""), (*place, "append")),
    )


def _transmit(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Transmit:
    end, size = (reader.expression(data[key], (*place, key)) for key in ("to", "size"))
    edges = data["edge"] if isinstance(data["edge"], list) else [data["edge"]]
    return Transmit(
        template=data["template"],
        position=data["from"],
        end=end,
        edges=tuple(reader.expression(edge, (*place, "edge")) for edge in edges),
        size=size,
        most=data["most"],
        reached=data.get("reached", ""),
        final=data.get("final", ""),
        closing=data.get("if", ""),
    )


def _time(reader: DocumentReader, value: Any, place: Place) -> Expression:
    words = str(value).split()
    return (
        Expression(reader.parsed(quantity, value, place))
        if len(words) == 2
        else reader.expression(value, place)
    )
