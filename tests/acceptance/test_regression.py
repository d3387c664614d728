# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of a run beside those of an earlier one, on a simulated device."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.commands.main import main

from .robots import check_passed, run


def test_a_value_that_is_worse_than_in_an_earlier_run_fails(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    check_passed(run("regression.robot", before))
    worse = ("--variable", f"BASELINE:{before}", "--variable", "BURST:3.2 ms")
    tests = run("regression.robot", after, *worse)
    assert tests["Throughput"].status == "PASS"
    assert tests["Largest Burst"].status == "FAIL"
    message = tests["Largest Burst"].message
    assert message.startswith(
        "FAIL: largest burst, beside the baseline is 3.2 ms, required <= 3 ms within 3 % (run of"
    )


@pytest.mark.long
def test_what_nobody_can_compare_is_inconclusive(tmp_path: Path) -> None:
    before = tmp_path / "before"
    run("regression.robot", before)
    longer = run("regression.robot", tmp_path / "longer", *_with(before, "LONG:0.4 s"))
    assert "sent for 200 ms, that of this run for 400 ms" in longer["Throughput"].message
    assert longer["Throughput"].status == "SKIP"
    assert longer["Largest Burst"].status == "PASS"
    database = tmp_path / "trend.duckdb"
    assert main(["trend", str(before), "--database", str(database)]) == 2
    few = run("regression.robot", tmp_path / "few", *_with(database))
    assert "the baseline has 1 value of a fit tester" in few["Largest Burst"].message
    absent = run("regression.robot", tmp_path / "absent", *_with(tmp_path / "none"))
    assert "there is no baseline" in absent["Throughput"].message
    assert absent["Throughput"].status == "FAIL"


@pytest.mark.long
def test_the_level_of_a_database_is_a_baseline(tmp_path: Path) -> None:
    database, folders = tmp_path / "trend.duckdb", [tmp_path / f"night-{night}" for night in range(5)]
    for folder in folders:
        run("regression.robot", folder)
    main(["trend", *map(str, folders), "--database", str(database)])
    tests = run("regression.robot", tmp_path / "after", *_with(database, "BURST:3.2 ms"))
    assert tests["Throughput"].status == "PASS"
    assert "required <= 3 ms within 3 % (level of 5 values)" in tests["Largest Burst"].message


def _with(baseline: Path, *variables: str) -> list[str]:
    given = (f"BASELINE:{baseline}", *variables)
    return [text for variable in given for text in ("--variable", variable)]
