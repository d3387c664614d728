# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers that a file describes; `resources/headers/example.yaml` explains the format."""

from __future__ import annotations

from functools import reduce
from keyword import iskeyword
from operator import getitem
from typing import Any

from ..errors import PlanError
from ..model.headers import FieldType, HeaderType
from . import paths
from .document import Document, Kind, Place, load_document

_KIND = Kind("headers", PlanError)


def load_headers(name_or_path: str) -> tuple[HeaderType, ...]:
    """The headers of a shipped file, such as `example`, or of a path.

    PlanError says what is wrong: file, line, key, what is allowed.
    """
    return headers_in(load_document(paths.resource("headers", name_or_path), _KIND), ("headers",))


def headers_in(document: Document, place: Place) -> tuple[HeaderType, ...]:
    """The header types of a list in a file that fits its schema. PlanError for fields that make no header."""
    headers = reduce(getitem, place, document.data)
    for number, header in enumerate(headers):
        for index, field in enumerate(header["fields"]):
            if field.get("default", 0) >> field["bits"]:
                problem = f"does not fit {field['bits']} bits; give 0 to {(1 << field['bits']) - 1}"
                raise document.error((*place, number, "fields", index, "default"), problem)
            if iskeyword(field["name"]):
                problem = f"{field['name']!r} is a word of Python's; give another"
                raise document.error((*place, number, "fields", index, "name"), problem)
        if (bits := sum(field["bits"] for field in header["fields"])) % 8:
            problem = f"{bits} bits in all are no whole number of bytes"
            raise document.error((*place, number, "fields"), problem)
    return tuple(_header(header) for header in headers)


def _header(data: dict[str, Any]) -> HeaderType:
    return HeaderType(
        name=data["name"],
        fields=tuple(FieldType(**field) for field in data["fields"]),
        follows=data.get("follows", {}),
        carries=data.get("carries", {}),
    )
