# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One suite, unchanged, on an engine and on a switch that does not exist: only the testbed is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import check_passed, run


@pytest.mark.parametrize("testbed", ["embedded/l2-bridge", "tofino-fake"])
def test_one_suite_runs_on_every_tester(testbed: str, tmp_path: Path) -> None:
    tests = run("switch.robot", tmp_path, f"TESTBED:{testbed}")
    assert set(tests) == {"Stateless Stream", "HTTP Responder"}
    check_passed(tests)
