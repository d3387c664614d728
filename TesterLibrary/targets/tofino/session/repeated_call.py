# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls to a switch, one at a time, whose daemon may be restarted between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ....errors import TargetError
from .session import SwitchSession
from .switch import SwitchGone

P = ParamSpec("P")
R = TypeVar("R")
Turn = Callable[[], AbstractContextManager[None]]  # runs one call at a time, as `reached`


class TakesTurns(Protocol):
    """A part of a target. Its calls wait for those of the target."""

    _turn: Turn


Part = TypeVar("Part", bound=TakesTurns)


def in_turn(method: Callable[Concatenate[Part, P], R]) -> Callable[Concatenate[Part, P], R]:
    """Runs a method of a part while no other call to the switch runs."""

    @wraps(method)
    def call(self: Part, /, *arguments: P.args, **options: P.kwargs) -> R:
        with self._turn():
            return method(self, *arguments, **options)

    return call


@contextmanager
def reached(
    lock: AbstractContextManager[object], session: SwitchSession, load_anew: Callable[[], int]
) -> Iterator[None]:
    """Runs one call at a time. If the switch was lost, opens the session again.

    Args:
        lock: Held meanwhile.
        session: That of the switch.
        load_anew: Loads all jobs into the switch that was reached again, not started, and says how many.

    Raises:
        TargetError: the switch was lost.
    """
    with lock:
        try:
            yield
        except SwitchGone as lost:
            session.again()
            raise TargetError(
                f"{lost.reason}; it was reached again, {load_anew()} jobs are loaded anew and not started"
            ) from lost
