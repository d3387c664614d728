# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""SHA-256 of the files that a certificate rests on."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ...errors import TesterLibraryError

_AT_ONCE = 1 << 20


def require_regular_file(path: Path) -> None:
    """TesterLibraryError if a path is a pipe, a socket or a device: reading may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise TesterLibraryError(f"{path} is no regular file; a run has regular files and folders only")


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits. TesterLibraryError if it cannot be read."""
    require_regular_file(path)
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while part := file.read(_AT_ONCE):
                found.update(part)
    except OSError as problem:
        raise TesterLibraryError(f"{path} cannot be read: {problem.strerror}") from None
    return found.hexdigest()


def digests_of(directory: Path, folder: str) -> dict[str, str]:
    """The SHA-256 of each file in a folder of a run and below, by its path from the run, sorted."""
    files = sorted(path for path in (directory / folder).rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): digest_of(path) for path in files}
