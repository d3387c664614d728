# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes as `/proc` shows them: who still lives, who is in a network namespace; signals to this one."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_PROC = Path("/proc")
_START = 18  # among the fields behind the state


def _fields(stat: str) -> list[str]:
    """The state and the fields behind it: the process name before them may contain anything."""
    return stat.rpartition(")")[2].split()


def piped(stream: IO[bytes] | None) -> IO[bytes]:
    """A stream of a process that was started with a pipe there."""
    assert stream is not None
    return stream


@dataclass(frozen=True)
class ProcessId:
    """A process, identified for good: its number can be reused, number and start time together cannot."""

    pid: int
    start: int  # clock ticks since boot

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The living process of that number, if there is one. A zombie is not living."""
        try:
            stat = (_PROC / str(pid) / "stat").read_text()
        except OSError:
            return None
        state, *fields = _fields(stat)
        return None if state in "ZX" else cls(pid, int(fields[_START]))

    @classmethod
    def own(cls) -> ProcessId:
        """This process."""
        _, *fields = _fields((_PROC / "self" / "stat").read_text())
        return cls(os.getpid(), int(fields[_START]))

    @classmethod
    def parse(cls, text: str) -> ProcessId:
        """The reverse of `str`. ValueError for anything else."""
        pid, _, start = text.partition(":")
        return cls(int(pid), int(start))

    def __str__(self) -> str:
        return f"{self.pid}:{self.start}"

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return ProcessId.of(self.pid) == self

    def wait(self, seconds: float) -> None:
        """Waits until it has ended, but no longer than that."""
        deadline = time.monotonic() + seconds
        while self.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)

    def ask_to_end(self) -> None:
        """Asks it to end. PermissionError if it is another user's."""
        for number in (signal.SIGTERM, signal.SIGCONT):
            self._signal(number)

    def end(self, grace: float) -> None:
        """Asks it to end, and after `grace` seconds makes it. PermissionError if it is another user's."""
        self.ask_to_end()
        self.wait(grace)
        self._signal(signal.SIGKILL)
        self.wait(grace)

    def _signal(self, number: int) -> None:
        if self.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


def end_all(processes: Sequence[ProcessId], grace: float) -> None:
    """Asks all of them to end, and after `grace` seconds makes each. PermissionError as of `end`."""
    for process in processes:
        process.ask_to_end()
    for process in processes:
        process.end(grace)


def all_pids() -> Iterator[int]:
    """The numbers of all processes."""
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def command_line(pid: int) -> list[str]:
    """The arguments of a process; empty if it is gone or not to be seen."""
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def begins_namespace(pid: int) -> bool:
    """Whether a process is the first one in a namespace of processes below ours."""
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return False
    _, *inner = status.partition("\nNSpid:")[2].partition("\n")[0].split() or [""]
    return inner[-1:] == ["1"]


def open_namespaces(pid: int) -> list[int]:
    """Handles of the network namespaces that a process is in or holds open, but not ours or the machine's.

    As long as they are open no new namespace gets the same inode. Empty if the process is gone, or another
    user's.
    """
    opened: dict[int, int] = {}
    with suppress(OSError):
        for link in (_PROC / str(pid) / "ns" / "net", *(_PROC / str(pid) / "fd").iterdir()):
            with suppress(OSError):
                inode = link.stat().st_ino
                if str(link.readlink()).startswith("net:") and inode not in opened:
                    opened[inode] = os.open(link, os.O_RDONLY | os.O_CLOEXEC)
    for spared in {_namespace("self"), _namespace("1")} & opened.keys():
        os.close(opened.pop(spared))
    return list(opened.values())


def _namespace(pid: str) -> int:
    """The inode of a process's network namespace; 0 if it is gone, or another user's."""
    try:
        return (_PROC / pid / "ns" / "net").stat().st_ino
    except OSError:
        return 0


def in_namespaces(handles: Collection[int]) -> list[ProcessId]:
    """Processes, this one excepted, whose network namespace is one of these."""
    inodes = {os.fstat(handle).st_ino for handle in handles}
    inside = [pid for pid in all_pids() if pid != os.getpid() and _namespace(str(pid)) in inodes]
    return [process for process in map(ProcessId.of, inside) if process]


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Handles SIGINT and SIGTERM behind the block.

    Their handlers raise, such as Robot Framework's. In the middle of pyroute2 that leaves a socket half made,
    and the error of closing it takes the place of the signal. Other threads than the main one get no signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for heard in received:
            signal.raise_signal(heard)
