# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""A refused argument reaches the user with its reason, also where it may be left out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import robot

from TesterLibrary.keywords._conversion import with_reasons
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.verdict import Outcome

ROOT = Path(__file__).parents[2]
_SUITE = """
*** Settings ***
Library    TesterLibrary

*** Test Cases ***
{tests}
"""


@pytest.mark.parametrize("options", [["--output", "NONE"], []])
def test_a_dry_run_writes_no_evidence(options: list[str], tmp_path: Path) -> None:
    """Nothing is measured in it. A run of tests that fail at once has a record of each."""
    suite = tmp_path / "page.robot"
    suite.write_text(_SUITE.format(tests="One\n    Get Tester Info"), encoding="utf-8")
    for dry, made in ((["--dryrun"], False), ([], True)):
        out = tmp_path / ("dry" if dry else "wet")
        quiet = ["--log", "NONE", "--report", "NONE", "--outputdir", str(out)]
        command = [sys.executable, "-m", "robot", *dry, *options, *quiet, str(suite)]
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        assert (out / "evidence").exists() == made


# Keyword and arguments, and the words that say why and what to write.
_REFUSED = {
    "endpoints": (
        "Start TCP Clients    users    nowhere",
        ("target", "'nowhere' is no range of addresses; write an address"),
    ),
    "optional endpoints": (
        "Start TCP Clients    users    192.0.2.10:80    sources=nowhere",
        ("sources", "Endpoints", "'nowhere' is no range of addresses; write an address"),
    ),
    "optional rate": ("Measure Loss    rate=5 furlongs", ("rate", "'5 furlongs' is not a rate; write")),
    "optional frequency": (
        "Start TCP Clients    users    192.0.2.10:80    rate=1 K/s",
        ("rate", "'1 K/s' is not a frequency; write"),
    ),
    "optional time": (
        "Set Arrivals    north    on-off    on=5    off=1 s",
        ("on", "'5' is not a time: it has no unit; write '5 s'"),
    ),
    "optional enum": (
        "Get Session Statistics    users    lost    approximately    0",
        ("AssertionOperator does not have member 'approximately'. Available:",),
    ),
    "optional text": ("Get Loss Ratio    a    is not less than    0", ("'is not less than'",)),
    "none as text": (
        "Measure Loss    missing    rate=None",
        ("no tester is open; call",),
    ),
    "none as variable": (
        "Measure Loss    missing    rate=${None}",
        ("no tester is open; call",),
    ),
}


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The error message that Robot reports for each of these calls."""
    folder = tmp_path_factory.mktemp("suite")
    tests = "\n".join(f"{name}\n    {call}" for name, (call, _) in _REFUSED.items())
    (folder / "refused.robot").write_text(_SUITE.format(tests=tests), encoding="utf-8")
    output = folder / "output.xml"
    robot.run(
        folder / "refused.robot", output=output, log=None, report=None, outputdir=folder, console="none"
    )
    suite = robot.api.ExecutionResult(output).suite
    return {test.name: test.message for test in suite.tests}


@pytest.mark.parametrize("name", _REFUSED)
def test_the_reason_reaches_the_user(messages: dict[str, str], name: str) -> None:
    for words in _REFUSED[name][1]:
        assert words in messages[name]


@pytest.mark.parametrize(
    ("hint", "arguments", "told"),
    [
        (Rate | None, [("it", None)], Rate),
        (Outcome | None, [("it", None)], Outcome),  # an enum says which members there are
        (Rate | None, ["it"], Rate | None),  # without that default None has to be a type
        (Rate | None, [("it", Rate.parse("1 pps"))], Rate | None),
        (str | None, [("it", None)], str | None),  # a text says nothing, and would take "None" for one
        (Rate | Duration | None, [("it", None)], Rate | Duration | None),
        (Rate, [("it", None)], Rate),
    ],
)
def test_robot_is_told_the_type_that_gives_a_reason(hint: Any, arguments: Sequence[Any], told: Any) -> None:
    assert with_reasons({"it": hint, "return": None}, arguments, {Rate, Duration}) == {
        "it": told,
        "return": None,
    }
