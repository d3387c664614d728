# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Routers with one bug each, which suites find and name; `make corpus` says how many of how many."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.table import ROWS, Check, Row, checks

from .robots import check_failed, check_passed, quick_or_long

_QUICK = {"TTL decremented by 2", "unicast solicitations not answered", "IPv4 total length wrong"}
_CONTROL = next(row.check for row in ROWS if row.bug == "TTL decremented by 2")


@pytest.mark.parametrize(
    "row", [quick_or_long(row, long=row.bug not in _QUICK) for row in ROWS], ids=lambda row: row.bug
)
def test_each_bug_is_found_and_named(row: Row, tmp_path: Path) -> None:
    tests = row.check.attempts(tmp_path, row.bug)
    if row.is_found:
        for words in row.words:
            check_failed(tests, row.check.test, words)
    else:
        check_passed(tests)


@pytest.mark.parametrize(
    "check", [quick_or_long(c, long=c != _CONTROL) for c in checks()], ids=lambda check: check.test
)
def test_a_right_device_passes(check: Check, tmp_path: Path) -> None:
    check_passed(check.attempts(tmp_path, ""))
