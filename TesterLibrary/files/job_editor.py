# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields that change, in job files; `resources/jobs/flows.yaml` explains the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import PlanError
from ..model.editor import Editor, FieldPath, Mode, RandomField, RandomMask, RandomPrefix, Sweep
from .field_values import draw, field_values


def editor(data: Mapping[str, Any]) -> Editor:
    """An editor from what a file says of it. PlanError unless it says in one way how it changes."""
    given = [key for key in _MODES if key in data]
    if len(given) != 1:
        said = " and ".join(given) or "nothing"
        raise PlanError(f"{data['field']}: {said} tells how it changes; give one of {', '.join(_MODES)}")
    mode = _MODES[given[0]](data[given[0]])
    return Editor(FieldPath.parse(data["field"]), mode, data.get("every", 1), data.get("seed"))


def cascade(paths: list[str]) -> tuple[FieldPath, ...]:
    """Fields each of which moves when the one before it wraps."""
    return tuple(map(FieldPath.parse, paths))


def _sweep(data: Mapping[str, Any]) -> Mode:
    texts = {key: str(data[key]) for key in ("first", "last", "step") if key in data}
    return Sweep(**texts, count=data.get("count"))


def _values(data: list[Any] | str) -> Mode:
    return field_values((), data) if isinstance(data, str) else field_values([*map(str, data)])


def _random(data: list[Any]) -> Mode:
    return RandomField(*map(str, data))


def _draw(data: Mapping[Any, Any] | str) -> Mode:
    if isinstance(data, str):
        return draw({}, data)
    return draw({str(value): str(share) for value, share in data.items()})


_MODES: Mapping[str, Callable[[Any], Mode]] = {
    "sweep": _sweep,
    "values": _values,
    "random": _random,
    "mask": lambda data: RandomMask(str(data)),
    "prefix": RandomPrefix.parse,
    "draw": _draw,
}
