# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Things with a name, each of which ends with the test or suite that has begun it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from ..errors import TesterLibraryError
from .scope import Running, Scopes

K = TypeVar("K")
T = TypeVar("T")


class Named(dict[K, T]):
    """Things of one kind by name. Who asks for a name that is not there is told what is there.

    Args:
        noun: The kind of thing, in the singular.
        start: The keyword that begins one.
    """

    def __init__(self, noun: str, start: str) -> None:
        super().__init__()
        self.noun, self.start = noun, start

    def begin(
        self, name: K, thing: T, scopes: Scopes, end: Callable[[K], str], kind: Running = Running.SEES
    ) -> None:
        """Adds a thing, and calls `end` with its name when the current scope ends.

        It is called also for a thing that was ended before. It returns a message for the user, or "".
        """
        self[name] = thing
        scopes.at_end(lambda: end(name), kind)

    def __missing__(self, name: K) -> T:
        raise self.refusal(name)

    def only(self, name: K | None = None) -> K:
        """The given name, or that of the only thing.

        Raises:
            TesterLibraryError: there is no thing of that name, or no name is given and there are several.
        """
        if name is None and len(self) == 1:
            (name,) = self
        if name is None or name not in self:
            raise self.refusal(name)
        return name

    def refusal(
        self, name: object = None, names: Collection[object] | None = None, *, noun: str = "", start: str = ""
    ) -> TesterLibraryError:
        """The error that there is no such thing, or that a name is missing.

        Args:
            name: The name that was asked for, if one was.
            names: The names to choose from; by default all.
            noun: The kind of thing, where only some are meant.
            start: The keyword that begins one of those.
        """
        noun, names = noun or self.noun, self.keys() if names is None else names
        if names:
            there = f"there {'is' if len(names) == 1 else 'are'} {', '.join(map(str, names))}"
        else:
            there = f"call {start or self.start} first"
        if name is None and names:
            return TesterLibraryError(f"no {noun} is named; {there}")
        wanted = noun if name is None else f"{noun} {str(name)!r}"
        return TesterLibraryError(f"there is no {wanted}; {there}")
