# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Modifiers of RFC 2544 §11 on a router of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_passed, robot, run

SUITES = data_root() / "suites" / "rfc2544"


def test_frames_leave_beside_those_of_a_test(tmp_path: Path) -> None:
    check_passed(run("modifiers.robot", tmp_path))


@pytest.mark.long
def test_the_shipped_suites_take_them(tmp_path: Path) -> None:
    given = ("TESTBED:embedded/l3-router", "MODIFIERS:broadcast, management, routing")
    check_passed(robot(SUITES / "throughput.robot", tmp_path, *given, only="1518 Bytes"))
