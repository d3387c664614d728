# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Archives that a Linux kernel unpacks as its first file system (cpio, format newc)."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import PurePosixPath

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"


def archive(files: Mapping[str, bytes]) -> bytes:
    """An archive of executable files by their absolute paths, with the folders that they are in."""
    folders = sorted({str(folder) for path in files for folder in PurePosixPath(path).parents} - {"/"})
    entries = [(folder, stat.S_IFDIR | 0o755, b"") for folder in folders]
    entries += [(path, stat.S_IFREG | 0o755, content) for path, content in sorted(files.items())]
    packed = [_entry(number, path[1:], mode, body) for number, (path, mode, body) in enumerate(entries, 1)]
    return b"".join((*packed, _entry(0, _TRAILER, 0, b"")))


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    """A header of thirteen hexadecimal numbers, the name and the content, both padded to four bytes."""
    named = name.encode() + b"\0"
    numbers = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(named), 0)
    header = _MAGIC + b"".join(b"%08X" % value for value in numbers) + named
    return _padded(header) + _padded(content)


def _padded(octets: bytes) -> bytes:
    return octets + bytes(-len(octets) % 4)
