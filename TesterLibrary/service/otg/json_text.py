# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON of the model to messages and back. All that is wrong is told, each with its path."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NoReturn

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from ..web.guard import repeated_keys
from .refusal import Findings, OtgError
from .schema import Message, enumeration, is_list, message_class, values_of

_LARGEST = {
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
}
_FLOATS = {FieldDescriptor.TYPE_FLOAT: 3.4028234e38, FieldDescriptor.TYPE_DOUBLE: 1.7e308}
_SHOWN = 60  # characters of a value in a message


def parsed(name: str, body: bytes) -> Message:
    """A message of the model from JSON.

    Raises:
        OtgError: it is no JSON, or not of this message: each place, what was given, and what is allowed.
    """
    findings = Findings()

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) < len(found):
            twice = ", ".join(map(repr, sorted(repeated_keys(found))))
            findings.add("", f"an object has {twice} more than once; give it once")
        return made

    try:
        document = json.loads(body, object_pairs_hook=pairs, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise OtgError([f"the body is no JSON: {problem}"]) from None
    kind = message_class(name)
    values = _object(kind.DESCRIPTOR, document, None, findings)
    findings.settle()
    return kind(**values)  # all at once, which takes less time than setting one by one


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


_Place = tuple["_Place | None", str | int]  # what has it, and its name or index there
_Convert = Callable[[Any], Any]  # a ValueError says what is allowed
_Part = Callable[[Any, _Place, Findings], Any]  # notes what is wrong within


@dataclass(frozen=True)
class _Fields:
    """Makes values of a message's fields from JSON, by their names."""

    scalars: Mapping[str, _Convert]
    parts: Mapping[str, _Part]  # messages and lists

    @classmethod
    @cache
    def of(cls, kind: Descriptor) -> _Fields:
        scalars, parts = {}, {}
        for field in kind.fields:
            if is_list(field):
                parts[field.name] = _many(field)
            elif field.message_type:
                parts[field.name] = partial(_object, field.message_type)
            else:
                scalars[field.name] = _converter(field)
        return cls(scalars, parts)


def _path(place: _Place | None) -> str:
    """A place as text, which is made only where something is wrong."""
    path = ""
    while place:
        place, name = place
        path = f"[{name}]{path}" if isinstance(name, int) else f".{name}{path}"
    return path[1:]


def _object(kind: Descriptor, document: Any, place: _Place | None, findings: Findings) -> dict[str, Any]:
    """The values of a message, None for those not given; not all of them where something is wrong."""
    if not isinstance(document, dict):
        findings.add(_path(place), f"{_shown(document)} is no object; {_allowed(kind)}")
        return {}
    fields, made = _Fields.of(kind), {}
    for name, value in document.items():
        if convert := fields.scalars.get(name):
            try:
                made[name] = None if value is None else convert(value)
            except ValueError as problem:
                findings.add(_path((place, name)), str(problem))
        elif part := fields.parts.get(name):
            made[name] = None if value is None else part(value, (place, name), findings)
        else:
            findings.add(_path((place, name)), f"is not in the model; {_allowed(kind)}")
    return made


def _many(field: FieldDescriptor) -> _Part:
    kind, convert = field.message_type, _converter(field)

    def many(value: Any, place: _Place, findings: Findings) -> list[Any]:
        if not isinstance(value, list):
            findings.add(_path(place), f"{_shown(value)} is no list")
            return []
        made = []
        for index, one in enumerate(value):
            try:
                made.append(_object(kind, one, (place, index), findings) if kind else convert(one))
            except ValueError as problem:
                findings.add(_path((place, index)), str(problem))
        return made

    return many


def _converter(field: FieldDescriptor) -> Callable[[Any], Any]:
    """Makes a value of a field from JSON. ValueError says what is allowed."""
    kind = field.type
    if kind == FieldDescriptor.TYPE_ENUM:
        names = values_of(field)

        def enumerated(value: Any) -> int:
            if isinstance(value, str) and value in names:
                return names[value]
            raise ValueError(f"{_shown(value)} is not one of {', '.join(names)}")

        return enumerated
    if kind == FieldDescriptor.TYPE_STRING:
        return _text
    if kind == FieldDescriptor.TYPE_BOOL:
        return _truth
    if kind in _FLOATS:
        return lambda value: _real(value, _FLOATS[kind])
    return lambda value: _whole(value, *_LARGEST[kind])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is no text")
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{_shown(value)} is no text: half of a surrogate pair is missing") from None
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{_shown(value)} is neither true nor false")
    return value


def _real(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= most:
        raise ValueError(f"{_shown(value)} is no number from {-most:g} to {most:g}")
    return float(value)


def _whole(value: Any, least: int, most: int) -> int:
    """A whole number; those of 64 bits may be written as text, as protobuf's JSON has them."""
    number = value
    if (
        isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 21
    ) or (isinstance(value, float) and math.isfinite(value) and value.is_integer()):
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise ValueError(f"{_shown(value)} is no whole number from {least} to {most}")
    return number


def _allowed(descriptor: Descriptor) -> str:
    names = [field.name for field in descriptor.fields]
    return f"allowed are {', '.join(names)}" if names else "it has no fields"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def text_of(message: Message) -> str:
    """A message as JSON: names as in the model, numbers as numbers."""
    return json.dumps(plain(message))


def plain(answer: Message | dict[str, Any]) -> dict[str, Any]:
    """A message as dictionaries and lists, of which some answers are made at once."""
    return answer if isinstance(answer, dict) else _plain(answer)


def _plain(message: Message) -> dict[str, Any]:
    made = {}
    for field, value in message.ListFields():
        name, shown = _shower(field)
        made[name] = value if shown is None else shown(value)
    return made


@cache
def _shower(field: FieldDescriptor) -> tuple[str, Callable[[Any], Any] | None]:
    """The name of a field, and what makes its value one of JSON; None where it is one."""
    one: Callable[[Any], Any] | None = None
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        one = _plain
    elif field.type == FieldDescriptor.TYPE_ENUM:
        names = {number: value.name for number, value in enumeration(field).values_by_number.items()}
        one = names.__getitem__
    if is_list(field):
        return field.name, list if one is None else lambda values: list(map(one, values))
    return field.name, one
