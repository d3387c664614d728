# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One process at a time goes on with a run: its folder is locked (flock(2)) until that one is no more."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import TesterLibraryError

_PATIENCE_S = 1.0  # with those who only look, or have just been killed
_LOOK_S = 0.05


@contextmanager
def alone(run: Path) -> Iterator[None]:
    """Has the folder of a run for this process. TesterLibraryError if another one has it."""
    folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY)
    try:
        until = time.monotonic() + _PATIENCE_S
        while not _locked(folder, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise TesterLibraryError(
                    f"the run in {run} goes on in another process; wait until that has ended, or end it by "
                    "Ctrl-C, and give --resume then"
                )
            time.sleep(_LOOK_S)
        yield
    finally:
        os.close(folder)


def goes_on(run: Path) -> bool:
    """Whether a process has the folder of a run."""
    folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return not _locked(folder, fcntl.LOCK_SH)
    finally:
        os.close(folder)


def _locked(folder: int, how: int) -> bool:
    try:
        fcntl.flock(folder, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
