# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The chain of records: each line of a file has the SHA-256 of the line before, so that an edit is noticed.

Only a signature shows that somebody has computed all of them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from .durable import json_line

FIELD = "previous_sha256"  # of each record; empty in the first one of a file
CHAIN = "chain"  # in run.json: its records have that field
ALGORITHM = "SHA-256"
_AT_ONCE = 1 << 16


def digest(line: bytes) -> str:
    """The SHA-256 of a line, without its end."""
    return sha256(line).hexdigest()


def rechained(lines: Iterable[str]) -> list[str]:
    """The lines of a file after some were moved or changed on purpose, each with that before it."""
    made: list[str] = []
    for line in lines:
        before = digest(made[-1].encode()) if made else ""
        made.append(json_line({**json.loads(line), FIELD: before}))
    return made


def chain_fault(name: str, lines: Iterable[str], *, required: bool) -> str:
    """The first line of a file that does not follow the one before, as a sentence; empty if each does."""
    check = ChainCheck(name, required=required)
    for number, line in enumerate(lines, 1):
        check.line(number, line.encode(), json.loads(line))
    return check.fault


def last_digest(path: Path) -> str:
    """The SHA-256 of the last line of a file; empty without a line."""
    with path.open("rb") as file:
        file.seek(0, 2)
        at, tail = file.tell(), b""
        while at and tail.count(b"\n") < 2:
            size = min(at, _AT_ONCE)
            at -= size
            file.seek(at)
            tail = file.read(size) + tail
    lines = tail.split(b"\n")
    return digest(lines[-2]) if len(lines) > 1 else ""


class ChainCheck:
    """Compares each line of a file with what the next one says of it."""

    def __init__(self, name: str, *, required: bool) -> None:
        """`required`: the run has a chain; records of an earlier version have none."""
        self._name, self._begun = name, required
        self._previous = ""
        self.fault = ""  # the first line that does not follow the one before

    def line(self, number: int, line: bytes, record: Mapping[str, Any]) -> None:
        """The next line of the file."""
        self._begun = self._begun or FIELD in record
        if self._begun and not self.fault and record.get(FIELD) != self._previous:
            before = f"line {number - 1}" if number > 1 else "the begin of the file"
            self.fault = (
                f"{self._name}:{number} does not follow {before} as it was recorded: a line was changed, "
                "added or removed since"
            )
        self._previous = digest(line)
