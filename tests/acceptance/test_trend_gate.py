# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Nights of `tester run` on a real shaper: one that is 3 % slower is alarmed, and named, in the first one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from TesterLibrary.testbeds import shipped_testbeds

from .robots import SUITES
from .test_campaign import COMMAND

_USUAL = 6  # nights before
_RATES = ("20 Mbps", "19.4 Mbps")
_CAMPAIGN = f"""
version: 1
suites: [{SUITES / "shaped_rate.robot"}]
testbeds: [shaper.yaml]
database: trend.duckdb
"""


def night(folder: Path, number: int, rate: str) -> tuple[int, str]:
    """Status and output of one night."""
    shipped = shipped_testbeds()["embedded/shaper"].read_text()
    assert _RATES[0] in shipped
    (folder / "shaper.yaml").write_text(shipped.replace(_RATES[0], rate))
    (folder / "night.yaml").write_text(_CAMPAIGN)
    run = [*COMMAND, "run", "night.yaml", "--output", f"night-{number}"]
    ended = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.long
def test_a_shaper_that_is_slower_is_alarmed_in_its_first_night(tmp_path: Path) -> None:
    for number in range(_USUAL):
        status, said = night(tmp_path, number, _RATES[0])
        assert status == 0, said
    status, said = night(tmp_path, _USUAL, _RATES[1])
    assert status == 1, said
    assert "1 of the tests have values that stand out; they are measured again" in said
    (line,) = (line for line in said.splitlines() if line.startswith("alarmed"))
    assert "Rate Is Kept: rate of north, 512 bytes is " in line
    trend = [*COMMAND, "trend", "--database", "trend.duckdb", "--json"]
    told = subprocess.run(trend, cwd=tmp_path, capture_output=True, text=True, check=False)
    (figure,) = json.loads(told.stdout)["figures"]
    (alarm,) = figure["alarms"]
    assert [step["state"] for step in alarm["steps"]] == ["candidate", "alarmed"]
    assert -0.035 < alarm["value"] / alarm["before"] - 1 < -0.02
    assert (tmp_path / f"night-{_USUAL}-again" / "certificate.html").is_file()
