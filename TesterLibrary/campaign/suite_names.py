# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lets a suite keep the name of its file where the run around it has a name as well."""

from __future__ import annotations

from typing import Any

from robot.api import SuiteVisitor
from robot.running import ResourceFile


class OwnNames(SuiteVisitor):
    """A modifier of Robot's: a suite of one file gets a suite around it, as several files have one.

    Robot gives the name of a run to its outermost suite. Where that is the file itself, the records would
    name the testbed in place of the suite, and suites of different files could not be told apart.
    """

    def visit_suite(self, suite: Any) -> None:
        """Moves the tests of a file into a suite below; the outermost suite keeps nothing but its name."""
        if suite.source is None or not suite.source.is_file():
            return
        file_suite = suite.deepcopy()
        suite.config(doc="", metadata={}, source=None, tests=(), setup=None, teardown=None)
        suite.resource = ResourceFile(owner=suite)
        suite.suites = [file_suite]
