# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The supported and the refused fields of the model, as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from . import control as _  # noqa: F401 - all that reads messages is imported by it
from .schema import descriptor, values_of, version
from .support import is_read, values_read

ROOTS = (
    *("Config", "ConfigUpdate", "ConfigAppend", "ConfigDelete", "ControlState"),
    *("MetricsRequest", "StatesRequest", "CaptureRequest"),
)
_PATTERN = "PatternFlow"
_CHOICE = "choice"


def table() -> str:
    """A row for each message that is read, with its fields; a field in brackets has these values only."""
    lines = [f"Model {version()}:", "", "| message | supported | refused |", "|---|---|---|"]
    lines += (
        f"| `{message.name}` | {_listed(_supported(message))} | {_listed(_refused(message))} |"
        for message in _messages()
    )
    return "\n".join(lines) + "\n"


def _listed(names: Iterator[str]) -> str:
    return ", ".join(names) or "–"


def _messages() -> Iterator[Descriptor]:
    """The messages that are read, each once, from the roots inwards; patterns are told with their fields."""
    waiting, seen = list(ROOTS), set(ROOTS)
    while waiting:
        message = descriptor(waiting.pop(0))
        yield message
        for field in message.fields:
            inner = field.message_type
            if inner and is_read(message, field.name) and inner.name not in seen and not _is_pattern(inner):
                seen.add(inner.name)
                waiting.append(inner.name)


def _is_pattern(message: Descriptor) -> bool:
    return message.name.startswith(_PATTERN)


def _supported(message: Descriptor) -> Iterator[str]:
    for field in message.fields:
        if not is_read(message, field.name) or field.name == _CHOICE:
            continue
        if field.message_type and _is_pattern(field.message_type):
            yield f"{field.name} ({_ways(field.message_type)})"
        elif field.enum_type and len(values_read(field)) < len(values_of(field)):
            yield f"{field.name} ({' '.join(values_read(field))})"
        else:
            yield field.name
    choice = message.fields_by_name.get(_CHOICE)
    if choice and is_read(message, _CHOICE):
        yield from (name for name in values_read(choice) if name not in message.fields_by_name)


def _ways(pattern: Descriptor) -> str:
    return " ".join(values_read(pattern.fields_by_name[_CHOICE]))


def _refused(message: Descriptor) -> Iterator[str]:
    known: list[FieldDescriptor] = list(message.fields)
    yield from (field.name for field in known if not is_read(message, field.name) and field.name != _CHOICE)
    choice = message.fields_by_name.get(_CHOICE)
    if choice:
        rest = set(values_of(choice)) - set(values_read(choice)) - set(message.fields_by_name)
        yield from sorted(rest)
