# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
from pathlib import Path

import pytest

from TesterLibrary.measurement.snapshot import LatencyCounters, StampFlowCounters, StampIntervalCounters
from TesterLibrary.reporting.captures.stamp_files import write_flows, write_intervals


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_flow_is_a_row_and_what_nobody_knows_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "new" / "flows.csv"
    delay = LatencyCounters(count=2, sum_ns=30, min_ns=10, max_ns=20, buckets={10: 1, 20: 1})
    write_flows(
        file,
        [
            StampFlowCounters(
                "192.0.2.1", "192.0.2.2", 6, 9, 7, sent=3, received=2, delay=delay, delay_squares=500
            ),
            StampFlowCounters("192.0.2.1", "192.0.2.2", 6, 9, 8, sent=3, received=2, ambiguous=1),
            StampFlowCounters("192.0.2.1", "192.0.2.2", 6, 9, 9, sent=1, received=1, ambiguous=1),
        ],
    )
    first, alike, all_back = rows(file)
    assert (first["sent"], first["lost"], first["delay_mean_ns"], first["delay_p99_ns"]) == (
        "3",
        "1",
        "15.0",
        "20.0",
    )
    assert first["delay_std_ns"] == "5.0"
    assert (alike["lost"], alike["delay_min_ns"], alike["delay_p50_ns"]) == ("", "", "")
    assert all_back["lost"] == "0"


def test_an_interval_is_a_row(tmp_path: Path) -> None:
    file = tmp_path / "intervals.csv"
    write_intervals(file, [StampIntervalCounters(0, 4, 3, 2, 30, 20), StampIntervalCounters(10**8)])
    first, second = rows(file)
    assert (first["lost"], first["delay_mean_ns"], first["delay_max_ns"]) == ("1", "15.0", "20")
    assert (second["begin_ns"], second["sent"], second["delay_mean_ns"]) == ("100000000", "0", "")


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    write_intervals(tmp_path / "a.csv", [])
    with pytest.raises(FileExistsError):
        write_intervals(tmp_path / "a.csv", [])
