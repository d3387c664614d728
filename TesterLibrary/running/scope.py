# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lifetimes: things that a suite makes last as long as the test or the suite in which they were made.

Anything outside a test belongs to the suite: its setup, its teardown, and those of the suites around it. So a
test finds what the suites around it have made, and nothing that another test has left behind.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from typing import Any

from ..measurement.trial import Trial
from ..methodology.monitoring import MonitoringResult
from ..methodology.result import Result
from ..model.modifier import NO_MODIFIERS, Modifiers
from ..model.stream import Stream

Close = Callable[[], str]


class Running(Enum):
    """Things that last as long as a scope, by what they mean to trials that are taken over meanwhile."""

    SEES = "sees"  # it would have seen the frames of the trials, or would have to be undone
    END = "end"  # a responder or clients: trials of connections start their clients anew
    MEMBER = "member"  # a port that has joined groups: part of what a trial is asked by


@dataclass
class Scope:
    """A test or a suite that is under way, and what was made in it."""

    id: str = ""  # Robot's: "s1-s2" of a suite, "s1-s2-t1" of a test
    streams: dict[str, Stream] = field(default_factory=dict)
    mixes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # names of streams by that of their mix
    last: Trial | Result | None = None  # what was measured in it last
    failed: str = ""  # the keyword that has measured nothing since then
    doubts: dict[str, str] = field(default_factory=dict)  # why the queries that it has read may be wrong
    modifiers: Modifiers | None = None  # those of its trials; None: as those of the scope around it
    monitored: MonitoringResult | None = None  # what was monitored in it last
    closing: list[tuple[Close, Running]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The kind of scope: `test` or `suite`."""
        return "test" if self.id.rpartition("-")[2].startswith("t") else "suite"

    def close(self) -> list[str]:
        """Ends everything that was started in it, the latest first. Returns messages for the user."""
        told = []
        while self.closing:
            try:
                close, _ = self.closing.pop()
                text = close()
            except Exception as error:  # whatever the error is, the others have to be ended, too
                text = f"something could not be ended: {error}"
            if text:
                told.append(f"{text} (the end of the {self.kind})")
        return told


class Scopes:
    """The suites that are under way, the outermost first, and the test that runs in them."""

    def __init__(self) -> None:
        self._stack = [Scope()]

    @property
    def current(self) -> Scope:
        """The test that runs, or the innermost suite."""
        return self._stack[-1]

    @property
    def streams(self) -> MutableMapping[str, Stream]:
        """All streams by name; additions and changes hold in the current scope only."""
        return ChainMap(*(scope.streams for scope in reversed(self._stack)))

    @property
    def mixes(self) -> MutableMapping[str, tuple[str, ...]]:
        """The names of the streams of each mix."""
        return ChainMap(*(scope.mixes for scope in reversed(self._stack)))

    @property
    def modifiers(self) -> Modifiers:
        """The modifiers of trials: those that were set last, in the innermost scope."""
        given = (scope.modifiers for scope in reversed(self._stack))
        return next((modifiers for modifiers in given if modifiers is not None), NO_MODIFIERS)

    def is_quiet(self, *but: Running) -> bool:
        """Whether nothing runs that a test or suite has started, or would have to be undone, but such."""
        return all(kind in but for scope in self._stack for _, kind in scope.closing)

    def at_end(self, close: Close, kind: Running = Running.SEES) -> None:
        """Calls `close` when the current scope ends; it returns a message for the user, or ""."""
        self.current.closing.append((close, kind))

    def enter(self, path: Sequence[str]) -> list[str]:
        """Makes the last one of these ids the current scope; the ids before it are the suites around it.

        Scopes that are no longer under way end. Returns what somebody should be told of.
        """
        told = []
        while [scope.id for scope in self._stack[1:]] != list(path[: len(self._stack) - 1]):
            told += self.current.close()
            self._stack.pop()
        self._stack += [Scope(name) for name in path[len(self._stack) - 1 :]]
        return told

    def forget_streams(self) -> None:
        """Forgets all streams and mixes of all scopes."""
        for scope in self._stack:
            scope.streams.clear()
            scope.mixes.clear()


class ScopeListener:
    """A listener (API version 3) that has scopes follow a Robot run.

    It comes before the one that records how a test ended, so that what is ended belongs to the test.
    """

    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LISTENER_PRIORITY = 2

    def __init__(self, scopes: Scopes, warn: Callable[[str], None]) -> None:
        self._scopes = scopes
        self._warn = warn
        self._before: Trial | Result | None = None  # what was measured before the keyword that runs

    def start_suite(self, data: Any, result: object) -> None:  # noqa: ARG002 - Robot names them
        """Things that are made from here on belong to this suite."""
        self._enter(_path(data.id))

    def start_test(self, data: Any, result: object) -> None:  # noqa: ARG002
        """Things that are made from here on belong to this test."""
        self._enter(_path(data.id))

    def end_test(self, data: Any, result: object) -> None:  # noqa: ARG002
        """Ends what the test has made, and has not ended."""
        self._enter(_path(data.id)[:-1])

    def end_suite(self, data: Any, result: object) -> None:  # noqa: ARG002
        """Ends what the suite has made, and has not ended."""
        self._enter(_path(data.id)[:-1])

    def start_library_keyword(self, data: object, implementation: Any, result: object) -> None:  # noqa: ARG002
        """Remembers what was measured before it."""
        if _measures(implementation):
            self._before = self._scopes.current.last

    def end_library_keyword(self, data: object, implementation: Any, result: Any) -> None:  # noqa: ARG002
        """Nothing older is judged after a measurement that has failed, whoever catches its error."""
        scope = self._scopes.current
        failed = result.failed or result.skipped  # one in a branch that is not taken has not run
        if scope.last and _measures(implementation) and failed and scope.last is self._before:
            scope.last, scope.failed = None, implementation.name

    def _enter(self, path: Sequence[str]) -> None:
        for text in self._scopes.enter(path):
            self._warn(text)


def _measures(keyword: Any) -> bool:
    """Whether a keyword of Robot returns a trial or a result."""
    returned = keyword.args.return_type
    return bool(returned) and isinstance(returned.type, type) and issubclass(returned.type, Trial | Result)


def _path(robot_id: str) -> list[str]:
    """The ids of the suites around a suite or test, and its own: s1, s1-s2, s1-s2-t1."""
    return list(accumulate(robot_id.split("-"), lambda a, b: f"{a}-{b}"))
