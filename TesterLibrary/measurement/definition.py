# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The definitions of `counters.proto`, asked for the counters of a class that a kind of tester counts."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from .._generated.tester.v1.counters import DEFINITIONS


def counted(cls: type, tester: str) -> dict[str, Any]:
    """The fields that are None where a tester does not count them and that this kind counts, each as nothing.

    `tester` is `engine`, `fake` or `switch`.
    """
    return {name: _nothing(hint, tester) for name, hint in _hints(cls, tester)}


@lru_cache
def _hints(cls: type, tester: str) -> list[tuple[str, Any]]:
    """The types of these fields. To read them takes long, and every snapshot asks."""
    hints = get_type_hints(cls)
    return [
        (field.name, hints[field.name])
        for field in dataclasses.fields(cls)
        if field.default is None and tester in DEFINITIONS[f"{cls.__name__}.{field.name}"].counted_by
    ]


def _nothing(hint: Any, tester: str) -> Any:
    kind = next(argument for argument in get_args(hint) if argument is not type(None))
    if get_origin(kind) is tuple:
        return ()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return kind(**counted(kind, tester))
    return kind()
