# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command of a hook, with all that it starts: nothing of it outlives the run.

Whoever calls setsid leaves a group of processes, and whoever forks twice leaves its parent. So each command
has a keeper: a process that is given what its descendants leave behind (PR_SET_CHILD_SUBREAPER, Linux 3.4).
It ends all of them when it is told to, and when the process of the run is gone, however that ended.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_LIBC = ctypes.CDLL(None, use_errno=True)
_AT_ONCE = 1 << 16  # bytes of output
_POLL_S = 0.2  # of what a command has left behind
_ENDING_S = 0.005  # until a process that was killed is gone


class HookProcess:
    """A command that runs, and what is left of it when it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it without input. Raises OSError if it cannot be run."""
        self.goes_on = False  # what it has started, when it has ended
        held, self._hold = os.pipe()  # ends when nobody holds the other end any more
        self._told, tell = os.pipe()  # how the command ended
        try:
            self._keeper = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: _become_keeper(held, tell),
            )
        except BaseException:
            os.close(self._hold)
            os.close(self._told)
            raise
        finally:
            os.close(held)
            os.close(tell)

    def said(self, ends_at: float) -> Iterator[bytes]:
        """Its output as it comes, to its end. TimeoutError if that comes later, on the monotonic clock."""
        output = self._keeper.stdout
        assert output is not None
        while part := os.read(_ready(output.fileno(), ends_at), _AT_ONCE):
            yield part

    def status(self, ends_at: float) -> int:
        """How it ended, as Popen says it. TimeoutError if it ends later."""
        told = os.read(_ready(self._told, ends_at), _AT_ONCE)
        if not told:
            raise ChildProcessError(errno.ECHILD, "the process that was to end what it starts is gone")
        return os.waitstatus_to_exitcode(int(told))

    def __enter__(self) -> HookProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it and all that it has started, unless that is `LeftBehind`."""
        if not self.goes_on:
            self.end()

    def end(self) -> None:
        """Ends it and all that it has started."""
        assert self._keeper.stdout is not None
        if not self._keeper.stdout.closed:
            self._keeper.stdout.close()
            os.close(self._hold)
            os.close(self._told)
        self._keeper.wait()

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it is left."""
        return self._keeper.poll() is not None


class LeftBehind:
    """Processes that ended commands have left behind: they go on until the run ends."""

    def __init__(self) -> None:
        self._processes: list[HookProcess] = []

    def add(self, process: HookProcess) -> None:
        """Lets go on what a command has left behind."""
        process.goes_on = True
        for other in (*self._processes, process):
            if other.has_ended:
                other.end()
        self._processes = [other for other in (*self._processes, process) if not other.has_ended]

    def close(self) -> None:
        """Ends all of it."""
        while self._processes:
            self._processes.pop().end()


def _ready(file: int, ends_at: float) -> int:
    """The file once it can be read. TimeoutError if it cannot in time."""
    left = max(0.0, ends_at - time.monotonic())
    if left and select.select([file], [], [], left)[0]:
        return file
    raise TimeoutError


def _become_keeper(held: int, tell: int) -> None:
    """In the child that was to be the command: that is its child, and returns. The child itself never does.

    Both have sessions of their own: Ctrl-C is for the run.
    """
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.setsid()
    command = os.fork()
    if not command:
        os.setsid()
        return
    try:
        _close_all_but(held, tell)
        _keep(command, held, tell)
    finally:
        os._exit(0)


def _close_all_but(*files: int) -> None:
    """The output, too, which ends with the command, and what tells whether that can be run."""
    for file in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if file not in files:
            with suppress(OSError):  # that of the listing
                os.close(file)


def _keep(command: int, held: int, tell: int) -> None:
    """Tells how the command ended, and stays until all that it has started has, or is ended."""
    ends = os.pidfd_open(command)
    if held not in select.select([ends, held], [], [])[0]:
        os.write(tell, str(os.waitpid(command, 0)[1]).encode())
        os.close(tell)
        while _children() and not select.select([held], [], [], _POLL_S)[0]:
            _reap()
    refused: set[int] = set()
    while left := _children() - refused:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except PermissionError:  # of another user: nobody but root ends it
                refused.add(process)
        time.sleep(_ENDING_S)
        _reap()


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _children() -> set[int]:
    """The children of this process, and what its descendants have left behind."""
    _reap()
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(stat.parent.name))
    return found
