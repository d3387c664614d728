# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""NDR and PDR by MLRsearch, through devices whose truth is known; each result follows from its records."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root
from TesterLibrary.methodology.mlrsearch import MultipleLossRatioResult
from TesterLibrary.reporting.record.records import read

from .robots import check_failed, check_passed, robot, run

SUITE = data_root() / "suites" / "mlrsearch" / "ndr_pdr.robot"


def check_records(output: Path) -> MultipleLossRatioResult:
    """The last result of a search, after every one was derived anew from the trials of the records."""
    results = [record.result for record in read(output / "evidence").results]
    searches = [result for result in results if isinstance(result, MultipleLossRatioResult)]
    for result in searches:
        assert MultipleLossRatioResult.derived(result.search, result.trials) == result
    return searches[-1]


def test_goals_of_ones_own(tmp_path: Path) -> None:
    tests = run("mlrsearch.robot", tmp_path)
    assert len(tests) == 5
    check_passed(tests)
    assert [each.goal.name for each in check_records(tmp_path).found] == ["strict", "tolerant"]


@pytest.mark.long
def test_ndr_and_pdr_of_a_bridge(tmp_path: Path) -> None:
    check_passed(robot(SUITE, tmp_path, "TESTBED:embedded/l2-bridge", only="1518 Bytes"))
    assert [each.goal.name for each in check_records(tmp_path).found] == ["NDR", "PDR"]


@pytest.mark.long
def test_ndr_and_pdr_of_a_shaper_are_its_rate(tmp_path: Path) -> None:
    """It forwards 4,167 frames/s, 28 % of line rate, and holds 200 frames, 1.3 % of a trial of a second."""
    criteria = tmp_path / "criteria.yaml"
    for bound, outcome in (("27 %", "PASS"), ("31 %", "FAIL")):
        (folder := tmp_path / outcome).mkdir()
        criteria.write_text(
            f'CRITERIA: {{version: 1, layer: 2, mlrsearch: {{"64": {{ndr: {bound}, pdr: {bound}}}}}}}\n',
            encoding="utf-8",
        )
        given = ("TESTBED:embedded/short-queue", f"CRITERIA_FILE:{criteria}")
        tests = robot(SUITE, folder, *given, only="64 Bytes")
        if outcome == "PASS":
            check_passed(tests)
        else:
            check_failed(tests, "64 Bytes", "FAIL: NDR of north, 64 bytes is")
        assert all(each.regular for each in check_records(folder).found)
