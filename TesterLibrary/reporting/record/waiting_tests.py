# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of Robot's running suite that have not begun: a listener takes them out, and they are not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def outermost(suite: Any) -> Any:
    """The suite around all others."""
    while suite.parent:
        suite = suite.parent
    return suite


def take_out(suite: Any, tests: Iterable[Any]) -> None:
    """Takes tests out of an outermost suite, in place, and the suites that have none left."""
    for test in tests:
        test.parent.tests.remove(test)
    for empty in [inner for inner in _below(suite) if not inner.has_tests]:
        empty.parent.suites.remove(empty)


def _below(suite: Any) -> Iterator[Any]:
    for child in suite.suites:
        yield child
        yield from _below(child)
