# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lets several threads call one object: a suite, and the thread that watches what the suite has started."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def one_at_a_time(cls: type[T]) -> type[T]:
    """Lets one thread at a time run public methods of a class; these may call each other, also by callbacks.

    Its `__init__` sets `_turn` to a `threading.RLock`.
    """
    for name, method in list(vars(cls).items()):
        if callable(method) and not name.startswith("_"):
            setattr(cls, name, _in_turn(method))
    return cls


def _in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._turn:
            return method(self, *arguments, **named)

    return call
