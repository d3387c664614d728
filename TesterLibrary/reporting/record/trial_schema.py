# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of `trials.jsonl`, made from the classes that are recorded.

`reports/schemas/trial.schema.json` holds what surrounds a trial in its record. What is described is in
`counters.proto` for a counter, and in the comment beside the field for anything else.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import json
import re
import sys
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from ..._generated.tester.v1.counters import DEFINITIONS
from ...files.paths import report_file
from ...measurement.trial import Trial

_FRACTION = {"type": "string", "pattern": "^-?[0-9]+(/[0-9]+)?$"}
_NOT_NEGATIVE = {"type": "integer", "minimum": 0}
_SCALARS = {str: {"type": "string"}, bool: {"type": "boolean"}, float: {"type": "number"}}
_COMMENT = re.compile(r"^    (\w+):.*?  # (.+)$", re.MULTILINE)
_NOT_COUNTED = "null where it is not counted"


def trial_schema() -> dict[str, Any]:
    """The schema of a line of `trials.jsonl` as this version writes it."""
    schema: dict[str, Any] = json.loads(report_file("schemas/trial.schema.json").read_text(encoding="utf-8"))
    parts: dict[str, Any] = {}
    trial = _object(Trial, parts)
    schema["properties"].update(trial["properties"])
    schema["required"] = sorted({*schema["required"], *trial["required"]})
    schema["$defs"] = parts
    return schema


def _object(cls: type, parts: dict[str, Any]) -> dict[str, Any]:
    hints, comments = get_type_hints(cls), _comments(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    return {
        "type": "object",
        "description": " ".join(str(cls.__doc__).split()),
        "properties": {
            name: _property(cls, name, hints[name], comments.get(name, ""), parts) for name in fields
        },
        "required": list(fields),
        "additionalProperties": False,
    }


def _property(cls: type, name: str, hint: Any, comment: str, parts: dict[str, Any]) -> dict[str, Any]:
    arguments = get_args(hint)
    absent = type(None) in arguments
    kind = next((argument for argument in arguments if argument is not type(None)), None) if absent else hint
    schema = dict(_schema(kind, parts))
    definition = DEFINITIONS.get(f"{cls.__name__}.{name}")
    if definition:
        comment = f"{definition.help} Unit: {definition.unit}." if definition.unit else definition.help
        if definition.signed:
            schema.pop("minimum")
    if absent:
        schema = {"anyOf": [schema, {"type": "null"}]}
        told = re.search(r"\bNone\b", comment)
        absence = "" if told else _NOT_COUNTED
        comment = "; ".join(filter(None, (comment.removesuffix("."), absence))).replace("None", "null")
    return {**schema, "description": comment} if comment else schema


def _schema(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], parts)}
    if origin is collections.abc.Mapping and arguments == (int, int):
        return {
            "type": "array",
            "items": {"type": "integer"},
            "$comment": "first number, its count, step to the next number, its count, and so on",
        }
    if origin is collections.abc.Mapping:
        pair = [_schema(argument, parts) for argument in arguments]
        return {
            "type": "array",
            "items": {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2},
        }
    if hint is Fraction:
        return _FRACTION
    if hint is int:
        return _NOT_NEGATIVE
    if issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        if hint.__name__ not in parts:
            parts[hint.__name__] = {}  # it may hold itself
            parts[hint.__name__] = _object(hint, parts)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return _SCALARS[hint]


@lru_cache
def _comments(cls: type) -> dict[str, str]:
    """The comments beside the fields of a class at the top of its module, by field."""
    found = re.search(
        rf"^class {cls.__name__}\b.*?(?=^\S|\Z)", _source(cls.__module__), re.MULTILINE | re.DOTALL
    )
    assert found
    return dict(_COMMENT.findall(found[0]))


@lru_cache
def _source(module: str) -> str:
    return inspect.getsource(sys.modules[module])
