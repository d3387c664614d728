# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes Python's classes of counters from what proto/tester/v1/counters.proto says of each counter.

Every message with the option `counters` becomes a frozen dataclass of the same name. A field that is
`optional` is None by default unless it has `begins_with_zero`, one with `key` has no default, and all others
begin with 0, nothing, or a group of zeros.

`from_message` of a class reads plain fields at once. Every other field is a `part`: its default stands in the
class, and an instance that has a message reads the field from it at the first use, since few are ever used.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

WIDTH = 110
HEADER = '''\
# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a tester at one instant. Made by tools/protos.py from proto/tester/v1: change that."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

T = TypeVar("T")
_MESSAGE = "_message"  # in the dictionary of counters that were read from a message


class Part:
    """A field that is read from the message of its counters at the first use."""

    def __init__(self, read: Callable[[Any], Any], default: Any) -> None:
        self._read, self._default = read, default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, counters: Any, owner: type) -> Any:
        if counters is None:
            return self._default
        values = counters.__dict__
        value = values[self._name] = self._read(values[_MESSAGE])
        return value


def part(read: Callable[[Any], Any], default: Any) -> Any:
    """A `Part` as the default of a field, which has a type of its own."""
    return Part(read, default)


class Buckets(Mapping[int, int]):
    """The buckets of a histogram by their index; messages are read at the first use."""

    def __init__(self, messages: Any = ()) -> None:
        self._messages = messages

    @cached_property
    def _counts(self) -> dict[int, int]:
        return {bucket.index: bucket.count for bucket in self._messages}

    def __getitem__(self, index: int) -> int:
        return self._counts[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return repr(self._counts)


@dataclass(frozen=True)
class Definition:
    """A counter as counters.proto defines it."""

    unit: str
    direction: str
    resets: str
    help: str
    counted_by: tuple[str, ...]
    signed: bool
'''
_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    _Field.TYPE_BOOL: ("bool", "False"),
    _Field.TYPE_STRING: ("str", '""'),
    _Field.TYPE_BYTES: ("bytes", 'b""'),
}
_SIGNED = (_Field.TYPE_SINT64, _Field.TYPE_SINT32, _Field.TYPE_INT64, _Field.TYPE_INT32)
_HISTOGRAM = ("Mapping[int, int]", "Buckets()")
_TESTERS = ("ENGINE", "FAKE", "SWITCH")


class Classes:
    """The classes of all messages of a set of files that have the option `counters`."""

    def __init__(self, files: descriptor_pb2.FileDescriptorSet) -> None:
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)  # type: ignore[no-untyped-call, unused-ignore]
        message_factory.GetMessageClassesForFiles([file.name for file in files.file], pool)
        self._pool = pool
        self._messages = {
            message.name: message
            for file in files.file
            for message in file.message_type
            if self._options(message, "MessageOptions", "counters").help
        }

    def text(self) -> str:
        """The module."""
        ordered = list(self._ordered())
        classes = "\n\n".join(self._class(message) for message in ordered)
        definitions = "".join(
            f'    "{message.name}.{field.name}": {self._definition(message, field)},\n'
            for message in ordered
            for field in message.field
        )
        return (
            f"{HEADER}\n\n{classes}\n\nDEFINITIONS: Final[Mapping[str, Definition]] = {{\n{definitions}}}\n"
        )

    def _ordered(self) -> Iterator[Any]:
        """Messages after those that they hold."""
        done: set[str] = set()

        def with_parts(name: str) -> Iterator[Any]:
            if name in done or name not in self._messages:
                return
            done.add(name)
            for field in self._messages[name].field:
                yield from with_parts(_type_name(field))
            yield self._messages[name]

        for name in self._messages:
            yield from with_parts(name)

    def _class(self, message: Any) -> str:
        fields = sorted(message.field, key=lambda field: not self._counter(field).key)
        return "".join(
            (
                f"@dataclass(frozen=True)\nclass {message.name}:\n",
                _quoted(self._options(message, "MessageOptions", "counters").help),
                *(f"\n{self._attribute(field)}" for field in fields),
                f"\n{self._reader(message.name, fields)}",
            )
        )

    def _attribute(self, field: Any) -> str:
        counter = self._counter(field)
        kind, default = self._kind(field)
        if field.proto3_optional or counter.may_be_absent:
            kind, default = f"{kind} | None", default if counter.begins_with_zero else "None"
        value = default if self._is_plain(field) else f"part(lambda message: {self._read(field)}, {default})"
        return f"    {field.name}: {kind}{'' if counter.key else f' = {value}'}\n{_quoted(counter.help)}"

    def _is_plain(self, field: Any) -> bool:
        """Whether a field is a number, a truth or a text that every message has."""
        is_scalar = field.type not in (_Field.TYPE_MESSAGE, _Field.TYPE_BYTES)
        return is_scalar and field.label != _Field.LABEL_REPEATED and not field.proto3_optional

    def _reader(self, name: str, fields: Iterable[Any]) -> str:
        """The method that makes an instance from its message, without the slow constructor of frozen ones."""
        plain = [field.name for field in fields if self._is_plain(field)]
        values = "".join(f"            {name}=message.{name},\n" for name in plain)
        message = "            _message=message,\n" if len(plain) < len(list(fields)) else ""
        return (
            "    @classmethod\n"
            f"    def from_message(cls: builtins.type[T], message: Any) -> T:\n"
            f'        """The counters of a message of the type {name}."""\n'
            "        counters: T = object.__new__(cls)\n"
            f"        counters.__dict__.update(\n{values}{message}        )\n"
            "        return counters\n"
        )

    def _read(self, field: Any) -> str:
        """An expression that reads a field of `message`."""
        name, value = _type_name(field), f"message.{field.name}"
        if name == "Bucket":
            return f"Buckets({value})"
        if field.label == _Field.LABEL_REPEATED:
            return f"tuple(map({name}.from_message, {value}))" if name else f"tuple({value})"
        if name == "Uint128":
            value = f"{value}.high << 64 | {value}.low"
        elif name:
            value = f"{name}.from_message({value})"
        return f'{value} if message.HasField("{field.name}") else None' if field.proto3_optional else value

    def _kind(self, field: Any) -> tuple[str, str]:
        name, repeated = _type_name(field), field.label == _Field.LABEL_REPEATED
        if name == "Bucket":
            return _HISTOGRAM
        kind, default = _SCALARS.get(field.type, ("int", "0"))
        if name and name != "Uint128":
            if name not in self._messages:
                raise SystemExit(f"{field.name}: the message {name} needs the option `counters`")
            kind, default = name, f"{name}()"
        return (f"tuple[{kind}, ...]", "()") if repeated else (kind, default)

    def _definition(self, message: Any, field: Any) -> str:
        counter = self._counter(field)
        if not counter.help:
            raise SystemExit(f"{message.name}.{field.name} has no help in its option `counter`")
        group = self._options(message, "MessageOptions", "counters")
        lacking = {int(tester) for tester in counter.lacked_by}
        testers = tuple(name.lower() for number, name in enumerate(_TESTERS, 1) if number not in lacking)
        unit = _word(counter, "unit", counter.unit)
        resets = _word(counter, "resets", counter.resets or group.resets)
        direction = _word(counter, "direction", counter.direction)
        values = (unit, direction, resets, counter.help, testers, field.type in _SIGNED)
        return f"Definition({', '.join(map(repr, values))})"

    def _counter(self, field: Any) -> Any:
        return self._options(field, "FieldOptions", "counter")

    def _options(self, described: Any, kind: str, name: str) -> Any:
        """An option of ours: the file's own pool knows it, whoever has parsed the file."""
        options = message_factory.GetMessageClass(
            self._pool.FindMessageTypeByName(f"google.protobuf.{kind}")  # type: ignore[no-untyped-call, unused-ignore]
        ).FromString(described.options.SerializeToString())
        return options.Extensions[self._pool.FindExtensionByName(f"tester.v1.{name}")]  # type: ignore[no-untyped-call, unused-ignore]


def _type_name(field: Any) -> str:
    return str(field.type_name).rpartition(".")[2]


def _word(counter: Any, field: str, number: int) -> str:
    """The value of an enum as people read it; empty where it is not said."""
    if not number:
        return ""
    name: str = counter.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number[number].name
    return name.lower().replace("_", " ")


def _quoted(text: str) -> str:
    """A docstring of a class or of an attribute."""
    lines: Iterable[str] = textwrap.wrap(f'"""{text}"""', WIDTH - 4)
    return "".join(f"    {line}\n" for line in lines)
