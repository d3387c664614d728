# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Bursts at line rate (RFC 2544 §21) into a queue of known length."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import check_failed, check_passed, robot
from .test_rfc2544_procedures import SUITES, longest_burst


@pytest.mark.long
def test_a_queue_holds_the_bursts_that_fit_into_it(tmp_path: Path) -> None:
    """It holds 28 frames of 512 bytes, and is empty again before the next burst."""
    assert 16 < longest_burst(512) < 64
    criteria = tmp_path / "criteria.yaml"
    bound = 'frame_loss: {"512": {loss: 10 %, load: 5 %}}'
    criteria.write_text(f"CRITERIA:\n  version: 1\n  layer: 2\n  {bound}\n", encoding="utf-8")
    for frames in (16, 64):
        (folder := tmp_path / str(frames)).mkdir()
        given = ("TESTBED:embedded/short-queue", f"CRITERIA_FILE:{criteria}", f"BURST:{frames}")
        tests = robot(SUITES / "frame_loss.robot", folder, *given, only="512 Bytes")
        if frames == 16:
            check_passed(tests)
        else:
            check_failed(tests, "512 Bytes", "FAIL: frame loss of north, 512 bytes at loads up to 5 % is")
