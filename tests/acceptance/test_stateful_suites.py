# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The suites about connections on devices that are right, and on each one planted defect, which they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import check_failed, check_passed, quick_or_long, robot
from .stateful_defects import DEFECTS, RIGHT, STATEFUL, Defect

_LONG = {
    "arp_learning",
    "burst_tolerance",
    "connection_scale",
    "l4_gateway",
    "l7_load_balancer",
    "nd_learning",
}
_LONG_IF_RIGHT = {*_LONG, "cdn", "private_tunnel", "syn_flood"}


@pytest.mark.parametrize("suite", [quick_or_long(suite, long=suite in _LONG_IF_RIGHT) for suite in RIGHT])
def test_a_device_that_is_right_passes(suite: str, tmp_path: Path) -> None:
    tests = robot(STATEFUL / f"{suite}.robot", tmp_path)
    assert len(tests) >= 2
    check_passed(tests)


@pytest.mark.parametrize(
    "defect",
    [quick_or_long(defect, long=defect.suite in _LONG) for defect in DEFECTS],
    ids=lambda defect: f"{defect.suite}: {defect.test}",
)
def test_a_planted_defect_is_found_and_named(defect: Defect, tmp_path: Path) -> None:
    check_failed(defect.run(tmp_path), defect.test, defect.message)
