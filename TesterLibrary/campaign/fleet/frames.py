# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of many runs, which captures have as Parquet, as a dataset that machines of a Ray cluster read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import TesterLibraryError
from ...reporting.captures.frame_files import frame_files
from ...reporting.captures.frames import NO_TRIAL
from ...reporting.pages.rebuild import evidence_of
from ...reporting.record.records import read


def dataset(runs: Sequence[str | Path]) -> Any:
    """The frames of runs as a `ray.data.Dataset`: columns of `tester query`, and `run`, a folder's name.

    Args:
        runs: Folders of runs, at the same paths on all machines.

    Raises:
        TesterLibraryError: Ray is not installed, or a file of frames is cut off or missing, or there is none.
    """
    try:
        import ray.data
    except ImportError:
        raise TesterLibraryError(
            "frames of many runs are read by Ray Data; install robotframework-testerlibrary[fleet]"
        ) from None
    places: dict[str, tuple[str, int | None]] = {}  # run and trial of each file
    for run in map(Path, runs):
        evidence = evidence_of(run.absolute())
        files, problems = frame_files(evidence, read(evidence))
        if problems:
            raise TesterLibraryError("; ".join(problems))
        for file in files:
            number = file.parent.name.partition("=")[2]
            places[str(file)] = (run.name, None if number == NO_TRIAL else int(number))
    if not places:
        names = ", ".join(map(str, runs))
        raise TesterLibraryError(f"no capture of {names} has frames; capture with parquet=True")
    rows = ray.data.read_parquet(list(places), partitioning=None, include_paths=True)
    return rows.map_batches(partial(_placed, places=places), batch_format="pyarrow")


def _placed(rows: Any, *, places: Mapping[str, tuple[str, int | None]]) -> Any:
    """Rows with the run and the trial of their file, in place of its path."""
    import pyarrow as pa

    found = [places[path] for path in rows.column("path").to_pylist()]
    rows = rows.drop_columns(["path"])
    rows = rows.append_column("run", pa.array([run for run, _ in found], pa.string()))
    return rows.append_column("trial", pa.array([trial for _, trial in found], pa.int64()))
