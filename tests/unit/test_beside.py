# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A command beside another takes no CPU from it, and either can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "beside.py"
POLICY = "import os; print('policy', os.sched_getscheduler(0) == os.SCHED_IDLE)"


def run(idle: str, command: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(TOOL), sys.executable, "-c", idle, "--", sys.executable, "-c", command]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def test_only_the_first_is_idle_and_what_it_says_comes_last() -> None:
    done = run(POLICY, POLICY)
    assert [line for line in done.stdout.splitlines() if not line.startswith("+")] == [
        "policy False",
        "policy True",
    ]
    assert done.returncode == 0


@pytest.mark.parametrize(("idle", "command", "status"), [(0, 3, 3), (4, 0, 4), (4, 3, 3)])
def test_both_have_to_succeed(idle: int, command: int, status: int) -> None:
    assert run(f"raise SystemExit({idle})", f"raise SystemExit({command})").returncode == status
