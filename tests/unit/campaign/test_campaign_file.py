# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: the reader, and what it refuses by file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.paths import data_root, suite_root
from TesterLibrary.model.units.units import Duration


def campaign(folder: Path, text: str) -> Path:
    for name in ("a", "b"):
        (folder / f"{name}.robot").touch()
    path = folder / "nightly.yaml"
    path.write_text(f"version: 1\n{text}\n", encoding="utf-8")
    return path


def test_what_is_left_out_has_the_values_of_the_profile_quick(tmp_path: Path) -> None:
    found = load_campaign(campaign(tmp_path, ""))
    assert (found.profile, found.suites, found.testbeds, found.repetitions) == ("quick", (), (), 1)
    assert (found.time_budget, found.output, found.database) == (None, None, None)


def test_suites_are_beside_the_campaign_or_come_with_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'suites: ["[ab].robot", rfc2544, stateful/l4_*.robot]\n'
    text += "criteria: mine.yaml\ntestbeds: [lab.yaml, l2-bridge]"
    path = campaign(tmp_path, text)
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "lab.yaml").touch()
    monkeypatch.chdir("/")
    found = load_campaign(path)
    assert found.suites[:3] == (tmp_path / "a.robot", tmp_path / "b.robot", suite_root() / "rfc2544")
    assert found.suites[3:] == tuple(sorted((suite_root() / "stateful").glob("l4_*.robot")))
    assert found.criteria == str(tmp_path / "mine.yaml")
    assert found.testbeds == (str(tmp_path / "lab.yaml"), "l2-bridge")


def test_variables_and_the_time_budget_are_what_robot_and_the_clock_take(tmp_path: Path) -> None:
    found = load_campaign(
        campaign(tmp_path, "variables: {RATE: 20 kpps, COUNT: 3, DEEP: true}\ntime_budget: 1 h 30 min")
    )
    assert found.variables == {"RATE": "20 kpps", "COUNT": "3", "DEEP": "True"}
    assert found.time_budget == Duration(5400 * 10**9)


def test_the_shipped_example_is_right() -> None:
    found = load_campaign(data_root() / "resources" / "campaigns" / "nightly.yaml")
    assert found.suites == (suite_root() / "rfc2544",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "suites: [c.robot]",
            "suites[0]: there is no suite 'c.robot'; give a .robot file, a folder or a pat",
        ),
        ("suites: []", "suites: [] is not allowed; give a list of suites"),
        ("repetitions: 0", "repetitions: 0 is not allowed; give how often each suite is run"),
        (
            "repetitons: 2",
            "repetitons: there is no such key (did you mean 'repetitions'?); allowed are version, ",
        ),
        ("time_budget: 2", "time_budget: 2 is not allowed; give a time, such as 2 h"),
        ("time_budget: 0 s", "time_budget: '0 s' is not allowed; give a time above 0"),
        ("time_budget: 2 parsecs", "time_budget: '2 parsecs' is not a time"),
        ("testbeds: [lab, lab]", "testbeds[1]: 'lab' is in line 2 already, as testbeds[0]"),
        ("variables: {TESTBED: x}", "variables.TESTBED: is set from testbeds, profile and criteria"),
        ("variables: {test bed: x}", "variables.test bed: is set from testbeds, profile and criteria"),
        ("variables: {Output Dir: x}", "variables.Output Dir: is set by Robot Framework; leave it out"),
        (
            "variables: {A: [1]}",
            "variables.A: [1] is not allowed; give a text, a whole number, true or false",
        ),
        ("variables: {'1': x}", "variables.1: there is no such key; give variables of the suites"),
    ],
)
def test_what_is_wrong_is_refused_by_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = campaign(tmp_path, text)
    with pytest.raises(TesterLibraryError) as caught:
        load_campaign(path)
    assert str(caught.value).startswith(f"{path}:2: {message}")
