# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines and files that are on the disk as a whole, or not at all."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from ...errors import TesterLibraryError


class RecordError(TesterLibraryError):
    """A record or a report could not be written. What was in the file before is still there."""

    def __init__(self, path: Path, problem: OSError) -> None:
        super().__init__(
            f"{path} could not be written: {problem.strerror or problem}. Nothing of this record was kept; "
            "make room on that disk, or write to another one, and run the test again"
        )


def append_line(path: Path, line: str) -> None:
    """Adds a line to a file, which is on the disk when the call returns.

    Raises:
        RecordError: the disk is full, for example; no part of the line stays in the file.
    """
    content = line.encode() + b"\n"
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as problem:
        raise RecordError(path, problem) from problem
    try:
        before = os.fstat(file).st_size
        try:
            while content:
                content = content[os.write(file, content) :]
            os.fsync(file)
        except OSError as problem:
            with suppress(OSError):  # a device such as /dev/full has no length
                os.ftruncate(file, before)
            raise RecordError(path, problem) from problem
    finally:
        os.close(file)


def write_file(path: Path, text: str) -> None:
    """Replaces a file of text, as `write_bytes` does."""
    write_bytes(path, text.encode())


def write_json(path: Path, content: object) -> None:
    """Replaces a file with a JSON document that people can read, as `write_bytes` does."""
    write_file(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def json_line(content: object) -> str:
    """A JSON document on one line, as short as it can be."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def write_bytes(path: Path, content: bytes) -> None:
    """Replaces a file, so that neither a reader nor a killed run ever sees half of it.

    Raises:
        RecordError: the disk is full, for example; the older file is still there.
    """
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise RecordError(path, problem) from problem


def make_directory(path: Path) -> None:
    """Makes a directory and those above it, unless they exist. RecordError if that cannot be done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise RecordError(path, problem) from problem


def drop_cut_line(path: Path) -> None:
    """A line without its end was being written when the process was killed."""
    if not path.exists():
        return
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(content.rfind(b"\n") + 1)
