# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program in the sandbox of an embedded testbed: `confinement.py INIT[:USER] PROGRAM…`.

INIT is the first process of the sandbox (`sandbox.py`), USER a number: the program becomes that user and
keeps no capability. The program has the network of this process. It ends
with this process, which ends as the program does.

It is run by its path, so it imports nothing of the library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

NAMESPACES = ("mnt", "ipc", "uts")  # of the sandbox, beside that of processes, which children get
HOME = "/tmp"
# Of a network of its own, and of files and processes in the sandbox. None loads code into the kernel, mounts,
# traces other programs, makes devices, or sets the clock.
_KEPT = {
    *("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"),
    *("NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW"),
}
_NUMBERS = {
    **{"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "FSETID": 4, "KILL": 5, "SETGID": 6, "SETUID": 7},
    **{"NET_BIND_SERVICE": 10, "NET_BROADCAST": 11, "NET_ADMIN": 12, "NET_RAW": 13},
}
_MASK = sum(1 << _NUMBERS[name] for name in _KEPT)
_LAST_CAPABILITY = 63
_DIE_WITH_PARENT, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 24, 38  # of prctl(2)
_CAPABILITY_VERSION = 0x20080522
_OF_THE_GROUP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_NOT_RUN, _NOT_THERE = 126, 127  # as of a shell
_libc = ctypes.CDLL(None, use_errno=True)


def confine() -> None:
    """Gives up, for good, what reaches beyond the sandbox. The program is to be executed next."""
    for capability in range(_LAST_CAPABILITY + 1):
        if not _MASK >> capability & 1:
            _libc.prctl(_DROP_BOUND, capability, 0, 0, 0)  # fails behind the last that the kernel has
    header, data = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    _checked(_libc.capget(header, data), "capget")
    for word in (0, 3):  # effective, permitted, inheritable: the low halves, then the high ones
        mask = _MASK >> (32 if word else 0) & 0xFFFFFFFF
        data[word], data[word + 1], data[word + 2] = data[word] & mask, data[word + 1] & mask, 0
    _checked(_libc.capset(header, data), "capset")
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    os.chdir(HOME)


def enter(handles: Sequence[int]) -> None:
    """Moves this process into namespaces."""
    for handle in handles:
        _checked(_libc.setns(handle, 0), "setns")


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _become(user: int) -> None:
    """Gives up root, and with it all capabilities."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _execute(command: list[str], user: str) -> None:
    try:
        for number in (*_OF_THE_GROUP, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores the last two
            signal.signal(number, signal.SIG_DFL)
        confine()
        if user:
            _become(int(user))
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        os.execvpe(command[0], command, os.environ | {"HOME": HOME, "TMPDIR": HOME})
    except OSError as problem:
        print(f"{command[0]}: {problem.strerror}", file=sys.stderr, flush=True)
        os._exit(_NOT_THERE if isinstance(problem, FileNotFoundError) else _NOT_RUN)


def main() -> None:
    """Never returns."""
    place, *command = sys.argv[1:]
    init, _, user = place.partition(":")
    names = (*NAMESPACES, "pid")
    enter([os.open(f"/proc/{init}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in names])
    for number in _OF_THE_GROUP:  # and so for the program; before it begins, or this process could end first
        signal.signal(number, signal.SIG_IGN)
    program = os.fork()
    if not program:
        _execute(command, user)
    status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
