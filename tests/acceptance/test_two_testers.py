# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Suites on testbeds with several testers, as with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files import paths

from .robots import SUITES, check_passed, robot


@pytest.mark.parametrize(
    ("testbed", "family"), [("two-testers", "bridge"), ("router-two-testers", "ip")], ids=["bridge", "router"]
)
def test_a_planted_loss_is_exact_to_the_frame(testbed: str, family: str, tmp_path: Path) -> None:
    suite = SUITES / "two_testers.robot"
    tests = robot(suite, tmp_path, f"TESTBED:embedded/{testbed}", f"FAMILY:{family}")
    assert len(tests) == 5
    check_passed(tests)


@pytest.mark.long
def test_a_throughput_is_found_between_two_testers(tmp_path: Path) -> None:
    suite = paths.suite_root() / "rfc2544" / "throughput.robot"
    tests = robot(suite, tmp_path, "TESTBED:embedded/two-testers")
    assert len(tests) == 7
    check_passed(tests)
