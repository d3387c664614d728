# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages to and from a process that speaks to a switch: one JSON object in each line.

A request is `{"do": NAME, ...}`, its answer `{"done": RESULT}` or `{"error": KIND, "message": TEXT}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....errors import PlanError, TargetError, TestbedError, TesterLibraryError
from ..entries.entry import Masked, Span, TableEntry, Value
from .switch import SwitchGone

_KINDS: Mapping[str, type[TesterLibraryError]] = {
    "refused": PlanError,
    "misconfigured": TestbedError,
    "gone": SwitchGone,
    "broken": TargetError,
}


def entry_words(entry: TableEntry) -> dict[str, Any]:
    """An entry for JSON."""
    return {
        "table": entry.table,
        "key": _values(entry.key),
        "action": entry.action,
        "data": _values(entry.data),
    }


def entry_of(words: Mapping[str, Any]) -> TableEntry:
    """The inverse of `entry_words`."""
    return TableEntry(words["table"], key_of(words["key"]), words["action"], key_of(words["data"]))


def key_words(key: Mapping[str, Value]) -> dict[str, Any]:
    """A key for JSON."""
    return _values(key)


def key_of(words: Mapping[str, Any]) -> dict[str, Value]:
    """The inverse of `key_words`."""
    return {name: _value_of(value) for name, value in words.items()}


def error_words(problem: TesterLibraryError) -> dict[str, str]:
    """An error as an answer."""
    kind = next((kind for kind, error in _KINDS.items() if isinstance(problem, error)), "broken")
    return {"error": kind, "message": getattr(problem, "reason", str(problem))}


def error_of(words: Mapping[str, str]) -> TesterLibraryError:
    """The error that an answer tells."""
    return _KINDS.get(words["error"], TargetError)(words["message"])


def _values(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: _value_words(value) for name, value in values.items()}


def _value_words(value: Value) -> Any:
    if isinstance(value, Masked):
        return {"value": value.value, "mask": value.mask}
    if isinstance(value, Span):
        return {"first": value.first, "last": value.last}
    return value


def _value_of(words: Any) -> Value:
    if not isinstance(words, dict):
        value: int | str = words
        return value
    return Masked(**words) if "mask" in words else Span(**words)
