# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Destinations in random networks (RFC 2544 §12), on a router with a neighbour table of known size."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.files.paths import data_root
from TesterLibrary.testbeds.load import find_testbed

from .robots import check_failed, check_passed, robot

SUITES = data_root() / "suites" / "rfc2544"
NEIGHBOURS = 100


@pytest.mark.long
def test_a_table_that_is_too_small_for_the_networks_loses_their_frames(tmp_path: Path) -> None:
    router = find_testbed("embedded/l3-router").read_text(encoding="utf-8")
    testbed = tmp_path / "few-neighbours.yaml"
    testbed.write_text(f"{router}  options:\n    most_neighbours: {NEIGHBOURS}\n", encoding="utf-8")
    criteria = tmp_path / "criteria.yaml"
    bound = 'frame_loss: {"512": {loss: 1 %, load: 10 %}}'
    criteria.write_text(f"CRITERIA:\n  version: 1\n  layer: 3\n  {bound}\n", encoding="utf-8")
    for networks in (64, 256):
        (folder := tmp_path / str(networks)).mkdir()
        given = (f"TESTBED:{testbed}", f"CRITERIA_FILE:{criteria}", f"NETWORKS:{networks}")
        tests = robot(SUITES / "frame_loss.robot", folder, *given, only="512 Bytes")
        if networks < NEIGHBOURS:
            check_passed(tests)
        else:
            check_failed(tests, "512 Bytes", "FAIL: frame loss of north, 512 bytes at loads up to 10 % is")
