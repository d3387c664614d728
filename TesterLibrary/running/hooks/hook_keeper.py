# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keeper of a hook's command: `python hook_keeper.py HELD TELL COMMAND …`, with two pipes by number.

Whoever calls setsid leaves a group of processes, and whoever forks twice leaves its parent. So each command
has a keeper: a process that is given what its descendants leave behind (PR_SET_CHILD_SUBREAPER, Linux 3.4).
It ends all of them when it is told to, and when the process of the run is gone, however that ended.

A program of its own, not a fork of the run: gRPC would start its threads again in that, and abort.
Only the standard library, and little of it: the command begins as soon as this has started.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_POLL_S = 0.2  # of what a command has left behind
_ENDING_S = 0.005  # until a process that was killed is gone


def main(held: int, tell: int, command: list[str]) -> None:
    """Starts it, tells how it ended, and stays until all that it has started has, or is ended.

    It tells the status of waitpid, or `errno` and a number where the command cannot be run.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(held, False)
    os.set_inheritable(tell, False)
    process = os.fork()
    if not process:
        _become(command, tell)
    for file in range(3):  # the output ends with the command
        os.close(file)
    ends = os.pidfd_open(process)
    if held not in select.select([ends, held], [], [])[0]:
        os.write(tell, f" {os.waitpid(process, 0)[1]}".encode())
        os.close(tell)
        while _children() and not select.select([held], [], [], _POLL_S)[0]:
            _reap()
    refused: set[int] = set()
    while left := _children() - refused:
        for each in left:
            try:
                os.kill(each, signal.SIGKILL)
            except PermissionError:  # of another user: nobody but root ends it
                refused.add(each)
        time.sleep(_ENDING_S)
        _reap()


def _become(command: list[str], tell: int) -> None:
    """In the child: with a session and signals as a program expects them, it is the command or ends."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as problem:
        os.write(tell, f"errno {problem.errno}".encode())
    finally:
        os._exit(1)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _children() -> set[int]:
    """The children of this process, and what its descendants have left behind."""
    _reap()
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (process / "stat").read_text(errors="replace").rpartition(")")[2]
            if int(after_name.split()[1]) == os.getpid():
                found.add(int(process.name))
        except OSError:  # it has ended
            pass
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
