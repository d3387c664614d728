# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of several runs by Ray Data: as DuckDB counts them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.campaign.fleet.frames import dataset
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.reporting.captures.frame_files import frame_files
from TesterLibrary.reporting.captures.frames import COLUMNS, FrameRows
from TesterLibrary.reporting.captures.query import query
from TesterLibrary.reporting.record.record_place import EVIDENCE, RecordPlace
from TesterLibrary.reporting.record.recorder import SCHEMA, start_run
from TesterLibrary.reporting.record.records import read
from TesterLibrary.reporting.record.trial_part import TrialPart

from ..unit.test_examples import BLOCKS, Block

ray = pytest.importorskip("ray", reason="tox -e fleet installs it")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def captured(folder: Path, frames: int) -> Path:
    """A run with so many frames, of which ten are of its first trial, and the others of none."""
    evidence = folder / EVIDENCE
    start_run(evidence, folder.name)
    place = RecordPlace("bed", "Suite", "Test")
    rows = FrameRows("all", {7: "north"})
    rows.add(CapturedFrames.of(CapturedFrame(100 * n, "p1", True, 7, n, 60, b"") for n in range(frames)))
    trial = TrialPart(7, "north", 1, 1, place, 0, 999, "p2", 2)
    files = rows.write(evidence / "frames", "all", place, {trial: (3, 5)})
    place_of = {"testbed": "bed", "suite": "Suite", "test": "Test", "at": ""}
    event: dict[str, Any] = {"kind": "event", "schema": SCHEMA, "event": "capture", **place_of}
    event["frames"] = [file.record(evidence) for file in files]
    (evidence / "events.jsonl").write_text(json.dumps(event) + "\n")
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    folders = {"monday": 30, "tuesday": 40}
    return [captured(tmp_path / "results" / name, frames) for name, frames in folders.items()]


def test_many_runs_are_counted_as_duckdb_counts_each(runs: list[Path]) -> None:
    found = dataset(runs).take_all()
    for run in runs:
        records = read(run / EVIDENCE)
        files, _ = frame_files(run / EVIDENCE, records)
        sql = "select trial, count(*), sum(size), count(event) from frames group by all order by trial"
        expected = query(records, sql, frames=files).rows
        assert [row[0] for row in expected] == [1, None]
        for trial, *counts in expected:
            rows = [row for row in found if (row["run"], row["trial"]) == (run.name, trial)]
            events = sum(row["event"] is not None for row in rows)
            assert counts == [len(rows), sum(row["size"] for row in rows), events]
    assert {name for row in found for name in row} == {*COLUMNS, "run"}


def test_a_file_that_is_missing_or_no_frames_at_all_is_an_error(runs: list[Path]) -> None:
    next((runs[0] / EVIDENCE).rglob("*.parquet")).unlink()
    with pytest.raises(
        TesterLibraryError, match=r"parquet is missing, so its rows are not in the table frames"
    ):
        dataset(runs)
    shutil.rmtree(runs[1] / EVIDENCE / "frames")
    (runs[1] / EVIDENCE / "events.jsonl").unlink()
    with pytest.raises(
        TesterLibraryError, match=r"no capture of .*tuesday has frames; capture with parquet=True"
    ):
        dataset([runs[1]])


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.info == "python fleet"], ids=str)
def test_an_example_runs(
    block: Block,
    runs: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert runs
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, str(block), "exec"), {})
    assert "monday" in capsys.readouterr().out
