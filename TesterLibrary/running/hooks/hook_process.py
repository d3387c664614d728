# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command of a hook, with all that it starts: nothing of it outlives the run, by its keeper."""

from __future__ import annotations

import errno
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...model.units.units import Duration
from ...testbeds.processes import piped

_KEEPER = Path(__file__).with_name("hook_keeper.py")
_AT_ONCE = 1 << 16  # bytes of output


class HookProcess:
    """A command that runs, and what is left of it when it has ended."""

    def __init__(self, command: Sequence[str], timeout: Duration) -> None:
        """Starts it without input. It has to end within the timeout."""
        self._ends_at = time.monotonic() + timeout.seconds
        self.goes_on = False  # what it has started, when it has ended
        held, self._hold = os.pipe()  # ends when nobody holds the other end any more
        self._told, tell = os.pipe()  # how the command ended
        try:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_KEEPER), str(held), str(tell), *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(held, tell),
                start_new_session=True,  # Ctrl-C is for the run
            )
        except BaseException:
            os.close(self._hold)
            os.close(self._told)
            raise
        finally:
            os.close(held)
            os.close(tell)

    def said(self) -> Iterator[bytes]:
        """Its output as it comes, to its end. TimeoutError if that comes too late."""
        output = piped(self._keeper.stdout)
        while part := os.read(_ready(output.fileno(), self._ends_at), _AT_ONCE):
            yield part

    def status(self) -> int:
        """How it ended, as Popen says it. TimeoutError if it ends too late, OSError if it cannot be run."""
        told = b""
        while part := os.read(_ready(self._told, self._ends_at), _AT_ONCE):
            told += part
        if not told:
            raise ChildProcessError(errno.ECHILD, "the process that was to end what it starts is gone")
        *refused, status = told.split()
        if refused:
            number = int(refused[1])
            raise OSError(number, os.strerror(number))
        return os.waitstatus_to_exitcode(int(status))

    def __enter__(self) -> HookProcess:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it and all that it has started, unless that is `LeftBehind`."""
        if not self.goes_on:
            self.end()

    def end(self) -> None:
        """Ends it and all that it has started."""
        output = piped(self._keeper.stdout)
        if not output.closed:
            output.close()
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
