# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The Parquet files of frames that a run has, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..record.records import Records
from .frames import FOLDER, NO_TRIAL

_MAGIC = b"PAR1"  # at both ends of a file
_LENGTH = 4  # bytes before the second one: how long what describes the file is


def frame_files(evidence: Path, records: Records) -> tuple[list[Path], list[str]]:
    """The files of a run that are whole, and a sentence on each one that is not, or is missing."""
    found = sorted(
        path for path in (evidence / FOLDER).glob("trial=*/*.parquet") if _is_partition(path.parent)
    )
    problems = {path: _problem(path) for path in found}
    notes = [
        f"{path}: {problem}. Its rows are not in the table frames; the run's captures have the frames"
        for path, problem in problems.items()
        if problem
    ]
    for name in _listed(records):
        if evidence / name not in problems:
            notes.append(f"{evidence / name} is missing, so its rows are not in the table frames")
    return [path for path, problem in problems.items() if not problem], notes


def _listed(records: Records) -> Iterator[str]:
    """The files of which the evidence says that they were written."""
    for record in records.events:
        for file in record.facts.get("frames", ()):
            yield file["file"]


def _is_partition(folder: Path) -> bool:
    number = folder.name.partition("=")[2]
    return number == NO_TRIAL or number.isdecimal()


def _problem(path: Path) -> str:
    """Why a file is no whole Parquet file; empty if it is one."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
            size = file.seek(0, 2)
            file.seek(max(0, size - _LENGTH - len(_MAGIC)))
            end = file.read()
    except OSError as problem:
        return f"cannot be read: {problem.strerror}"
    if begin != _MAGIC:
        return "is no Parquet file"
    footer = int.from_bytes(end[:_LENGTH], "little")
    if end[_LENGTH:] != _MAGIC or footer + _LENGTH + 2 * len(_MAGIC) > size:
        return "is cut off"
    return ""
