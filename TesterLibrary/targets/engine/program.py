# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the engine's program on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ...errors import TargetError
from ...files import paths

VARIABLE = "TESTERD"
_HOW_TO_GET_ONE = (
    "install it with `pip install 'robotframework-testerlibrary[engine]'` (in a checkout: `make setup`), "
    f"or set {VARIABLE} to the path of testerd"
)


def find_program() -> Path:
    """The engine's program: the one in $TESTERD, else the installed one, a checkout's build, or PATH's.

    Raises:
        TargetError: no engine is installed; the message names the places and how to get one.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not os.access(chosen, os.X_OK) or Path(chosen).is_dir():
            raise TargetError(f"{VARIABLE}={chosen} is no program; set it to the path of testerd or unset it")
        return Path(chosen).resolve()
    built = paths.PACKAGE.parent / "engine" / "build" / "testerd"
    installed = paths.engine()
    on_path = shutil.which("testerd")
    for candidate in (installed, built, on_path):
        if candidate and os.access(candidate, os.X_OK):
            return Path(candidate).resolve()
    raise TargetError(
        f"testerd, the packet engine, is not installed: {VARIABLE} is not set, and there is none beside the "
        f"library, in {built.parent}, or on PATH; {_HOW_TO_GET_ONE}"
    )
