# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes to the tables of the service from one thread.

What many requests have changed is one transaction; each request is answered when that is on the disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .refusal import Unready
from .store import AuditLine, Change, Store

_MOST_AT_ONCE = 1000  # changes of one transaction

T = TypeVar("T")


@dataclass
class _Batch:
    changes: list[Change] = field(default_factory=list)
    audit: list[AuditLine] = field(default_factory=list)
    done: Callable[[BaseException | None], None] = lambda _: None


class Writer:
    """Writes from a thread of its own, in the order in which it is asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: queue.SimpleQueue[_Batch | Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def write(self, changes: Sequence[Change], audit: Sequence[AuditLine] = ()) -> None:
        """Returns when the changes are on the disk. Unready if they cannot be made; then none was."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def done(problem: BaseException | None) -> None:
            loop.call_soon_threadsafe(_answer, future, None, problem)

        self._queue.put(_Batch(list(changes), list(audit), done))
        try:
            await future
        except Exception as problem:
            raise Unready(
                f"the database of the service cannot be written ({problem}); nothing was changed, try again"
            ) from None

    async def call(self, ask: Callable[[Store], T]) -> T:
        """The result of a function that has the tables for itself meanwhile. Unready if it fails."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                result = ask(self._store)
            except Exception as problem:
                loop.call_soon_threadsafe(_answer, future, None, problem)
            else:
                loop.call_soon_threadsafe(_answer, future, result, None)

        self._queue.put(work)
        try:
            return await future
        except Exception as problem:
            raise Unready(f"the database of the service cannot be used: {problem}") from None

    def close(self) -> None:
        """Writes what is waiting, and ends."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if not isinstance(item, _Batch):
                item()
                continue
            batches = [item]
            last: Callable[[], None] | None = None
            ends = False
            while len(batches) < _MOST_AT_ONCE:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if not isinstance(more, _Batch):
                    ends, last = more is None, more
                    break
                batches.append(more)
            self._write(batches)
            if last:
                last()
            if ends:
                return

    def _write(self, batches: Sequence[_Batch]) -> None:
        problem: BaseException | None = None
        try:
            self._store.write(
                [change for batch in batches for change in batch.changes],
                [line for batch in batches for line in batch.audit],
            )
        except Exception as failed:
            problem = failed
        for batch in batches:
            batch.done(problem)


def _answer(future: asyncio.Future[Any], value: Any, problem: BaseException | None) -> None:
    if future.done():  # who has asked is gone
        return
    if problem:
        future.set_exception(problem)
    else:
        future.set_result(value)
