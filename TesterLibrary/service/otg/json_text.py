# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON of the model to messages and back. All that is wrong is told, each with its path."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

from google.protobuf.descriptor import Descriptor, FieldDescriptor

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
            twice = sorted({key for key, _ in found if sum(key == other for other, _ in found) > 1})
            findings.add("", f"an object has {', '.join(map(repr, twice))} more than once; give it once")
        return made

    try:
        document = json.loads(body, object_pairs_hook=pairs, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise OtgError([f"the body is no JSON: {problem}"]) from None
    message = message_class(name)()
    _fill(message, document, "", findings)
    findings.settle()
    return message


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _fill(message: Message, document: Any, path: str, findings: Findings) -> None:
    if not isinstance(document, dict):
        findings.add(path, f"{_shown(document)} is no object; {_allowed(message.DESCRIPTOR)}")
        return
    readers = _readers(message.DESCRIPTOR)
    for key, value in document.items():
        reader = readers.get(key)
        place = f"{path}.{key}" if path else key
        if reader is None:
            findings.add(place, f"is not in the model; {_allowed(message.DESCRIPTOR)}")
        elif value is not None:
            reader(message, value, place, findings)


_Reader = Callable[[Message, Any, str, Findings], None]


@cache
def _readers(descriptor: Descriptor) -> Mapping[str, _Reader]:
    return {field.name: _reader(field) for field in descriptor.fields}


def _reader(field: FieldDescriptor) -> _Reader:
    name = field.name
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        if is_list(field):

            def many(message: Message, value: Any, place: str, findings: Findings) -> None:
                if not isinstance(value, list):
                    findings.add(place, f"{_shown(value)} is no list")
                    return
                made = getattr(message, name)
                for index, one in enumerate(value):
                    _fill(made.add(), one, f"{place}[{index}]", findings)

            return many

        def single(message: Message, value: Any, place: str, findings: Findings) -> None:
            made = getattr(message, name)
            made.SetInParent()
            _fill(made, value, place, findings)

        return single
    convert = _converter(field)
    if is_list(field):

        def values(message: Message, value: Any, place: str, findings: Findings) -> None:
            if not isinstance(value, list):
                findings.add(place, f"{_shown(value)} is no list")
                return
            made = getattr(message, name)
            for index, one in enumerate(value):
                try:
                    made.append(convert(one))
                except ValueError as problem:
                    findings.add(f"{place}[{index}]", str(problem))

        return values

    def scalar(message: Message, value: Any, place: str, findings: Findings) -> None:
        try:
            setattr(message, name, convert(value))
        except ValueError as problem:
            findings.add(place, str(problem))

    return scalar


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
        value.encode()
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
