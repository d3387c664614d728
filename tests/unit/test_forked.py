# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A module that is run in a forked process is run as in a new one."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests import forked

MODULE = """
import os, sys, time
from TesterLibrary.reporting.record import recorder
from TesterLibrary.targets.engine.owner import client
print(sys.argv[1], os.environ["SAID"], os.getcwd(), "robot" in sys.modules, file=open("said", "w"))
print(recorder._run_of(os.getpid()), client(), file=open("names", "a"))
time.sleep(float(sys.argv[2]))
raise SystemExit(3)
"""


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)


def run(seconds: float, timeout: float | None = None) -> int:
    given = {**os.environ, "SAID": "hello"}
    return forked.run("module", ["first", str(seconds)], environment=given, timeout=timeout)


def test_arguments_environment_folder_and_status_are_its_own(tmp_path: Path) -> None:
    assert run(0) == 3
    assert (tmp_path / "said").read_text() == f"first hello {tmp_path} True\n"


def test_each_is_a_run_and_a_client_of_its_own(tmp_path: Path) -> None:
    assert [run(0), run(0)] == [3, 3]
    (run_id, client), (other_run, other) = (
        line.split(maxsplit=1) for line in (tmp_path / "names").read_text().splitlines()
    )
    assert run_id != other_run
    assert client != other


def test_one_that_takes_too_long_is_killed_and_the_next_one_runs() -> None:
    begun = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        run(60, timeout=2)
    assert time.monotonic() - begun < 60
    assert run(0) == 3
