# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a run, for those who look at it from elsewhere: records, log and reports; nothing beside them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from ..reporting.record.record_place import EVIDENCE
from ..reporting.record.recorder import KINDS
from .refusal import Unknown, Wrong
from .web.table import open_file

_MOST_FILES = 10_000
_LOG_BYTES = 1 << 20
_LONGEST_RECORD = 64 << 20  # bytes; a file of a stranger may be one line of terabytes


def records(run: Path, kind: str, after: int, most: int) -> tuple[list[dict[str, Any]], int]:
    """Records of a kind (`trials`), from a number on; and the number of the next one."""
    if kind.removesuffix("s") not in KINDS:
        raise Unknown(f"there are no {kind!r}; there are {', '.join(f'{known}s' for known in KINDS)}")
    found: list[dict[str, Any]] = []
    number = 0
    try:
        with open_file(run, f"{EVIDENCE}/{kind}.jsonl")[0] as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_RECORD), b""), 1):
                if len(found) == most:
                    return found, number - 1
                if len(line) == _LONGEST_RECORD:
                    raise ValueError(f"it has no end within {_LONGEST_RECORD} bytes")
                if number <= after:
                    continue
                if not line.endswith(b"\n"):
                    return found, number - 1
                record = from_json(line)
                if not isinstance(record, dict):
                    raise ValueError("it is no JSON object")
                found.append(record)
    except Unknown:
        return [], 0
    except ValueError as problem:
        raise Wrong(f"record {number} of {kind} cannot be read: {problem}") from None
    return found, number


def log(folder: Path, name: str, offset: int) -> bytes:
    """The output of a job, from a byte on; a part of it, if it is long."""
    try:
        file, length = open_file(folder, name)
    except Unknown:
        return b""
    with file:
        file.seek(min(offset, length))  # a place beyond what a file can have is an error of the kernel
        return file.read(_LOG_BYTES)


def files(run: Path) -> Iterator[tuple[str, int]]:
    """The files of a run with their lengths, without names that are no text, for which nobody can ask."""
    count = 0
    for folder, folders, names in os.walk(run):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            try:
                status = path.lstat()
            except FileNotFoundError:  # a run that goes on replaces files
                continue
            shown = path.relative_to(run).as_posix()
            if stat.S_ISREG(status.st_mode) and os.fsencode(shown).decode(errors="replace") == shown:
                yield shown, status.st_size
                count += 1
                if count == _MOST_FILES:
                    return
