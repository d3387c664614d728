# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Criteria: the bounds of a device, which its suites read as `${CRITERIA}`."""

from __future__ import annotations

from pathlib import Path

from ..errors import TesterLibraryError
from .document import Kind, load_document

_KIND = Kind("criteria", TesterLibraryError, is_variable_file=True)


def check_criteria(path: Path) -> None:
    """Holds a file of criteria to its form. TesterLibraryError names file, line, key and what is allowed."""
    load_document(path, _KIND)
