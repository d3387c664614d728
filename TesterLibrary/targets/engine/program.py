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
_HOW_TO_BUILD = (
    "install the packages libdpdk-dev, libgrpc++-dev, libprotobuf-dev, protobuf-compiler, "
    "protobuf-compiler-grpc, meson, ninja-build, pkg-config and g++, then run `pip install .` again "
    f"(in a checkout: `make setup`), or set {VARIABLE} to the path of testerd"
)


def find_program() -> Path:
    """The engine's program: the one in $TESTERD, else the installed one, a checkout's build, or PATH's.

    Raises:
        TargetError: there is none, with the places looked at and how to get one.
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
        f"testerd, the packet engine, is not there: {VARIABLE} is not set, there is no "
        f"{paths.PACKAGE / '_engine' / 'testerd'}, no {built}, and none on PATH; {_HOW_TO_BUILD}"
    )
