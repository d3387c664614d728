# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Leaves out what a suite repeats for other frame sizes: a slow target tries one of them."""

from __future__ import annotations

import re
from typing import Any

from robot.api import SuiteVisitor
from robot.model import TestSuite

_SIZE = re.compile(r"(\d+) Bytes$")


class OneSize(SuiteVisitor):
    """Takes out of suites that Robot is about to run what is of another size, in bytes."""

    def __init__(self, size: str) -> None:
        self._size = size

    def start_suite(self, suite: TestSuite[Any, Any]) -> None:
        """See `SuiteVisitor`."""
        suite.tests = [test for test in suite.tests if is_of(test.name, self._size)]


def is_of(test: str, size: str) -> bool:
    """Whether a test is of that size, or of none."""
    found = _SIZE.search(test)
    return found is None or found[1] == size
