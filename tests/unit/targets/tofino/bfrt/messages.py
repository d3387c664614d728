# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of protobuf, without their classes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

_REPEATED = ("updates", "entities", "fields", "config")
_BYTES = ("stream", "value", "mask", "low", "high")
_DEFAULTS = {"action_id": 0, "table_id": 0, "field_id": 0}
_ONE_OF = ("stream", "str_val", "bool_val", "float_val", "int_arr_val", "bool_arr_val", "str_arr_val")
_PROTO_DEFAULTS = (0, False, "", "CONTINUE_ON_ERROR")


class Message:
    """A message of protobuf: fields come to be when they are looked at, and are sent when they were set."""

    def __init__(self, words: Mapping[str, Any] | None = None) -> None:
        self.__dict__["_fields"] = {}
        for name, value in (words or {}).items():
            self._fields[name] = _read(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._fields:
            if name in _DEFAULTS:
                return _DEFAULTS[name]
            self._fields[name] = Many() if name in _REPEATED else Message()
        return self._fields[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._fields[name] = value

    def WhichOneof(self, _: str) -> str | None:  # noqa: N802 - as protobuf calls it
        return next((name for name in _ONE_OF if name in self._fields), None)

    @property
    def is_set(self) -> bool:
        """Whether anything was, if only to its default."""
        return any(not isinstance(field, Message | Many) or field.is_set for field in self._fields.values())

    def words(self) -> dict[str, Any]:
        """The message as JSON has it: without defaults, except those of a oneof."""
        return {name: _words(field) for name, field in self._fields.items() if _is_sent(name, field)}


class Many(list[Message]):
    """A repeated field of messages."""

    def add(self) -> Message:
        self.append(Message())
        return self[-1]

    @property
    def is_set(self) -> bool:
        return bool(self)


def _is_sent(name: str, value: Any) -> bool:
    if name in _ONE_OF:
        return True
    return value.is_set if isinstance(value, Message | Many) else value not in _PROTO_DEFAULTS


def _words(value: Any) -> Any:
    if isinstance(value, Message):
        return value.words()
    if isinstance(value, Many):
        return [message.words() for message in value]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _read(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Message(value)
    if name in _REPEATED:
        return Many(map(Message, value))
    return base64.b64decode(value) if name in _BYTES else value
