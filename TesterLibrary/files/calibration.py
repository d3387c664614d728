# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the calibration of a testbed's tester: one YAML file for each testbed.

It belongs to a machine, not to a project, so it lies in the user's cache: `$XDG_CACHE_HOME` or `~/.cache`,
below that `testerlibrary/calibration/<testbed>.yaml`. `TESTER_CALIBRATIONS` names another folder.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..measurement.calibration import CalibratedSize, Calibration
from .document import Kind, load_document, write_document
from .paths import user_cache

FOLDER_VARIABLE = "TESTER_CALIBRATIONS"
_VERSION = 1
_KIND = Kind("calibration", TesterLibraryError)


def calibration_path(testbed: str) -> Path:
    """The file with the calibration of a testbed; a name that cannot be a file name is changed into one."""
    folder = Path(os.environ.get(FOLDER_VARIABLE) or user_cache() / "calibration")
    return folder / f"{re.sub(r'[^A-Za-z0-9._-]', '-', testbed)}.yaml"


def store_calibration(calibration: Calibration, path: Path | None = None) -> Path:
    """Writes it to a file, as a whole or not at all; returns the file.

    Raises:
        TesterLibraryError: the file cannot be written.
    """
    path = path or calibration_path(calibration.testbed)
    content: dict[str, Any] = {"version": _VERSION, **vars(calibration)}
    content["drivers"] = list(calibration.drivers)
    content["sizes"] = [dict(vars(size)) for size in calibration.sizes]
    try:
        write_document(path, content)
    except OSError as problem:
        raise TesterLibraryError(f"{path}: cannot be written: {problem.strerror}") from None
    return path


def stored_calibration(testbed: str) -> Calibration | None:
    """The calibration of a testbed; None if it has none.

    Raises:
        TesterLibraryError: the file is not one of this version; names file, line and key.
    """
    path = calibration_path(testbed)
    return read_calibration(path) if path.exists() else None


def read_calibration(path: Path) -> Calibration:
    """The calibration in a file. TesterLibraryError if there is none; names file, line and key."""
    document = load_document(path, _KIND)
    data = document.data
    sizes = tuple(CalibratedSize(**size) for size in data["sizes"])
    for number, (size, larger) in enumerate(pairwise(sizes), 1):
        if size.frame_size >= larger.frame_size:
            raise document.error(("sizes", number, "frame_size"), "frame sizes have to ascend")
    return Calibration(
        testbed=data["testbed"],
        over=data["over"],
        made_at=data["made_at"],
        tester=data["tester"],
        drivers=tuple(data["drivers"]),
        sizes=sizes,
    )
