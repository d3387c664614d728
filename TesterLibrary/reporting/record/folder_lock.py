# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A folder that one process at a time has (flock(2)), until that one is no more, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

_LOOK_S = 0.05


def lock_folder(folder: Path, patience_s: float) -> int | None:
    """The folder, as a file that is locked until all who have it have closed it.

    None if another process has it for so long.
    """
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    until = time.monotonic() + patience_s
    while not _locked(file, fcntl.LOCK_EX):
        if time.monotonic() > until:
            os.close(file)
            return None
        time.sleep(_LOOK_S)
    return file


def is_locked(folder: Path) -> bool:
    """Whether a process has the folder."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return not _locked(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
