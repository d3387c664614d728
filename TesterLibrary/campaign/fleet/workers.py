# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Those who run tasks: processes of this machine, or tasks of a Ray cluster (`over_ray.py`)."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .task import Task, end, fault_of, prepare, start

T = TypeVar("T")
R = TypeVar("R")


def at_once(call: Callable[[T], R], values: Sequence[T]) -> list[R]:
    """The results of a call that waits for the disk, made for several values at a time."""
    if len(values) < 2:
        return [call(value) for value in values]
    with ThreadPoolExecutor(len(values)) as threads:
        return list(threads.map(call, values))


@dataclass(frozen=True)
class Ended:
    """A task that is over, with what has cut it off; empty: it came to its end."""

    cell: str
    fault: str = ""


class Workers(Protocol):
    """Those who run tasks, each on its tester."""

    def here(self) -> Collection[str]:
        """The testers that can be used now."""

    def start(self, tasks: Sequence[Task]) -> None:
        """Runs tasks. The files of each are in its folder when it has ended, records as they are made."""

    def wait(self, timeout_s: float) -> list[Ended]:
        """The tasks that have ended, as soon as there is one; none after that time."""

    def stop(self, cell: str) -> None:
        """Asks a task to end: Robot ends its test, closes the tester, and writes what it knows."""

    def kill(self, cell: str) -> None:
        """Ends a task that does not end when it is asked."""

    def end(self) -> None:
        """Ends all tasks. When it returns none is left."""

    def close(self) -> None:
        """Ends all tasks, and what was started to run them."""


class LocalWorkers:
    """Processes of this machine."""

    def __init__(self, testers: Collection[str]) -> None:
        self._testers = testers
        self._selector = selectors.DefaultSelector()
        self._running: dict[str, tuple[int, Task, subprocess.Popen[bytes]]] = {}

    def here(self) -> Collection[str]:
        """All testers."""
        return self._testers

    def start(self, tasks: Sequence[Task]) -> None:
        """Runs each task as a process, which ends with this one."""
        at_once(lambda task: prepare(task, task.folder), tasks)
        for task in tasks:
            process = start(task, task.folder)
            file = os.pidfd_open(process.pid)
            self._running[task.cell] = (file, task, process)
            self._selector.register(file, selectors.EVENT_READ, task.cell)

    def wait(self, timeout_s: float) -> list[Ended]:
        """The tasks that have ended."""
        return [self._ended(key.data) for key, _ in self._selector.select(timeout_s)]

    def _ended(self, cell: str) -> Ended:
        file, task, process = self._running.pop(cell)
        self._selector.unregister(file)
        os.close(file)
        process.wait()
        return Ended(cell, fault_of(task, process))

    def stop(self, cell: str) -> None:
        """Asks a task to end."""
        if cell in self._running:
            with suppress(ProcessLookupError):
                self._running[cell][2].send_signal(signal.SIGTERM)

    def kill(self, cell: str) -> None:
        """Kills a task."""
        if cell in self._running:
            self._running[cell][2].kill()

    def end(self) -> None:
        """Ends all tasks."""
        for cell in self._running:
            self.stop(cell)
        for cell in list(self._running):
            end(self._running[cell][2])
            self._ended(cell)

    def close(self) -> None:
        """Ends all tasks."""
        self.end()
        self._selector.close()
