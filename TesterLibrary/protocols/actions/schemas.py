# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of the keys that a protocol file may have for an action (tools/protocol_schema.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
Schemas = Mapping[str, Schema]  # by key

_EXPRESSION = "give a number, a name, or names and numbers with operators between, such as TCP.seq + 1"


def named(description: str) -> Schema:
    """A name."""
    return {"description": description, "type": "string"}


def expression(description: str = _EXPRESSION) -> Schema:
    """An expression."""
    return {"description": description, "type": ["integer", "string"]}


def each(description: str) -> Schema:
    """An expression for each of several names."""
    return {
        "description": description,
        "type": "object",
        "minProperties": 1,
        "additionalProperties": expression(),
    }


def listed(description: str, item: Schema, most: int = 64) -> Schema:
    """A list of one or more."""
    return {"description": description, "type": "array", "minItems": 1, "maxItems": most, "items": item}


def mapping(description: str, properties: Mapping[str, Schema], *, required: tuple[str, ...] = ()) -> Schema:
    """A mapping with these keys."""
    head = {"description": description, "type": "object", "additionalProperties": False}
    return {**head, **({"required": list(required)} if required else {}), "properties": dict(properties)}
