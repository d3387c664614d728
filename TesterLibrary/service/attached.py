# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command that ends with the service, however that ends: `attached.py PID COMMAND…`.

`attached.py PID --confined COMMAND…` leaves the command without the capabilities that a service may have to
run it as another user, and without ways to get others.

It is run by its path, so it imports nothing of the library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

CONFINED = "--confined"
# Of prctl(2); the first two outlive an exec.
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES, _AMBIENT = 1, 38, 47
_CLEAR_ALL = 4


def main() -> None:
    """Never returns."""
    parent, *command = sys.argv[1:]
    prctl = ctypes.CDLL(None).prctl
    if command[0] == CONFINED:
        command = command[1:]
        if prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0) or prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            sys.exit(1)
    prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != int(parent):  # it ended before
        sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
