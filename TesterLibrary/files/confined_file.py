# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files below a folder that somebody else may write: no link in it leads out of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def open_beneath(folder: Path, steps: Sequence[str]) -> int:
    """The number of an open file. Each step is opened beneath the one before, and no link is followed.

    OSError if there is no such file, or a step is a link. `folder` itself may be one.
    """
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for step in steps[:-1]:
        try:
            inner = os.open(step, _FLAGS | os.O_DIRECTORY, dir_fd=inside)
        finally:
            os.close(inside)
        inside = inner
    try:
        return os.open(steps[-1], _FLAGS, dir_fd=inside)
    finally:
        os.close(inside)
