# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of loss that are planted in the kernel's bridge are named, each within a minute."""

from __future__ import annotations

from pathlib import Path

import pytest

from .robots import SUITES, check_passed, quick_or_long, robot

SUITE = SUITES / "diagnosis.robot"
TESTS = ("Sizes", "An MTU That Is Off By Four", "A DSCP", "Ports", "One Direction")


@pytest.mark.parametrize("test", [quick_or_long(test, long=test != "Sizes") for test in TESTS])
def test_a_planted_rule_is_named(test: str, tmp_path: Path) -> None:
    check_passed(robot(SUITE, tmp_path, only=test))
