# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command that ends with the service, however that ends: `attached.py PID COMMAND…`.

It is run by its path, so it imports nothing of the library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2), which outlives an exec


def main() -> None:
    """Never returns."""
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != int(parent):  # it ended before
        sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
