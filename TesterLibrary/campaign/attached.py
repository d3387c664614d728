# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command that ends with the service, however that ends: `attached.py PID COMMAND…`.

`attached.py PID --as UID:GID:GROUPS COMMAND…` runs it as another user, without the capabilities that a
service may have for this, and without ways to get others. The service does not wait for it: processes of that
user can stop it from then on.

It is run by its path, so it imports nothing of the library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

AS = "--as"
# Of prctl(2); the first two outlive an exec.
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES, _AMBIENT = 1, 38, 47
_CLEAR_ALL = 4
_NOT_RUN = 126  # as of a shell; 1 would be a verdict
_prctl = ctypes.CDLL(None).prctl


def begin(*options: str) -> tuple[str, ...]:
    """Begins a command that ends with this process."""
    return sys.executable, "-I", __file__, str(os.getpid()), *options


def end_with(parent: int) -> None:
    """Ends this process with its parent, at once if that has ended before.

    It is asked for by the child itself: a parent that has threads does nothing between fork and exec.
    """
    _prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(_NOT_RUN)


def main() -> None:
    """Never returns."""
    parent, *command = sys.argv[1:]
    if command[0] == AS:
        uid, gid, groups = command[1].split(":")
        command = command[2:]
        os.setgroups([int(group) for group in groups.split(",")])
        os.setresgid(int(gid), int(gid), int(gid))
        os.setresuid(int(uid), int(uid), int(uid))
        if _prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0) or _prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            sys.exit(_NOT_RUN)
    end_with(int(parent))
    try:
        os.execv(command[0], command)
    except OSError as problem:
        print(f"{problem.strerror}: {problem.filename}", file=sys.stderr)
        sys.exit(_NOT_RUN)


if __name__ == "__main__":
    main()
