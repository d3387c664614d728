# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values to JSON and back, exactly: a fraction is the text `1/3`.

A histogram is a flat list: the number of its first bucket, the count there, the step to its next bucket, the
count there, and so on. Pairs of bucket and count would make records twice as large; they are read, too.

A mapping without entries is an object, unless its field says that its keys are numbers.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import json
from collections.abc import Hashable, Mapping
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isfinite
from pathlib import PurePath
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def parse(text: str | bytes) -> Any:
    """A value from JSON (RFC 8259). ValueError if it is none, is nested too deeply, or is not finite."""
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_refused)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    if not isfinite(number := float(text)):
        raise ValueError(f"{text} is too large for a number")
    return number


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def encode(value: object) -> Any:
    """A value for `json.dumps`. A dataclass becomes an object of its fields; the unknown becomes its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.hex(":")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _encode_field(value, f.name) for f in dataclasses.fields(value)}
    return _encode_items(value)


def _encode_items(value: object) -> object:
    if isinstance(value, Mapping):
        if value and all(isinstance(key, int) for key in value):
            return _encode_numbered(value)
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, collections.abc.Set):  # in an order that is the same in each run
        return sorted(encode(item) for item in value)
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, PurePath):
        return [encode(item) for item in value]
    return str(value)


def _encode_numbered(value: Mapping[int, object]) -> list[object]:
    keys = sorted(value)
    if not all(type(count) is int for count in value.values()):
        return [[key, encode(value[key])] for key in keys]
    steps = (key - before for before, key in zip([0, *keys], keys, strict=False))
    return [number for step, key in zip(steps, keys, strict=True) for number in (step, value[key])]


def _encode_field(owner: object, name: str) -> object:
    value = getattr(owner, name)
    if isinstance(value, Mapping) and not value:
        return [] if name in _numbered(cast(Hashable, type(owner))) else {}
    return encode(value)


@lru_cache
def _numbered(cls: Any) -> frozenset[str]:
    """The fields that are mappings from numbers, or may be."""
    hints = get_type_hints(cls)
    return frozenset(
        name
        for name, hint in hints.items()
        if any(get_args(kind)[:1] == (int,) for kind in (hint, *get_args(hint)))
    )


def decode(cls: type[T], data: Mapping[str, Any]) -> T:
    """A dataclass from what `encode` made of it. Keys it has no field for are left out.

    Raises:
        KeyError: a field without a default is missing.
        ValueError: a value is none of its field.
    """
    values = {name: _value(hint, data[name]) for name, hint in _fields(cast(Hashable, cls)) if name in data}
    missing = [name for name in _required(cast(Hashable, cls)) if name not in values]
    if missing:
        raise KeyError(f"a {cls.__name__} needs {missing[0]!r}; there are {', '.join(data) or 'no keys'}")
    return cls(**values)


@lru_cache
def _fields(cls: Any) -> list[tuple[str, object]]:
    hints = get_type_hints(cls)
    return [(f.name, hints[f.name]) for f in dataclasses.fields(cls) if f.init]


@lru_cache
def _required(cls: Any) -> list[str]:
    missing = dataclasses.MISSING
    return [
        f.name
        for f in dataclasses.fields(cls)
        if f.init and f.default is missing and f.default_factory is missing
    ]


def _fraction(data: Any) -> Fraction:
    try:
        return Fraction(data)
    except ArithmeticError:  # of `1/0`, and of an infinite number
        raise ValueError(f"{data!r} is no fraction") from None


def _value(hint: Any, data: Any) -> Any:
    if data is None:
        return None
    if isinstance(hint, type) and isinstance(data, hint):
        return data
    origin, arguments = get_origin(hint), get_args(hint)
    if arguments and type(None) in arguments:  # what may be None, and is not
        return _value(next(a for a in arguments if a is not type(None)), data)
    if origin is tuple:
        return tuple(_value(arguments[0], item) for item in data)
    if origin is collections.abc.Mapping:
        if isinstance(data, collections.abc.Mapping):
            return {key: _value(arguments[1], item) for key, item in data.items()}
        return _numbered_mapping(data)
    return _object(hint, data) if isinstance(hint, type) else data


def _numbered_mapping(data: Any) -> dict[int, Any]:
    if not data or not isinstance(data[0], int):
        return {int(key): count for key, count in data}
    return dict(zip(accumulate(data[::2]), data[1::2], strict=True))


def _object(cls: type, data: Any) -> object:
    if cls is Fraction:
        return _fraction(data)
    if dataclasses.is_dataclass(cls):
        return decode(cls, data)
    return cls(data) if issubclass(cls, Enum) else data
