# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The fields of the model that this server reads. Whatever else is given is refused, by its path.

Modules that read messages say so with `reads`; `docs/otg.md` has the table that follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.unknown_fields import UnknownFieldSet

from .refusal import Findings
from .schema import (
    Message,
    alternatives,
    descriptor,
    enumeration,
    is_list,
    message_of,
    names_of,
    values_of,
)

_FIELDS: dict[str, frozenset[str]] = {}  # by the name of a message
_VALUES: dict[
    tuple[str, str], frozenset[str]
] = {}  # of an enumeration, by message and field, where not all are
_UNSAID = 0  # the number of every enumeration's value that says nothing


def reads(message: str, fields: str, **values: str) -> None:
    """Says which fields of a message are read, and of enumerations which values, where it is not all of them.

    Both are words with spaces between. A name that the model has not is an error of this library.
    """
    known = descriptor(message)
    _about.cache_clear()
    _FIELDS[message] = _FIELDS.get(message, frozenset()) | frozenset(fields.split())
    for name in _FIELDS[message]:
        if name not in known.fields_by_name:
            raise KeyError(f"{message} has no field {name}")
    for name, allowed in values.items():
        if wrong := set(allowed.split()) - set(values_of(known.fields_by_name[name])):
            raise KeyError(f"{message}.{name} has no value {wrong}")
        _VALUES[message, name] = frozenset(allowed.split())


def is_read(message: Descriptor, field: str) -> bool:
    """Whether a field is read."""
    return field in _FIELDS.get(message.name, ())


def values_read(field: FieldDescriptor) -> list[str]:
    """The values of an enumeration that are read, in the order of the model."""
    message = message_of(field)
    allowed = _VALUES.get((message.name, field.name))
    return [name for name in values_of(field) if allowed is None or name in allowed]


def fields_read(message: Descriptor) -> list[str]:
    """The fields of a message that are read, in the order of the model."""
    return [field.name for field in message.fields if is_read(message, field.name)]


def check(message: Message, path: str, findings: Findings) -> None:
    """Notes each place of a message that is not read: nothing is ever ignored."""
    _check(message, path, findings, set())


def check_fields(message: Message, path: str, findings: Findings) -> None:
    """Notes fields of a message itself that this version of the model does not have."""
    unknown: Any = UnknownFieldSet(message)  # it has no hints
    for number in sorted({field.field_number for field in unknown}):
        findings.add(path, f"field number {number} is not in this version of the model")


def _check(message: Message, path: str, findings: Findings, sound: set[tuple[str, bytes]]) -> None:
    """`sound` has the messages that were found to be right, since thousands of flows share many parts."""
    known = message.DESCRIPTOR
    key = (known.name, message.SerializeToString())
    if key in sound:
        return
    before = len(findings.errors)
    check_fields(message, path, findings)
    named = []
    for field, value in message.ListFields():
        about = _about(field)
        place = f"{path}.{about.name}" if path else about.name
        if about.is_alternative:
            named.append(about.name)
        if not about.is_read:
            findings.add(place, f"is not supported; {_supported(known)}")
        elif about.is_message:
            if about.is_list:
                for index, one in enumerate(value):
                    _check(one, f"{place}[{index}]", findings, sound)
            else:
                _check(value, place, findings, sound)
        elif about.is_real:
            for shown, one in _each(place, value, many=about.is_list):
                if not math.isfinite(one):
                    findings.add(shown, f"{one} is no number; give a finite one")
        elif about.values is not None:
            for shown, one in _each(place, value, many=about.is_list):
                if one not in about.values:
                    _refuse_value(field, one, shown, findings)
    if named:
        _check_choice(message, named, path, findings)
    if len(findings.errors) == before:
        sound.add(key)


@dataclass(frozen=True)
class _About:
    """A field as a check has to know it. Descriptors tell that more slowly."""

    name: str
    is_read: bool
    is_list: bool
    is_message: bool
    is_real: bool  # a number with a fraction
    is_alternative: bool  # that `choice` may name
    values: frozenset[int] | None  # of an enumeration, those that are read


@cache
def _about(field: FieldDescriptor) -> _About:
    message = message_of(field)
    known = values_of(field) if field.type == FieldDescriptor.TYPE_ENUM else None
    return _About(
        name=field.name,
        is_read=is_read(message, field.name),
        is_list=is_list(field),
        is_message=field.type == FieldDescriptor.TYPE_MESSAGE,
        is_real=field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE),
        is_alternative=field.name in alternatives(message),
        values=None if known is None else frozenset(known[name] for name in values_read(field)),
    )


def _supported(message: Descriptor) -> str:
    return f"of {message.name} {', '.join(fields_read(message)) or 'nothing'} can be given"


def _each(place: str, value: Message, *, many: bool) -> Iterator[tuple[str, int]]:
    if many:
        yield from ((f"{place}[{index}]", one) for index, one in enumerate(value))
    else:
        yield place, value


def _refuse_value(field: FieldDescriptor, number: int, place: str, findings: Findings) -> None:
    value = enumeration(field).values_by_number.get(number)
    allowed = ", ".join(values_read(field))
    if value is None or number == _UNSAID:
        findings.add(place, f"{number} is no value of the model; give one of {allowed}")
    else:
        findings.add(place, f"{value.name} is not supported; give one of {allowed}")


def _check_choice(message: Message, given: list[str], path: str, findings: Findings) -> None:
    """A field that `choice` does not name would be ignored, so it must not be given."""
    if not message.HasField("choice"):
        if len(given) > 1:
            findings.add(path, f"{', '.join(given)} are given without a choice; give one of them")
        return
    choice = names_of(message.DESCRIPTOR, "choice").get(message.choice)
    for name in given:
        if choice not in (None, name):
            findings.add(f"{path}.{name}" if path else name, f"goes with the choice {name}, not {choice}")
