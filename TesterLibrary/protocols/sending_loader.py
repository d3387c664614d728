# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads templates, messages and scanners from a protocol file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from typing import Any

from ..files.document import Place
from ..model.expression import Expression
from ..model.message import FILL, Message, Number
from ..model.scanner import Find, ScannedNumber, Scanner
from ..model.template import Option, OptionKind, Template
from .document_reader import DocumentReader

_NUMBER = re.compile(r"\{([A-Za-z]\w*):(0?)([1-9]|1[0-9]|20)\}")


def octets(text: str) -> bytes:
    """The bytes that a text stands for, one a character. ValueError for other characters."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as problem:
        found = text[problem.start]
        raise ValueError(f"{found!r} is no byte; write the bytes of it, such as \\xe2\\x82\\xac") from None


def filled(octets: int) -> bytes:
    """A body of so many bytes."""
    return bytes(islice(cycle(FILL), octets))


def fields(
    reader: DocumentReader, data: Mapping[str, Any], place: Place
) -> tuple[tuple[str, Expression], ...]:
    """Names and what they are set to."""
    return tuple((name, reader.expression(value, (*place, name))) for name, value in data.items())


def template(reader: DocumentReader, name: str, data: Mapping[str, Any]) -> Template:
    """A template; it has the protocol's headers unless it gives others."""
    place: Place = ("templates", name)
    source, where = (data, (*place, "headers")) if "headers" in data else (reader.data, ("headers",))
    if "headers" not in source:
        raise reader.document.error(place, "give its headers: this protocol has none of its own")
    body = data.get("body", 0)
    return Template(
        name=name,
        headers=reader.stack(source["headers"], where),
        fields=fields(reader, data.get("set", {}), (*place, "set")),
        options=tuple(
            _option(reader, option, (*place, "options", index))
            for index, option in enumerate(data.get("options", ()))
        ),
        payload=reader.parsed(octets, data.get("payload", ""), (*place, "payload"))
        + (filled(body) if isinstance(body, int) else b""),
        body=None if isinstance(body, int) else reader.expression(body, (*place, "body")),
        line=reader.line(place),
    )


def _option(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Option:
    kinds = [key for key in data if key != "if"]
    kind = reader.parsed(_only_kind, kinds, place)
    given = data[kind.value]  # one value, a list of values, or true for an option without values
    listed = given if isinstance(given, list) else [] if given is True else [given]
    values = tuple(reader.expression(value, (*place, kind.value)) for value in listed)
    return Option(kind, values, data.get("if", ""))


def _only_kind(kinds: list[str]) -> OptionKind:
    if len(kinds) != 1:
        raise ValueError(f"give one option and if; this has {', '.join(kinds) or 'none'}")
    return OptionKind(kinds[0])


def message(reader: DocumentReader, name: str, data: Mapping[str, Any]) -> Message:
    """A message, whose text is cut at the numbers in it."""
    place: Place = ("messages", name)
    text = reader.parsed(lambda text: tuple(_parts(text)), data["text"], (*place, "text"))
    fill = reader.parsed(octets, data.get("fill", ""), (*place, "fill"))
    return Message(
        name=name,
        text=text,
        body=reader.expression(data.get("body", 0), (*place, "body")),
        fill=fill or FILL,
        line=reader.line(place),
    )


def _parts(text: str) -> Iterator[bytes | Number]:
    end = 0
    for found in _NUMBER.finditer(text):
        if found.start() > end:
            yield octets(text[end : found.start()])
        yield Number(found[1], int(found[3]), "0" if found[2] else " ")
        end = found.end()
    if text[end:]:
        yield octets(text[end:])


def scanner(reader: DocumentReader, name: str, data: Mapping[str, Any]) -> Scanner:
    """A scanner, whose `end` is a text or a list of finds."""
    place: Place = ("scanners", name)
    end = data["end"]
    ends = [{"text": end}] if isinstance(end, str) else end
    return Scanner(
        name=name,
        ends=tuple(_find(reader, find, (*place, "end", index)) for index, find in enumerate(ends)),
        finds=tuple(
            _find(reader, find, (*place, "find", index)) for index, find in enumerate(data.get("find", ()))
        ),
        most=data.get("most", 8192),
        line=reader.line(place),
        aside=data.get("aside", False),
        begin=_find(reader, {"text": "", **data["begin"]}, (*place, "begin")) if "begin" in data else None,
    )


def _find(reader: DocumentReader, data: Mapping[str, Any], place: Place) -> Find:
    return Find(
        text=reader.parsed(octets, data["text"], (*place, "text")),
        at_start=data.get("at") == "start",
        ignore_case=data.get("ignore_case", False),
        fields=tuple(data.get("set", {}).items()),
        added=tuple(data.get("add", {}).items()),
        number=_number(reader, data["number"], (*place, "number")) if "number" in data else None,
        line=reader.line(place),
    )


def _number(reader: DocumentReader, data: str | Mapping[str, Any], place: Place) -> ScannedNumber:
    if isinstance(data, str):
        return ScannedNumber(data)
    return ScannedNumber(
        variable=data["to"],
        base=data.get("base", 10),
        before=reader.parsed(octets, data.get("before", ""), (*place, "before")),
        otherwise=tuple(data["otherwise"].items()),
    )
