# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A small lab without a campaign: the shards of pabot, as docs/fleet.md shows them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from robot.api import ExecutionResult

from tests.unit.commands.fleets import campaign

ROOT = Path(__file__).parents[2]
pytest.importorskip("pabot", reason="tox -e fleet installs it")


def test_the_shards_of_the_page_are_all_suites_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    suites = tmp_path / "suites"
    suites.mkdir()
    campaign(suites, "", suites=tuple("abc"))
    page = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(pabot --shard .*?) +#", page, re.M)
    assert len(lines) == 2
    for line in lines:
        robot = ["--command", sys.executable, "-m", "robot", "--end-command"]  # tox has another one in PATH
        options = [*robot, *line.split()[1:-1], "--variable", "OUTCOME:PASS"]
        command = [sys.executable, "-m", "pabot.pabot", *options, str(suites)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    names = [
        test.full_name.partition(".")[2]
        for folder in ("first", "second")
        for test in ExecutionResult(folder + "/output.xml").suite.all_tests
    ]
    assert sorted(names) == [f"{suite}.{test}" for suite in "ABC" for test in ("First", "Second")]
    assert len(set(re.findall(r"TESTBED:(\S+)", "".join(lines)))) == 2
