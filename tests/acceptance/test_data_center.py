# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RFC 8239 over four ports of a bridge whose rate, bucket and queue are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root

from .robots import check_failed, check_passed, planted, robot

SUITES = data_root() / "suites" / "data_center"
SHIPPED = data_root() / "resources" / "testbeds" / "embedded" / "l2-switch.yaml"
CRITERIA = data_root() / "resources" / "criteria" / "embedded" / "l2-switch.yaml"


@pytest.mark.long
@pytest.mark.parametrize("suite", ["latency", "microburst", "incast"])
def test_the_shipped_suites_pass(suite: str, tmp_path: Path) -> None:
    check_passed(robot(SUITES / f"{suite}.robot", tmp_path))


@pytest.mark.long
def test_a_shorter_queue_holds_a_shorter_burst(tmp_path: Path) -> None:
    # 64 bytes: bucket and queue hold 300 frames without FCS, of bursts of three ports; with it 150.
    given = (planted(tmp_path, SHIPPED, "queue", 3000), f"CRITERIA_FILE:{CRITERIA}")
    tests = robot(SUITES / "microburst.robot", tmp_path / "output", *given, only="64 Bytes")
    check_failed(
        tests, "64 Bytes", "FAIL: longest burst of incast p2-p1 + incast p3-p1 + incast p4-p1, 64 by"
    )
