# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Documentation of results for Libdoc: their attributes, as the comments in their source describe them."""

from __future__ import annotations

import inspect
import io
import re
import textwrap
import tokenize
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any


def attributes_of(kind: type[Any]) -> str:
    """The documentation of a result, with a table of its attributes as their own comments describe them."""
    rows = {**_described_fields(kind), **_described_properties(kind)}
    table = "\n".join(f"| ``{name}`` | {text} |" for name, text in rows.items())
    return f"{inspect.cleandoc(kind.__doc__ or '')}\n\n| =Attribute= | =Meaning= |\n{table}"


def _described_properties(kind: type[Any]) -> dict[str, str]:
    found = {}
    for owner in reversed(kind.__mro__):
        for name, member in vars(owner).items():
            if isinstance(member, property | cached_property) and not name.startswith("_"):
                found[name] = " ".join(inspect.cleandoc(member.__doc__ or "").split("\n\n")[0].split())
    return found


def _described_fields(kind: type[Any]) -> dict[str, str]:
    """Each field of a dataclass with the comment behind it, or its type if there is none."""
    if not is_dataclass(kind):
        return {}
    comments: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        if is_dataclass(owner):
            comments |= _comments(textwrap.dedent(inspect.getsource(owner)))
    types = {field.name: str(field.type) for field in fields(kind) if not field.name.startswith("_")}
    return {name: comments.get(name, f"a value of type {text}") for name, text in types.items()}


def _comments(source: str) -> dict[str, str]:
    """Comments at the ends of the lines of fields, by the fields' names."""
    found: dict[str, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        field = re.match(r"    (\w+):", token.line)
        if token.type == tokenize.COMMENT and field:
            found.setdefault(field[1], token.string.lstrip("# "))
    return found
