# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The testers that are joined, and calls to all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from ...errors import Inconclusive, PlanError, TargetError, TestbedError, TesterLibraryError
from ..base import PortInfo, Target

T = TypeVar("T")


@dataclass(frozen=True)
class Member:
    """One of the joined testers."""

    name: str
    target: Target
    ports: tuple[PortInfo, ...]

    def named(self, error: TesterLibraryError) -> TesterLibraryError:
        """An error of this tester with its name, of the same kind."""
        said = error.reason if isinstance(error, Inconclusive) else error
        return type(error)(f"tester {self.name!r}: {said}")


@dataclass(frozen=True)
class Members:
    """The joined testers, in the order of the testbed, and the port names that they share."""

    members: tuple[Member, ...]
    _pool: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def of(cls, targets: Mapping[str, Target]) -> Members:
        """The testers by their names. TestbedError if two have a port of one name."""
        members = tuple(Member(name, t, t.capabilities().ports) for name, t in targets.items())
        owners: dict[str, str] = {}
        for member in members:
            for port in member.ports:
                if (other := owners.setdefault(port.name, member.name)) != member.name:
                    raise TestbedError(
                        f"testers {other!r} and {member.name!r} both have a port {port.name!r}; "
                        "joined testers need different names for all their ports"
                    )
        return cls(members, ThreadPoolExecutor(len(members), thread_name_prefix="tester"))

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def owner(self, port: str) -> Member:
        """The tester that has a port. PlanError if none has it."""
        for member in self.members:
            if any(info.name == port for info in member.ports):
                return member
        names = ", ".join(info.name for member in self.members for info in member.ports)
        raise PlanError(f"the tester has no port {port!r}; it has {names}")

    def each(self, call: Callable[[Member], T], members: Sequence[Member] | None = None) -> list[T]:
        """The answers of these testers, or of all, to calls that are made at once.

        All calls come to their end. Then the first error is raised, with the name of its tester; the error of
        a tester that is broken comes before a refusal.
        """
        asked = self.members if members is None else members
        with self.running(call, asked) as calls:
            pass
        return self.answers(asked, calls)

    @contextmanager
    def running(self, call: Callable[[Member], T], members: Sequence[Member]) -> Iterator[list[Future[T]]]:
        """Calls that run in threads during the block. All have come to their end when it is left."""
        calls = [self._pool.submit(call, member) for member in members]
        try:
            yield calls
        finally:
            wait(calls)

    @staticmethod
    def answers(members: Sequence[Member], calls: Sequence[Future[T]]) -> list[T]:
        """The answers of calls, or their first error as of `each`."""
        errors = [
            member.named(error)
            for member, error in zip(members, map(_error_of, calls), strict=True)
            if error is not None
        ]
        for error in sorted(errors, key=lambda error: not isinstance(error, TargetError)):
            raise error
        return [call.result() for call in calls]

    def close(self) -> None:
        """Ends the threads. No call may follow."""
        self._pool.shutdown()


def _error_of(call: Future[T]) -> TesterLibraryError | None:
    error = call.exception()
    if error is None or isinstance(error, TesterLibraryError):
        return error
    raise error
