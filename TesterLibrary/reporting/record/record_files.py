# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a run that hold a record in each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ...errors import TesterLibraryError
from .codec import parse
from .digests import require_regular_file
from .record_chain import CHAIN, ChainCheck
from .recorder import SCHEMA, read_run

T = TypeVar("T")
Line: TypeAlias = dict[str, Any]


class RecordFiles:
    """The files of a run, a kind of record each, with what is wrong with them."""

    def __init__(self, directory: Path) -> None:
        run = directory.parent if directory.name == "evidence" else directory
        if not run.is_dir():
            raise TesterLibraryError(f"there is no folder {run}; give that of a run, such as results/latest")
        for path in sorted(run.rglob("*")):
            require_regular_file(path)
        if not (directory / "run.json").is_file():
            raise TesterLibraryError(f"{directory} holds no run.json; it is not the evidence of a run")
        self.run = read_run(directory)
        self._directory = directory
        self.cut: list[str] = []
        self.faults: list[str] = []

    def __call__(self, kind: str, make: Callable[[Line], T]) -> tuple[T, ...]:
        """The records of a kind. TesterLibraryError names a line that is no record; the last may be cut."""
        path = self._directory / f"{kind}s.jsonl"
        if not path.exists():
            return ()
        check = ChainCheck(path.name, required=CHAIN in self.run)
        made = tuple(_lines(path, make, self.cut, check))
        self.faults += filter(None, [check.fault])
        return made


def _lines(path: Path, make: Callable[[Line], T], cut: list[str], check: ChainCheck) -> Iterator[T]:
    content = path.read_bytes()
    lines = content.split(b"\n")
    if lines.pop():  # something follows the end of the last whole line
        cut.append(path.name)
    for number, line in enumerate(lines, 1):
        try:
            record = parse(line)
            if record["schema"] != SCHEMA:
                raise ValueError(f"schema {record['schema']}, this version reads {SCHEMA}")
            made = make(record)
            check.line(number, line, record)
        except (ValueError, KeyError, TypeError) as error:
            raise TesterLibraryError(f"{path}:{number} is not a record: {error}") from None
        yield made
